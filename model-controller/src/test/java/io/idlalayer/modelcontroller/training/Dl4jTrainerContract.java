package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.placed.TensorPlacement;
import io.idlalayer.modelcontroller.training.placed.TensorSettings;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import io.idlalayer.modelloader.artifact.ModelSpec;
import io.idlalayer.modelloader.artifact.ModelSpec.Updater;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Deeplearning4j promises besides: its tensors can be placed. */
abstract class Dl4jTrainerContract extends TrainerContract {
  @Override
  final TrainingEngine engine(ModelSpec spec) {
    return new Dl4jEngine(spec);
  }

  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      names = {"ALL_SLOW", "FIRST_TOUCH", "CACHED_ARRAYS_LMP", "CACHED_ARRAYS"})
  void train_placedTensors_changeNoByte(PlacementName policy) throws Exception {
    ModelSpec spec = spec(CLASSES, new ModelSpec.Fit(32, 2, Updater.ADAM, 0.01, 1e-3));
    TensorSettings memory = new TensorSettings(1 << 14, folder, 1 << 22, policy);
    List<TrainingResult> placed = twoUpdates(spec, memory);
    List<TrainingResult> plain = twoUpdates(spec, null);
    for (int i = 0; i < plain.size(); i++) {
      assertSameBytes(placed.get(i).model(), plain.get(i).model());
      assertThat(placed.get(i).contributions()).isEqualTo(plain.get(i).contributions());
      assertThat(Objects.requireNonNull(placed.get(i).traffic()).kernels()).isPositive();
    }
  }

  /** With a second network, and with new and known rows of different weights. */
  private static List<TrainingResult> twoUpdates(
      ModelSpec spec, @Nullable TensorPlacement placement) throws Exception {
    List<TrainingResult> results = new ArrayList<>();
    try (Trainer trainer = Trainings.dl4j(spec, true, placement)) {
      ModelArtifact base = null;
      for (int update = 1; update <= 2; update++) {
        List<TrainingRow> rows = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
          rows.add(Trainings.row(1000 * update + i, POINTS.get(update * 150 + i - 150), 1 + i % 3));
        }
        TrainingResult result = train(trainer, base, new TrainingBatch(update, rows));
        results.add(result);
        base = result.model();
      }
    }
    return results;
  }
}
