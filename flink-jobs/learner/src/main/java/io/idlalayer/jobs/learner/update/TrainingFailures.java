package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Tells failures of one batch from those that any batch would have. */
final class TrainingFailures {
  private TrainingFailures() {}

  /**
   * Returns why a training failed, if a training of another batch might succeed; null if none
   * would.
   */
  static @Nullable String ofThisBatch(@Nullable Throwable cause) {
    if (cause instanceof TrainingFailedException failed) {
      return failed.ofThisBatch() ? failed.getMessage() : null;
    }
    boolean maybe =
        cause instanceof RuntimeException
            || cause instanceof OutOfMemoryError
            || cause instanceof TimeoutException;
    return maybe ? "the trainer failed: " + cause : null;
  }

  /** Returns which sample has a loss that is not a finite number; null if none has. */
  static @Nullable String notFinite(List<Contribution> contributions) {
    for (Contribution each : contributions) {
      if (!Float.isFinite(each.lossBefore()) || !Float.isFinite(each.lossAfter())) {
        return "sample %d has loss %s before and %s after its training"
            .formatted(each.sampleId(), each.lossBefore(), each.lossAfter());
      }
    }
    return null;
  }
}
