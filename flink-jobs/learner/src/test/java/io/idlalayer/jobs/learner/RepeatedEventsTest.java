package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Clicks of few contents and without ids, as many as there are: base rates are learned. */
final class RepeatedEventsTest {
  private static final double[] SHARES = {0.101, 0.594};
  private static final int CLICKS = 4_000;

  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of("site", "clicked"),
          List.of(),
          List.of(new SampleSchema.CategoricalFeature("site", 4)),
          new SampleSchema.Label("clicked", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
          null);

  private static Sample click(int site, double label) {
    return new Sample("", new double[0], new int[] {site + 1}, IdLists.NONE, label);
  }

  @Test
  void arrive_clicksOfFourContents_learnHowOftenEachCame() throws Exception {
    ApplicationSettings settings =
        LearnerSettings.learning(
            LearnerSimulation.settings(UpdateSettings.defaults(), DataSettings.defaults()),
            SCHEMA,
            new ModelSpec.Network.Mlp(List.of(8)),
            new ModelSpec.Fit(32, 2, ModelSpec.Updater.ADAM, 0.003, 0));
    SplittableRandom random = new SplittableRandom(3);
    try (VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings,
                () ->
                    EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new)
                        .trainer(settings.name(), false),
                Dl4jModel::load)
            .trainingSeconds(0.01, 0.0001)
            .open()) {
      for (int i = 0; i < CLICKS; i++) {
        int site = random.nextInt(2);
        Sample sample = click(site, random.nextDouble() < SHARES[site] ? 1 : 0);
        learner.arrive(sample, ContentHasher.of(sample));
        learner.pass(2);
      }
      learner.end();
      learner.pass(60_000);
      assertThat(learner.last().status().trainedNewSamples()).isEqualTo(CLICKS);
      assertThat(learner.last().status().samples().duplicates()).isZero();
      for (int site = 0; site < SHARES.length; site++) {
        assertThat(probability(learner, click(site, Sample.NO_LABEL)))
            .as("site %d", site)
            .isCloseTo(SHARES[site], within(0.06));
      }
    }
  }

  private static double probability(VirtualTimeLearner learner, Sample sample) throws Exception {
    try (Dl4jModel model =
        Dl4jModel.load(
            Objects.requireNonNull(LearnerWorld.accepted(learner.written())).artifact())) {
      return model.predict(List.of(sample))[0][1];
    }
  }
}
