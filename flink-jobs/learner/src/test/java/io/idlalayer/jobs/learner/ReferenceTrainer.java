package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A trainer that notes on what it was trained. It fails on culprits, and the loss of each other
 * sample falls. Its model is the list of the samples that it was trained on as new.
 */
final class ReferenceTrainer implements Trainer {
  private final List<TrainingRow> rows;

  /**
   * @param rows takes the rows of each training that does not fail
   */
  ReferenceTrainer(List<TrainingRow> rows) {
    this.rows = rows;
  }

  @Override
  public TrainingResult train(TrainingRequest request) throws TrainingFailedException {
    List<TrainingRow> batch = request.batch().rows();
    if (batch.stream().anyMatch(row -> row.sample().dense()[0] == ReferenceEvent.CULPRIT)) {
      throw new TrainingFailedException(
          TrainingFailedException.Kind.DIVERGED, "the loss became NaN", null);
    }
    rows.addAll(batch);
    List<Long> lineage = new ArrayList<>();
    if (request.base() != null) {
      lineage.addAll(FakeLineageTrainer.read(request.base()));
    }
    batch.stream().filter(TrainingRow::fresh).forEach(row -> lineage.add(row.sampleId()));
    return new TrainingResult(
        new ModelArtifact(
            new TreeMap<>(Map.of(FakeLineageTrainer.FILE, FakeLineageTrainer.file(lineage)))),
        batch.stream().map(row -> new Contribution(row.sampleId(), 1f, 0.5f)).toList(),
        0.01,
        1,
        1,
        0.5,
        null);
  }

  @Override
  public void close() {}
}
