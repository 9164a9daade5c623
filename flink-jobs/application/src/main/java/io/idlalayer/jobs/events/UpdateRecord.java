package io.idlalayer.jobs.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One update: what was decided, what was trained, what was published. A part that has not happened
 * is absent. The learner's state, the decision topic, the report and the manifest all tell of this
 * record.
 *
 * @param number counts updates from 1, without gaps along the lineage
 * @param training absent until the training has succeeded
 * @param published absent until the model is in service
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpdateRecord(
    long number, Firing firing, @Nullable Training training, @Nullable Published published) {

  /** An update that was fired. */
  public static UpdateRecord fired(long number, Firing firing) {
    return new UpdateRecord(number, firing, null, null);
  }

  /** Returns this record with the training of its update. */
  public UpdateRecord trained(Training how) {
    return new UpdateRecord(number, firing, how, null);
  }

  /**
   * What was trained.
   *
   * @throws IllegalStateException if nothing was yet
   */
  public Training requireTraining() {
    return required(training, "trained");
  }

  /**
   * What was published.
   *
   * @throws IllegalStateException if nothing was yet
   */
  public Published requirePublished() {
    return required(published, "published");
  }

  private <T> T required(@Nullable T part, String what) {
    if (part == null) {
      throw new IllegalStateException("update %d is not %s".formatted(number, what));
    }
    return part;
  }

  /** Returns this record with the publication of its update. */
  public UpdateRecord published(Published as) {
    return new UpdateRecord(number, firing, training, as);
  }

  /**
   * Returns this record with a training that continues version {@code version} and without a
   * publication.
   */
  public UpdateRecord continuing(long version) {
    return new UpdateRecord(number, firing, requireTraining().continuing(version), null);
  }

  /**
   * What was decided.
   *
   * @param atMillis epoch milliseconds of the wall clock
   * @param newSamples samples whose wait ended with it
   * @param replayedSamples samples that trained again
   */
  public record Firing(long atMillis, int newSamples, int replayedSamples, Grounds grounds) {}

  /**
   * What was trained.
   *
   * @param parentVersion published version that the model continues, 0 for none
   * @param seconds measured by a monotonic clock
   * @param meanLossBefore weighted mean over the rows of which it is known
   * @param meanLossAfter weighted mean over the rows under the new model
   * @param tensors where tensors were; absent if they were not placed, but all in DRAM
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Training(
      long parentVersion,
      double seconds,
      double meanLossBefore,
      double meanLossAfter,
      @Nullable TensorUse tensors) {
    private Training continuing(long version) {
      return new Training(version, seconds, meanLossBefore, meanLossAfter, tensors);
    }
  }

  /**
   * What was published.
   *
   * @param atMillis when the pointer moved, epoch milliseconds of the wall clock
   */
  public record Published(long version, long atMillis) {}
}
