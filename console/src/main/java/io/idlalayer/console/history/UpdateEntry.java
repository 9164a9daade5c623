package io.idlalayer.console.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.idlalayer.jobs.events.UpdateRecord;
import org.jspecify.annotations.Nullable;

/**
 * The progress of an update.
 *
 * @param number number of the update
 * @param state the state after the last event
 * @param firedAtMillis time of the event FIRED, epoch milliseconds; null if it was not read. The
 *     other times are those of the events in their names
 * @param update known facts about the update
 * @param message message of the last event about the update
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record UpdateEntry(
    long number,
    State state,
    @Nullable Long firedAtMillis,
    @Nullable Long stagedAtMillis,
    @Nullable Long publishedAtMillis,
    @Nullable Long heldAtMillis,
    UpdateRecord update,
    String message) {
  /** The state of an update after its last event. */
  public enum State {
    @JsonProperty("fired")
    FIRED,
    @JsonProperty("training-failed")
    TRAINING_FAILED,
    @JsonProperty("aborted")
    ABORTED,
    @JsonProperty("staged")
    STAGED,
    @JsonProperty("published")
    PUBLISHED,
    @JsonProperty("held")
    HELD
  }

  static UpdateEntry fired(long atMillis, UpdateRecord update, String message) {
    return new UpdateEntry(
        update.number(), State.FIRED, atMillis, null, null, null, update, message);
  }

  UpdateEntry now(State next, long atMillis, UpdateRecord latest, String said) {
    return new UpdateEntry(
        number,
        next,
        firedAtMillis,
        next == State.STAGED && stagedAtMillis == null ? Long.valueOf(atMillis) : stagedAtMillis,
        next == State.PUBLISHED ? Long.valueOf(atMillis) : publishedAtMillis,
        next == State.HELD ? Long.valueOf(atMillis) : heldAtMillis,
        latest,
        said);
  }
}
