package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.memory.device.DeviceLostException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a training if a part of its memory was lost during the training, together with the
 * tensors in this part.
 */
final class LostMemory {
  /** Number of losses of lent memory after which a training fails. */
  static final int MOST_LOSSES = 16;

  private static final Logger LOG = LoggerFactory.getLogger(LostMemory.class);

  private LostMemory() {}

  /** A training whose result depends only on its request. */
  @FunctionalInterface
  interface Attempt {
    TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException, IOException;
  }

  /**
   * Runs a training, and repeats the training if a part of the memory is lost. The rest of the
   * memory must have space for all tensors.
   *
   * @throws DeviceLostException if parts were lost too often
   */
  static TrainingResult repeating(TrainingRequest request, Attempt attempt)
      throws TrainingFailedException, InterruptedException, IOException {
    for (int losses = 1; ; losses++) {
      try {
        return attempt.train(request);
      } catch (DeviceLostException lost) {
        if (losses == MOST_LOSSES) {
          throw lost;
        }
        LOG.warn(
            "Update {} is trained again, because {}",
            request.batch().updateNumber(),
            lost.getMessage());
      }
    }
  }
}
