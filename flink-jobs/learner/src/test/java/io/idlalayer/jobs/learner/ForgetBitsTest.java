package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a learner has after it has forgotten samples is, bit for bit, what another trainer has that
 * trains all logged updates without these samples, from a new network on.
 */
final class ForgetBitsTest {
  private static final int UPDATES = 24;
  private static final int SAMPLES = 16;

  private final List<TrainingRequest> requests = new ArrayList<>();

  /** Remembers what was trained. */
  private record Remembering(Trainer trainer, List<TrainingRequest> requests) implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException {
      requests.add(request);
      return trainer.train(request);
    }

    @Override
    public void close() {
      trainer.close();
    }
  }

  private static ApplicationSettings settings(int anchors, double dropout) {
    return LearnerSettings.learning(
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10),
            DataSettings.defaults().with(new ForgetSettings(40_000, anchors))),
        new SampleSchema(
            List.of("x", "y", "label", "id"),
            List.of(SampleSchema.DenseFeature.of("x"), SampleSchema.DenseFeature.of("y")),
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            "id"),
        new ModelSpec.Network.Mlp(List.of(8)),
        new ModelSpec.Fit(8, 2, ModelSpec.Updater.ADAM, 0.01, dropout));
  }

  private static Trainer trainer(ApplicationSettings settings) {
    return EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new)
        .trainer(settings.name(), false);
  }

  /** Trains everything that was trained before again, without some samples. */
  private static ModelArtifact fresh(
      ApplicationSettings settings, List<TrainingRequest> all, Set<Long> without) throws Exception {
    ModelArtifact model = null;
    try (Trainer trainer = trainer(settings)) {
      for (TrainingRequest each : all) {
        List<TrainingRow> rows =
            each.batch().rows().stream().filter(row -> !without.contains(row.sampleId())).toList();
        TrainingBatch batch = new TrainingBatch(each.batch().updateNumber(), rows);
        model = trainer.train(new TrainingRequest(model, batch, each.seed())).model();
      }
    }
    return Objects.requireNonNull(model);
  }

  @ParameterizedTest
  @CsvSource({"8, 370, 0, 1", "8, 200, 0.2, 1", "3, 5, 0, 1", "4, 300, 0, 12", "8, 384, 0, 1"})
  void forget_samples_hasTheBitsOfATrainerThatNeverSawThem(
      int anchors, int first, double dropout, int count) throws Exception {
    ApplicationSettings settings = settings(anchors, dropout);
    Random random = new Random(first);
    try (VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings, () -> new Remembering(trainer(settings), requests), Dl4jModel::load)
            .trainingSeconds(0.01, 0.0001)
            .open()) {
      for (int update = 0; update < UPDATES; update++) {
        for (int i = 1; i <= SAMPLES; i++) {
          double x = random.nextGaussian() * (1 + update);
          double y = random.nextGaussian();
          Sample sample =
              new Sample(
                  "s" + (update * SAMPLES + i), new double[] {x, y}, new int[0], x * y > 0 ? 1 : 0);
          learner.arrive(sample, ContentHasher.of(sample));
        }
        learner.train();
        learner.pass(1_000);
      }
      List<TrainingRequest> trained = List.copyOf(requests);
      assertThat(trained).hasSize(UPDATES);
      Set<Long> forgotten = new HashSet<>();
      for (int i = 0; i < count; i++) {
        forgotten.add((long) first + i);
        learner.forget("s" + (first + i));
      }
      byte[] before = files(learner).get(ModelArtifact.NETWORK_FILE);
      learner.pass(20_000);

      assertThat(learner.said(DecisionEvent.Type.FORGOTTEN)).hasSize(1);
      assertThat(requests.size() - trained.size()).isBetween(1, UPDATES);
      ModelArtifact expected = fresh(settings, trained, forgotten);
      for (String file :
          List.of(ModelArtifact.NETWORK_FILE, ModelArtifact.SCALER_FILE, ModelArtifact.SPEC_FILE)) {
        assertThat(files(learner).get(file)).as(file).isEqualTo(expected.files().get(file));
      }
      assertThat(before)
          .as("the sample had changed it")
          .isNotEqualTo(expected.files().get(ModelArtifact.NETWORK_FILE));
    }
  }

  private static SortedMap<String, byte[]> files(VirtualTimeLearner learner) {
    return Objects.requireNonNull(LearnerWorld.accepted(learner.written())).artifact().files();
  }
}
