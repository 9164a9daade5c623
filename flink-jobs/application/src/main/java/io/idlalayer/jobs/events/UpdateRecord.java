package io.idlalayer.jobs.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The record of one update: its decision, its training, its publication. A part that has not
 * happened is absent. The learner's state, the decision topic, the report and the manifest all
 * contain this record.
 *
 * @param number number of the update, from 1, without gaps along the lineage
 * @param training absent until the training has succeeded
 * @param published absent until the model is in service
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpdateRecord(
    long number, Firing firing, @Nullable Training training, @Nullable Published published) {

  /** Returns the record of an update that was fired. */
  public static UpdateRecord fired(long number, Firing firing) {
    return new UpdateRecord(number, firing, null, null);
  }

  /** Returns this record with the training of its update. */
  public UpdateRecord trained(Training how) {
    return new UpdateRecord(number, firing, how, null);
  }

  /**
   * Returns the training.
   *
   * @throws IllegalStateException if there is none yet
   */
  public Training requireTraining() {
    return required(training, "trained");
  }

  /**
   * Returns the publication.
   *
   * @throws IllegalStateException if there is none yet
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
   * Returns this record with a training that continues from version {@code version} and without a
   * publication.
   */
  public UpdateRecord continuing(long version) {
    return new UpdateRecord(number, firing, requireTraining().continuing(version), null);
  }

  /**
   * The decision of an update.
   *
   * @param atMillis epoch milliseconds of the wall clock
   * @param newSamples number of samples whose wait ended with this update
   * @param replayedSamples number of replayed samples
   */
  public record Firing(long atMillis, int newSamples, int replayedSamples, Grounds grounds) {}

  /**
   * The training of an update.
   *
   * @param parentVersion published version from which the model continues; 0 if there is none
   * @param seconds duration by a monotonic clock
   * @param meanLossBefore weighted mean loss over the rows whose loss is known
   * @param meanLossAfter weighted mean loss over the rows, computed with the new model
   * @param tensors placement of the tensors; absent if all of them were in DRAM
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
   * The publication of an update.
   *
   * @param atMillis time when the pointer moved, epoch milliseconds of the wall clock
   */
  public record Published(long version, long atMillis) {}
}
