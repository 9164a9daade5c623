package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole learners with real networks learn one model. */
final class MixedLearnersTest {
  private static final int EVENTS = 1_600;

  /** Milliseconds of a round from which no version comes within a test. */
  private static final long NEVER_MILLIS = 1L << 40;

  @TempDir Path folder;

  private ApplicationSettings settings() throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        """
        name: app
        partitions: 2
        mixing: {action: average}
        input: {features: [x, y], label: up, classes: 2}
        model: {hidden: [8], members: 2}
        training: {learning-rate: 0.01}
        update: {rule: count, count: 64}
        """);
  }

  private static void learn(MixedLearners learners, boolean restarts) throws Exception {
    Random random = new Random(3);
    for (int i = 0; i < EVENTS; i++) {
      double x = random.nextGaussian();
      double y = 5 + 3 * random.nextGaussian();
      learners.arrive(i % 2, Sample.of(new double[] {x, y}, x + (y - 5) / 3 > 0 ? 1 : 0));
      learners.pass(2);
      if (restarts && i % 400 == 399) {
        learners.restart(i / 400 % 2);
      }
    }
    learners.end();
  }

  private static void assertOneModel(MixedLearners learners) throws Exception {
    float[] mixed = ModelMix.parameters(learners.mixed());
    for (int p = 0; p < 2; p++) {
      ModelArtifact model = Objects.requireNonNull(learners.learner(p).model());
      assertThat(ModelMix.parameters(model.files())).containsExactly(mixed);
      assertThat(model.files().get(ModelArtifact.SCALER_FILE))
          .isEqualTo(learners.mixed().get(ModelArtifact.SCALER_FILE));
      assertThat(learners.said(p, DecisionEvent.Type.FINISHED)).isEqualTo(1);
      assertThat(learners.status(p).trainedNewSamples()).isEqualTo(EVENTS / 2);
      assertThat(learners.status(p).modelVersion()).isEqualTo(learners.versions());
      assertThat(learners.status(p).prequential().classification().accuracy()).isGreaterThan(0.8);
    }
  }

  @Test
  void learn_twoLearners_endWithOneModel() throws Exception {
    try (MixedLearners learners = new MixedLearners(settings(), 0.001, 0.00002, 20)) {
      learn(learners, false);
      assertThat(learners.versions()).isGreaterThan(8);
      assertThat(learners.said(0, DecisionEvent.Type.MIXED)).isGreaterThan(5);
      assertThat(learners.said(0, DecisionEvent.Type.DROPPED)).isZero();
      assertOneModel(learners);
    }
  }

  @Test
  void learn_learnersThatStartAgain_endWithOneModel() throws Exception {
    try (MixedLearners learners = new MixedLearners(settings(), 0.001, 0.00002, 20)) {
      learn(learners, true);
      assertOneModel(learners);
    }
  }

  @Test
  void learn_restoredContributionThatIsOpen_isTheOnlyOneAsLongAsAFreshOne() throws Exception {
    try (MixedLearners learners = new MixedLearners(settings(), 0.001, 0.00002, NEVER_MILLIS)) {
      train(learners);
      assertThat(learners.contributions(0)).isEqualTo(1);
      train(learners);
      assertThat(learners.contributions(0)).as("a fresh one is open").isEqualTo(1);
      learners.restart(0);
      train(learners);
      assertThat(learners.contributions(0)).as("the restored one is open").isEqualTo(1);
      assertThat(learners.said(0, DecisionEvent.Type.DROPPED)).isZero();
      learners.pass(MixedLearning.LEAST_OPEN_MILLIS);
      train(learners);
      assertThat(learners.contributions(0)).as("nothing has contained it in time").isEqualTo(2);
      assertThat(learners.said(0, DecisionEvent.Type.DROPPED)).isEqualTo(1);
    }
  }

  /** The second learner joins when it has learned all its events. */
  @Test
  void learn_learnerThatJoinsAndLearnsNothingMore_contributesItsRows() throws Exception {
    ApplicationSettings settings =
        ApplicationFiles.read(
            folder.resolve("tables.yaml"),
            """
            name: app
            partitions: 2
            mixing: {action: average, partition-by: user}
            input: {features: [x], ids: [user], label: up, classes: 2}
            model: {type: dlrm}
            embeddings: {dim: 3}
            update: {rule: count, count: 64}
            """);
    KeyRanges ranges = KeyRanges.ofTable("user", 2);
    MemoryRows rows = new MemoryRows(Files.createDirectory(folder.resolve("rows")), false);
    try (MixedLearners learners = new MixedLearners(settings, 0.001, 0.00002, 20, rows)) {
      List<Long> users = LongStream.range(2, 400).boxed().toList();
      List<Long> first = users.stream().filter(user -> ranges.of(user) == 0).toList();
      List<Long> second = users.stream().filter(user -> ranges.of(user) == 1).toList();
      for (int i = 0; i < first.size(); i++) {
        learners.arrive(0, sample(first.get(i)));
        if (i < 64) {
          learners.arrive(1, sample(second.get(i)));
        }
        learners.pass(2);
      }
      learners.end();
      ModelCheckpoint served = learners.served().orElseThrow();
      Map<Long, String> union = new TreeMap<>();
      for (int p = 0; p < 2; p++) {
        int partition = p;
        ModelCheckpoint last = Objects.requireNonNull(learners.contribution(p));
        assertThat(MixedVersion.of(served.manifest()).orElseThrow().of(p).orElseThrow().digest())
            .as("what the version has of partition %d", p)
            .isEqualTo(last.digest());
        Map<Long, String> own = rows.texts(last);
        assertThat(own.keySet())
            .hasSize(p == 0 ? first.size() : 64)
            .allMatch(key -> ranges.of(key) == partition);
        union.putAll(own);
      }
      assertThat(rows.texts(served)).isEqualTo(union);
      assertThat(learners.status(1).mixing().adopted()).isPositive();
    }
    assertThat(folder.resolve("rows")).isEmptyDirectory();
  }

  private static Sample sample(long user) {
    return new Sample("", new double[] {1}, new int[0], IdLists.single(user), user % 2);
  }

  /** Learner 0 trains a few updates, in less than a second. */
  private static void train(MixedLearners learners) throws Exception {
    for (int i = 0; i < 200; i++) {
      learners.arrive(0, Sample.of(new double[] {i, -i}, i % 2));
      learners.pass(2);
    }
  }
}
