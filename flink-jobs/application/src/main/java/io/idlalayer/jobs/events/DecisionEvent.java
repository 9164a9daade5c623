package io.idlalayer.jobs.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One event, as JSON. A STATUS goes to the status topic, keyed by application and partition; that
 * topic keeps the last status of each learner. All other events go to the decision topic, keyed by
 * application. Delivery is at least once, and in order per application partition and topic. After a
 * restore, update numbers continue from the checkpoint, so a reader should keep only the latest
 * event for each update number.
 *
 * @param atMillis epoch milliseconds of the operator's clock
 * @param status cumulative state; present on every type. On {@linkplain Type#frequent frequent}
 *     types {@code prequential}, {@code compared}, {@code survey}, {@code history}, {@code network}
 *     and {@code lastLabels} can come from an earlier status that is at most a second old
 * @param update the update that the event is about; absent on STATUS, RESTORED and FINISHED
 * @param message a readable sentence, "" if the type says it all; at most {@link #MESSAGE_LENGTH}
 *     characters
 * @param arrivals arrival times of the update's new samples; on FIRED and ARRIVALS, absent
 *     elsewhere
 * @param moves the samples that moved between life stages; on STAGED, absent elsewhere
 * @param sample the answer to a question for a sample; on EXPLAINED, absent elsewhere
 * @param plan the plan that steps of training follow; on PLANNED, absent elsewhere
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DecisionEvent(
    int formatVersion,
    Type type,
    String application,
    int partition,
    long atMillis,
    Status status,
    @Nullable UpdateRecord update,
    String message,
    @Nullable ArrivalTimes arrivals,
    @Nullable StageMoves moves,
    @Nullable SampleView sample,
    @Nullable StepPlan plan) {

  public static final int FORMAT_VERSION = 1;

  /** Largest number of characters of a message. A longer message is cut. */
  public static final int MESSAGE_LENGTH = 4_096;

  private static final int SHOWN_OFFSETS = 256;

  public DecisionEvent {
    message = message == null ? "" : cut(message, MESSAGE_LENGTH);
  }

  private static String cut(String message, int length) {
    return message.length() <= length
        ? message
        : "%s... (%,d characters)".formatted(message.substring(0, length - 40), message.length());
  }

  /** Returns an event about an update, or an event without an update. */
  public static DecisionEvent of(
      Type type, Origin origin, Status status, @Nullable UpdateRecord update, String message) {
    return new DecisionEvent(
        FORMAT_VERSION,
        type,
        origin.application(),
        origin.partition(),
        origin.atMillis(),
        status,
        update,
        message,
        null,
        null,
        null,
        null);
  }

  /** The place and the time of an event. */
  public record Origin(String application, int partition, long atMillis) {}

  /** Returns this event with the arrival times of its update's new samples. */
  public DecisionEvent with(ArrivalTimes times) {
    return copy(times, moves, sample, plan);
  }

  /** Returns this event with the samples that moved between life stages. */
  public DecisionEvent with(StageMoves who) {
    return copy(arrivals, who, sample, plan);
  }

  /** Returns this event with the answer to a question for a sample. */
  public DecisionEvent with(SampleView answer) {
    return copy(arrivals, moves, answer, plan);
  }

  /** Returns this event with the plan that steps of training follow. */
  public DecisionEvent with(StepPlan followed) {
    return copy(arrivals, moves, sample, followed);
  }

  /** Returns the name of the learner: application and partition. */
  public String learner() {
    return application + "/" + partition;
  }

  /** Returns this event with the id of the Flink job that sends it. */
  public DecisionEvent in(String run) {
    return new DecisionEvent(
        formatVersion,
        type,
        application,
        partition,
        atMillis,
        status.in(run),
        update,
        message,
        arrivals,
        moves,
        sample,
        plan);
  }

  /**
   * Returns this event with a shorter message and the first offsets only, for an event that is too
   * large.
   */
  DecisionEvent shortened(int bytes) {
    return new DecisionEvent(
        formatVersion,
        type,
        application,
        partition,
        atMillis,
        status.withOffsets(SHOWN_OFFSETS),
        update,
        cut(message, MESSAGE_LENGTH / 2) + " (event of %,d bytes shortened)".formatted(bytes),
        null,
        null,
        null,
        null);
  }

  private DecisionEvent copy(
      @Nullable ArrivalTimes times,
      @Nullable StageMoves who,
      @Nullable SampleView answer,
      @Nullable StepPlan followed) {
    return new DecisionEvent(
        formatVersion,
        type,
        application,
        partition,
        atMillis,
        status,
        update,
        message,
        times,
        who,
        answer,
        followed);
  }

  /** The kind of an event. */
  public enum Type {
    /** The status of a learner, sent every second, and every five seconds while updates flow. */
    STATUS,
    /** An update was started. */
    FIRED,
    /** More arrival times of the update that was fired last. */
    ARRIVALS,
    /** A running training was aborted in favor of a larger one; its samples stay untrained. */
    ABORTED,
    /** A training failed or diverged; its samples stay untrained. */
    DROPPED,
    /** An update was accepted and its samples have their new life stages. */
    STAGED,
    /**
     * The rules of the life stages changed, or a change was refused; the message says what
     * happened.
     */
    RULES,
    /**
     * Input was lost, a request was refused, the features have changed, or the numbers of a column
     * cannot be told apart; the message says what.
     */
    INPUT,
    /**
     * The DRAM of {@code memory.fast-bytes} is divided anew, or a division was refused; the message
     * says how, and why.
     */
    MEMORY,
    /** The answer to a question for a sample. */
    EXPLAINED,
    /** Steps of training follow another plan than before, or none; sent after STAGED. */
    PLANNED,
    /** An update is published. */
    PUBLISHED,
    /**
     * A new model is worse than the version in service, which stays; the model is not published.
     */
    HELD,
    /**
     * The version in service is worse than the version that it replaced, or a new model is worse
     * than the version in service.
     */
    WORSE,
    /** The previous version serves again. */
    ROLLED_BACK,
    /** A comparison of models was ended without a finding; the message says why. */
    UNCOMPARED,
    /**
     * A learner has adopted a version that was mixed from the models of several partitions; the
     * message names the partitions.
     */
    MIXED,
    /**
     * Either a version is published that has forgotten withdrawn samples, and the event names the
     * update whose model the version is. Or a sample that was to be forgotten was never trained,
     * and the event has no update. The message names the samples.
     */
    FORGOTTEN,
    /** The learner's state was restored from a checkpoint. */
    RESTORED,
    /** An end of input was reached: everything before it is trained and published. */
    FINISHED;

    /** Returns whether each update sends events of this type, so that there can be many of them. */
    public boolean frequent() {
      return switch (this) {
        case FIRED, ARRIVALS, STAGED, PUBLISHED -> true;
        default -> false;
      };
    }
  }
}
