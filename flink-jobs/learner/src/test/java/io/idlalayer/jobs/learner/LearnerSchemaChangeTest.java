package io.idlalayer.jobs.learner;

import static io.idlalayer.jobs.learner.SchemaChangeWorld.last;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.notices;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.received;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.comparison.ComparisonSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner whose application file changes its features between two starts. */
final class LearnerSchemaChangeTest {
  private static final int EVENTS = 100;

  /** The last events of a run are not trained before it stops. */
  private static final int UPDATE_EVERY = 30;

  private static final int KEPT = 100;

  @TempDir Path folder;
  private SchemaChangeWorld world;
  private final SplittableRandom random = new SplittableRandom(5);

  @BeforeEach
  void open() {
    world = new SchemaChangeWorld(folder);
  }

  private ComparisonSettings comparison = ComparisonSettings.NONE;

  /** Time between two publications, in seconds. */
  private double every;

  private ApplicationSettings settings(String... features) {
    List<String> columns = new ArrayList<>(Arrays.stream(features).sorted().toList());
    columns.add("y");
    ApplicationSettings plain =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(UPDATE_EVERY)),
            DataSettings.defaults());
    return LearnerSettings.learning(
            LearnerSettings.publishingEvery(plain, every, KEPT),
            new SampleSchema(
                columns,
                Arrays.stream(features).map(SampleSchema.DenseFeature::of).toList(),
                List.of(),
                new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
                null),
            new ModelSpec.Network.Mlp(List.of(8)),
            new ModelSpec.Fit(16, 2, ModelSpec.Updater.ADAM, 0.01, 0))
        .with(comparison);
  }

  private VirtualTimeLearner start(FakeLearnerState from, String... features) throws Exception {
    return world.start(from, settings(features));
  }

  private Sample sample(int width) {
    double[] dense = new double[width];
    for (int i = 0; i < width; i++) {
      dense[i] = random.nextDouble();
    }
    return Sample.of(dense, dense[width - 1] > 0.5 ? 1 : 0);
  }

  private void learn(VirtualTimeLearner learner, int events) throws Exception {
    int width = learner.settings.input().schema().denseWidth();
    for (int i = 0; i < events; i++) {
      Sample sample = sample(width);
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(10);
    }
  }

  private void assertStored(int samples, int width) throws Exception {
    assertThat(world.stored())
        .hasSize(samples)
        .allSatisfy(sample -> assertThat(sample.dense()).hasSize(width));
  }

  @Test
  void sampleThatKilledTheProcess_underOtherFeatures_isNotTrainedEither() throws Exception {
    Sample deadly = sample(2);
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      two.arrive(deadly, ContentHasher.of(deadly));
      learn(two, UPDATE_EVERY / 2);
      world.stop(two);
    }
    FakeAttemptStore attempts = new FakeAttemptStore(() -> false);
    attempts.giveUp(ContentHasher.of(deadly));
    try (VirtualTimeLearner three =
        world.start(
            world.state,
            settings("a", "c", "b"),
            learner -> {
              learner.attempts = attempts;
              return learner;
            })) {
      learn(three, UPDATE_EVERY);
      world.stop(three);
      assertThat(SchemaChangeWorld.last(three).samples().quarantined()).isOne();
    }
    assertThat(attempts.givenUp()).hasSize(2).contains(ContentHasher.of(deadly));
  }

  @Test
  void newFeature_whileVersionsAreCompared_beginsAnotherComparison() throws Exception {
    comparison = new ComparisonSettings(EVENTS / 2);
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      learn(two, EVENTS);
      world.stop(two);
      ComparedVersions before = SchemaChangeWorld.last(two).compared();
      assertThat(before.once().learned()).isEqualTo(2 * UPDATE_EVERY);
      assertThat(before.samples()).isPositive();
    }
    try (VirtualTimeLearner three = start(world.state, "a", "c", "b")) {
      assertThat(SchemaChangeWorld.last(three).compared()).isNull();
      learn(three, EVENTS);
      world.stop(three);
      ComparedVersions after = SchemaChangeWorld.last(three).compared();
      assertThat(after.once().learned()).isGreaterThan(EVENTS);
      assertThat(after.samples()).isPositive();
    }
  }

  @Test
  void newFeature_atARestart_learnsOnWithEverythingFromBefore() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      learn(two, EVENTS);
      world.stop(two);
    }
    int before = world.versions().size();
    assertThat(before).isPositive();
    long trained = world.versions().get(before - 1).counts().get("trainedNewSamples");
    assertThat(trained).isEqualTo(90);

    try (VirtualTimeLearner three = start(world.state, "a", "c", "b")) {
      assertThat(notices(three))
          .containsExactly(
              "the application file has changed: added feature c; 100 stored samples go on with"
                  + " it");
      learn(three, EVENTS);
      world.stop(three);
      assertThat(received(three)).isEqualTo(2 * EVENTS);
      assertThat(last(three).trainedNewSamples()).isEqualTo(180);
    }
    assertStored(2 * EVENTS, 3);
    world.assertChained();
    List<ModelManifest> all = world.versions();
    assertThat(all.size()).isGreaterThan(before + 1);
    for (int i = 0; i < all.size(); i++) {
      String expected = i == before ? "added feature c" : null;
      assertThat(all.get(i).attributes().get(VersionDrafts.SCHEMA)).isEqualTo(expected);
    }
    for (ModelCheckpoint version : world.store.list("app", 0)) {
      int width = version.manifest().version() <= before ? 2 : 3;
      assertThat(
              new PlainModelLoader().load(world.store, version).predict(List.of(sample(width)))[0])
          .as("each version predicts from its own features")
          .hasSize(2);
    }

    try (VirtualTimeLearner again = start(world.state, "a", "c", "b")) {
      assertThat(notices(again)).isEmpty();
      learn(again, EVENTS);
      world.stop(again);
    }
    try (VirtualTimeLearner back = start(world.state, "b", "a")) {
      assertThat(notices(back))
          .singleElement()
          .asString()
          .contains("removed feature c; other order of features; 300 stored samples");
      learn(back, EVENTS);
      world.stop(back);
      assertThat(received(back)).isEqualTo(4 * EVENTS);
    }
    assertStored(4 * EVENTS, 2);
    world.assertChained();
  }

  /** Whatever happens before the first checkpoint has not happened. */
  @Test
  void crash_beforeTheFirstCheckpoint_convertsTheSameAgain() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      learn(two, EVENTS);
      world.stop(two);
    }
    FakeLearnerState savepoint = world.state;
    try (VirtualTimeLearner killed = start(savepoint.copy(), "a", "b", "c")) {
      learn(killed, 5);
    }
    try (VirtualTimeLearner three = start(savepoint.copy(), "a", "b", "c")) {
      assertThat(notices(three)).singleElement().asString().contains("100 stored samples");
      learn(three, EVENTS);
      world.stop(three);
      assertThat(last(three).trainedNewSamples()).isEqualTo(180);
    }
    world.assertChained();
    world.position = EVENTS;
    try (VirtualTimeLearner old = start(savepoint.copy(), "a", "b")) {
      assertThat(notices(old)).isEmpty();
      learn(old, EVENTS);
      old.pass(2_000);
      assertThat(received(old)).isEqualTo(2 * EVENTS);
    }
  }

  @Test
  void modelThatWaitsForItsPublication_isPublishedWithTheNewFeatures() throws Exception {
    every = 1_000;
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      learn(two, EVENTS);
      world.stop(two);
    }
    assertThat(world.versions()).hasSize(1);
    try (VirtualTimeLearner three = start(world.state, "c", "a", "b")) {
      three.pass(100);
    }
    assertThat(world.versions()).hasSize(2);
    ModelCheckpoint published = world.store.list("app", 0).get(1);
    assertThat(published.manifest().counts()).containsEntry("updateNumber", 3L);
    assertThat(published.manifest().attributes())
        .containsEntry(VersionDrafts.SCHEMA, "added feature c");
    assertThat(new PlainModelLoader().load(world.store, published).predict(List.of(sample(3)))[0])
        .hasSize(2);
    world.assertChained();
  }

  @Test
  void otherFeatures_ofWhichNoneIsLeft_areRefused() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      learn(two, EVENTS);
      world.stop(two);
    }
    assertThatThrownBy(() -> start(world.state, "A", "B"))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("input.features: [a, b] before, [A, B] now")
        .hasMessageContaining("none of the features from before is left");
    assertStored(EVENTS, 2);
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      assertThat(notices(two)).isEmpty();
    }
  }

  /** In another order, the numbers of an event are those of another one from before. */
  @Test
  void otherOrder_ofFeatures_takesNoEventForARepetitionOfAnother() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "a", "b")) {
      arrive(two, 1, 2);
      world.stop(two);
    }
    try (VirtualTimeLearner other = start(world.state, "b", "a")) {
      arrive(other, 1, 2);
      assertThat(frequencies(other)).containsExactly(1, 1);
      arrive(other, 2, 1);
      assertThat(frequencies(other)).as("b is 2 and a is 1").containsExactly(1, 1, 2);
      world.stop(other);
    }
  }

  private static void arrive(VirtualTimeLearner learner, double... dense) throws Exception {
    Sample sample = Sample.of(dense, 0);
    learner.arrive(sample, ContentHasher.of(sample));
  }

  private static List<Integer> frequencies(VirtualTimeLearner learner) {
    List<Integer> frequencies = new ArrayList<>();
    learner
        .state
        .samples()
        .forEachMetadata((id, metadata) -> frequencies.add(metadata.lifecycle().frequency()));
    return frequencies;
  }
}
