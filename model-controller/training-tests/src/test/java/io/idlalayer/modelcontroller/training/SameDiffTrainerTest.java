package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A SameDiff graph. */
@Tag("natives")
final class SameDiffTrainerTest extends TrainerContract {
  @Override
  TrainingEngine engine(ModelSpec spec) {
    return Trainings.dl4jEngine(spec);
  }

  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return SameDiffGraphs.network(SameDiffGraphs.residual(schema));
  }

  @Test
  void train_otherLearningRate_goesOnWhileOtherUpdaterIsRefused() throws Exception {
    SampleSchema schema = Trainings.classes(2, 2);
    ModelSpec.Network network = network(schema, Trainings.ADAM);
    TrainingBatch batch = Trainings.batch(1, POINTS);
    ModelArtifact base;
    try (Trainer trainer = Trainings.dl4j(new ModelSpec(schema, network, Trainings.ADAM, true))) {
      base = trainer.train(new TrainingRequest(null, batch, 7)).model();
    }
    ModelSpec.Fit slower = new ModelSpec.Fit(32, 1, ModelSpec.Updater.ADAM, 1e-4, 0);
    try (Trainer trainer = Trainings.dl4j(new ModelSpec(schema, network, slower, true))) {
      assertThat(trainer.train(new TrainingRequest(base, batch, 7)).meanLossAfter())
          .isLessThan(0.3);
    }
    ModelSpec.Fit other = new ModelSpec.Fit(32, 1, ModelSpec.Updater.SGD, 1e-4, 0);
    try (Trainer trainer = Trainings.dl4j(new ModelSpec(schema, network, other, true))) {
      assertThatThrownBy(() -> trainer.train(new TrainingRequest(base, batch, 7)))
          .hasMessageContaining("the base model cannot be used")
          .hasMessageContaining("training.updater");
    }
  }

  @Test
  void train_manyTimes_nativeMemoryStaysBounded() throws Exception {
    ModelSpec.Fit fit = new ModelSpec.Fit(50, 4, ModelSpec.Updater.ADAM, 0.01, 0);
    SampleSchema schema = Trainings.classes(2, 2);
    ModelSpec spec = new ModelSpec(schema, network(schema, fit), fit, true);
    TrainingBatch batch = Trainings.batch(1, POINTS.subList(0, 50));
    long before = 0;
    for (int i = 0; i < 60; i++) {
      try (Trainer trainer = Trainings.dl4j(spec)) {
        TrainingResult result = trainer.train(new TrainingRequest(null, batch, 7));
        Dl4jModel.load(result.model()).close();
      }
      if (i == 20) {
        Garbage.collect();
        before = Pointer.physicalBytes();
      }
    }
    Garbage.collect();
    assertThat(Pointer.physicalBytes() - before).isLessThan(64L << 20);
  }
}
