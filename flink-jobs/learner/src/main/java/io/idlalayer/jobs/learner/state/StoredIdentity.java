package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.state.StateFormat;

/**
 * The {@link SettingsIdentity} of the settings with which a learner's state was made, stored in
 * that state. It is written when the learner is new. Each time the learner is opened, it is
 * compared with the present settings, before any other state is read. It is replaced when the state
 * was converted to other settings. The form is the canonical text that every manifest contains.
 */
public final class StoredIdentity {
  private static final StateFormat FORMAT = StateFormat.first("settings identity");

  private StoredIdentity() {}

  /**
   * Compares the settings with the identity in a learner's state, or writes their identity if there
   * is none. State with other features or classes is not changed here; after its conversion, the
   * caller calls {@link #write}.
   *
   * @return the change of the features and classes, if the learner can continue from the state
   * @throws LastingFailureException if the learner cannot continue from the state; the message has
   *     every differing setting that prevents it
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

  /**
   * Writes the identity of the given settings. From then on the state belongs to these settings.
   */
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
