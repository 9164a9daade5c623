package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Updater;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Trainings whose losses before and after were counted by different scales: a unit that changes is
 * no divergence, and a divergence is one whatever the unit does.
 */
final class ScaleChangeTrainingTest {
  private static final ModelSpec SANE =
      Trainings.mlp(Trainings.target(2), new ModelSpec.Fit(32, 2, Updater.ADAM, 0.001, 0));

  /** Explodes, and stays finite. */
  private static final ModelSpec ABSURD =
      Trainings.mlp(Trainings.target(2), new ModelSpec.Fit(32, 2, Updater.ADAM, 30, 0));

  private static NetworkTrainer trainer(ModelSpec spec) {
    return new NetworkTrainer(spec, false, new TapeEngine(spec, MachineKernels.best()));
  }

  private static List<Sample> samples(int count, long seed, double unit, double level) {
    return Trainings.separable(count, seed).stream()
        .map(s -> Sample.of(s.dense(), (float) (unit * (3 * s.dense()[0] + 1) + level)))
        .toList();
  }

  private static TrainingResult train(ModelSpec spec, ModelArtifact base, TrainingBatch batch)
      throws Exception {
    try (NetworkTrainer trainer = trainer(spec)) {
      return trainer.train(new TrainingRequest(base, batch, batch.updateNumber()));
    }
  }

  private static ModelArtifact base() throws Exception {
    return train(SANE, null, Trainings.batch(1, samples(600, 1, 1, 0))).model();
  }

  /** New samples that the base model was tested on, as a learner tests them. */
  private static TrainingBatch tested(ModelArtifact base, List<Sample> samples) throws Exception {
    List<TrainingRow> rows = new ArrayList<>();
    try (Dl4jModel model = Dl4jModel.load(base)) {
      float[] losses = model.losses(samples, model.predict(samples));
      for (int i = 0; i < losses.length; i++) {
        rows.add(new TrainingRow(i, i, samples.get(i), losses[i], true));
      }
    }
    return new TrainingBatch(2, rows);
  }

  private static double meanBefore(TrainingBatch batch) {
    return batch.rows().stream().mapToDouble(TrainingRow::lossBefore).average().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 1e-3, 0.02, 50, 1e3, 1e6, 1e9, -1e3})
  void train_targetOfAnotherUnit_isNoDivergence(double unit) throws Exception {
    ModelArtifact base = base();
    TrainingBatch batch = tested(base, samples(600, 2, unit, 0));
    TrainingResult result = train(SANE, base, batch);
    if (Math.abs(unit) >= 1e3) {
      assertThat(result.meanLossAfter())
          .as("the losses that the samples bring would call this a divergence")
          .isGreaterThan(50 * meanBefore(batch))
          .isGreaterThan(10);
    }
    assertThat(result.meanLossAfter())
        .as("both losses of the result are counted alike")
        .isLessThan(2 * result.meanLossBefore());
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e5, -1e6, 1e9})
  void train_targetOfAnotherLevel_isNoDivergence(double level) throws Exception {
    ModelArtifact base = base();
    TrainingResult result = train(SANE, base, tested(base, samples(600, 2, 1, level)));
    assertThat(result.meanLossAfter()).isLessThanOrEqualTo(2 * result.meanLossBefore());
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 1e-3, 1, 1e3, 1e9})
  void train_absurdRate_isADivergenceInAnyUnit(double unit) throws Exception {
    ModelArtifact base = base();
    assertExplodes(base, tested(base, samples(600, 2, unit, 0)));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 1, 1e9})
  void train_absurdRateInAnUnitThatLasts_isADivergence(double unit) throws Exception {
    ModelArtifact base = train(SANE, null, Trainings.batch(1, samples(600, 1, unit, 0))).model();
    assertExplodes(base, tested(base, samples(600, 2, unit, 0)));
  }

  private static void assertExplodes(ModelArtifact base, TrainingBatch batch) {
    assertThatThrownBy(() -> train(ABSURD, base, batch))
        .isInstanceOf(TrainingFailedException.class)
        .satisfies(
            failed ->
                assertThat(((TrainingFailedException) failed).kind())
                    .isEqualTo(TrainingFailedException.Kind.DIVERGED))
        .hasMessageContaining("the mean loss went from")
        .hasMessageContaining("learning-rate");
  }

  @ParameterizedTest
  @ValueSource(floats = {1e9f, -3e38f})
  void train_oneExtremeTarget_leavesTheScale(float extreme) throws Exception {
    ModelArtifact base = base();
    List<Sample> samples = new ArrayList<>(samples(600, 2, 1, 0));
    samples.set(300, Sample.of(samples.get(300).dense(), extreme));
    TrainingResult result = train(SANE, base, tested(base, samples));
    assertThat(result.meanLossAfter()).isLessThan(2);
  }
}
