package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.state.StateFormat;

/**
 * The {@link SettingsIdentity} of the settings with which a learner's state was made, stored in
 * that state. It is written when the learner is new. Each time the learner is opened, it is
 * compared with the present settings, before any other state is read. It is replaced when the state
 * was converted to other settings. Its form is the canonical text that is in every manifest.
 */
public final class StoredIdentity {
  private static final StateFormat FORMAT = StateFormat.first("settings identity");

  private StoredIdentity() {}

  /**
   * Compares the settings with the identity in a learner's state, or writes their identity if there
   * is none. State with other features or classes is not changed; {@link #write} follows once it
   * is.
   *
   * @return what changed of the features and classes, if the state can go on with them
   * @throws LastingFailureException with every setting that differs from the one the state was
   *     written with, and does not let it go on
   */
  public static IdentityChange require(LearnerState state, ApplicationSettings settings) {
    byte[] stored = state.get(LearnerState.Slot.IDENTITY);
    if (stored == null) {
      write(state, settings);
      return IdentityChange.between(SettingsIdentity.of(settings), settings);
    }
    IdentityChange change = IdentityChange.between(restore(stored), settings);
    if (!change.refusals().isEmpty()) {
      throw new LastingFailureException(
          SettingsIdentity.refusal(
              settings.name(), "the one its state was made with", change.refusals()));
    }
    return change;
  }

  /** Writes the identity of settings, from which the state is of these settings. */
  static void write(LearnerState state, ApplicationSettings settings) {
    state.put(LearnerState.Slot.IDENTITY, snapshot(SettingsIdentity.of(settings)));
  }

  public static byte[] snapshot(SettingsIdentity identity) {
    return FORMAT.writer().putText(1, identity.json()).bytes();
  }

  public static SettingsIdentity restore(byte[] snapshot) {
    return SettingsIdentity.parse(FORMAT.reader(snapshot).getText(1));
  }
}
