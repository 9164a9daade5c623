package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A model that trains on with other settings of {@code training} than those it was made with. */
@Tag("natives")
final class ChangedFitTest {
  private static final List<Sample> POINTS = Trainings.separable(400, 1);

  private static TrainingResult train(ModelSpec.Fit fit, ModelArtifact base, long update)
      throws Exception {
    ModelSpec spec = Trainings.mlp(Trainings.classes(2, 2), fit);
    try (Trainer trainer = Trainings.dl4j(spec)) {
      return trainer.train(new TrainingRequest(base, Trainings.batch(update, POINTS), 7));
    }
  }

  /** Without nesterovs, whose momentum is state and carries on for a while at any rate. */
  @ParameterizedTest
  @EnumSource(
      value = ModelSpec.Updater.class,
      names = {"SGD", "ADAM"})
  void train_otherLearningRate_takesEffect(ModelSpec.Updater updater) throws Exception {
    ModelArtifact base = train(new ModelSpec.Fit(32, 1, updater, 0.01, 0), null, 1).model();
    TrainingResult still = train(new ModelSpec.Fit(32, 1, updater, 1e-12, 0), base, 2);
    TrainingResult same = train(new ModelSpec.Fit(32, 1, updater, 0.01, 0), base, 2);
    assertThat(Math.abs(same.meanLossAfter() - same.meanLossBefore())).isGreaterThan(1e-3);
    assertThat(still.meanLossAfter()).isCloseTo(still.meanLossBefore(), within(0.02));
    // And back again, with the updater's state as it was.
    TrainingResult again = train(new ModelSpec.Fit(32, 1, updater, 0.01, 0), still.model(), 3);
    assertThat(again.meanLossAfter()).isLessThan(still.meanLossAfter());
  }

  @Test
  void train_otherPenalty_takesEffect() throws Exception {
    ModelSpec.Updater sgd = ModelSpec.Updater.SGD;
    ModelArtifact base = train(new ModelSpec.Fit(32, 5, sgd, 0.1, 0), null, 1).model();
    TrainingResult free = train(new ModelSpec.Fit(32, 1, sgd, 0.01, 0), base, 2);
    TrainingResult pulled = train(new ModelSpec.Fit(32, 1, sgd, 0.01, 50), base, 2);
    assertThat(pulled.meanLossAfter()).isCloseTo(Math.log(2), within(0.05));
    assertThat(free.meanLossAfter()).isLessThan(0.5);
  }
}
