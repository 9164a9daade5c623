package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.state.StateFormat;
import java.util.List;

/**
 * The {@link SettingsIdentity} of the settings with which a learner's state was made, stored in
 * that state. It is written when the learner is new, and compared each time the learner is opened,
 * before any other state is read. Its form is the canonical text that is in every manifest.
 */
public final class StoredIdentity {
  private static final StateFormat FORMAT = StateFormat.first("settings identity");

  private StoredIdentity() {}

  /**
   * Compares the settings with the identity in a learner's state, or writes their identity if there
   * is none.
   *
   * @throws LastingFailureException with every setting that differs from the one the state was
   *     written with
   */
  public static void require(LearnerState state, ApplicationSettings settings) {
    SettingsIdentity now = SettingsIdentity.of(settings);
    byte[] stored = state.get(LearnerState.Slot.IDENTITY);
    if (stored == null) {
      state.put(LearnerState.Slot.IDENTITY, snapshot(now));
      return;
    }
    List<String> differences = restore(stored).differences(now);
    if (!differences.isEmpty()) {
      throw new LastingFailureException(
          SettingsIdentity.refusal(
              settings.name(), "the one its state was made with", differences));
    }
  }

  public static byte[] snapshot(SettingsIdentity identity) {
    return FORMAT.writer().putText(1, identity.json()).bytes();
  }

  public static SettingsIdentity restore(byte[] snapshot) {
    return SettingsIdentity.parse(FORMAT.reader(snapshot).getText(1));
  }
}
