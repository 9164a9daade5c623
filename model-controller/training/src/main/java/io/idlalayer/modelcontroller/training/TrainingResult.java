package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelruntime.artifact.CoarseColumn;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a training: the new model, the contribution of each row, and measurements.
 *
 * @param contributions one contribution for each row of the batch, in the order of the batch
 * @param trainSeconds duration by a monotonic clock, from request to finished artifact
 * @param steps number of mini-batches fitted
 * @param meanLossBefore weighted mean over the rows whose loss is known; finite
 * @param meanLossAfter weighted mean over the rows; the loss of each row is measured with the new
 *     model, or right before the last step with this row; finite
 * @param traffic traffic of tensors between devices; null if tensors are not placed
 * @param rows rows of tables after the training; null if the model has no tables
 * @param coarse columns whose numbers the model cannot tell apart
 */
public record TrainingResult(
    ModelArtifact model,
    List<Contribution> contributions,
    double trainSeconds,
    int steps,
    double meanLossBefore,
    double meanLossAfter,
    @Nullable TensorTraffic traffic,
    @Nullable RowBatch rows,
    List<CoarseColumn> coarse) {
  public TrainingResult {
    contributions = List.copyOf(contributions);
    coarse = List.copyOf(coarse);
  }

  /** Creates the result for a model without tables. */
  public TrainingResult(
      ModelArtifact model,
      List<Contribution> contributions,
      double trainSeconds,
      int steps,
      double meanLossBefore,
      double meanLossAfter,
      @Nullable TensorTraffic traffic) {
    this(
        model,
        contributions,
        trainSeconds,
        steps,
        meanLossBefore,
        meanLossAfter,
        traffic,
        null,
        List.of());
  }

  /** Returns this result with another duration. */
  public TrainingResult withTrainSeconds(double seconds) {
    return new TrainingResult(
        model, contributions, seconds, steps, meanLossBefore, meanLossAfter, traffic, rows, coarse);
  }
}
