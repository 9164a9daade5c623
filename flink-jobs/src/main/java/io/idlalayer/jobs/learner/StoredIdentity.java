package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The {@link SettingsIdentity} in a learner's state: written when the learner is new, compared each
 * time it is opened, before anything else of its state is read.
 */
public final class StoredIdentity {
  private StoredIdentity() {}

  /**
   * Compares, or writes if nothing was written.
   *
   * @throws LastingFailureException with every setting that differs from what the state was made
   *     with
   */
  public static void require(LearnerState state, ApplicationSettings settings) {
    SettingsIdentity now = SettingsIdentity.of(settings);
    byte[] stored = state.get(LearnerState.Slot.IDENTITY);
    if (stored == null) {
      state.put(LearnerState.Slot.IDENTITY, now.json().getBytes(StandardCharsets.UTF_8));
      return;
    }
    List<String> differences =
        SettingsIdentity.parse(new String(stored, StandardCharsets.UTF_8)).differences(now);
    if (!differences.isEmpty()) {
      throw new LastingFailureException(
          SettingsIdentity.refusal(
              settings.name(), "the one its state was made with", differences));
    }
  }
}
