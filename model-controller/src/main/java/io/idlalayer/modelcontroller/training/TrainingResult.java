package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Contribution;
import java.util.List;

/**
 * What a training produced.
 *
 * @param contributions one per row of the batch, in its order
 * @param trainSeconds duration by a monotonic clock, from request to finished artifact
 * @param steps mini-batches fitted
 * @param meanLossBefore weighted mean over the rows
 * @param meanLossAfter weighted mean over the rows under the new model
 */
public record TrainingResult(
    ModelArtifact model,
    List<Contribution> contributions,
    double trainSeconds,
    int steps,
    double meanLossBefore,
    double meanLossAfter) {
  public TrainingResult {
    contributions = List.copyOf(contributions);
  }
}
