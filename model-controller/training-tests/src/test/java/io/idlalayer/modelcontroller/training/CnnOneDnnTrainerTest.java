package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The product's network of convolutions. */
@Tag("natives")
final class CnnOneDnnTrainerTest {
  private static final ModelSpec SPEC =
      new ModelSpec(
          Trainings.classes(64, 2),
          new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 16),
          Trainings.ADAM,
          false);

  @Test
  void train_rowsAndColumns_areToldApart() throws Exception {
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, SPEC, null);
    List<Sample> samples = Trainings.bars(250, 3);
    try (Trainer trainer = choice.trainer("app-0", false)) {
      TrainingResult result =
          trainer.train(new TrainingRequest(null, Trainings.batch(1, samples), 7));
      try (Dl4jModel model = Dl4jModel.load(result.model())) {
        assertThat(Trainings.accuracy(model, Trainings.bars(200, 4))).isGreaterThan(0.95);
      }
    }
  }
}
