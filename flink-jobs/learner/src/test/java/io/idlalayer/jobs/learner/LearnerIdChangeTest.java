package io.idlalayer.jobs.learner;

import static io.idlalayer.jobs.learner.GateScenario.holds;
import static io.idlalayer.jobs.learner.GateScenario.inService;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.last;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.notices;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A learner whose application file changes its id features between two starts. */
final class LearnerIdChangeTest {
  private static final int EVENTS = 300;
  private static final int UPDATE_EVERY = 50;
  private static final int KEPT = 100;
  private static final int USERS = 20;
  private static final int DIM = 3;

  /** So few that an update changes few rows. */
  private static final int REPLAYED = 4;

  @TempDir Path folder;
  private SchemaChangeWorld world;
  private final SplittableRandom random = new SplittableRandom(5);
  private ModelSpec.Network network = new ModelSpec.Network.Mlp(List.of(8));
  private @Nullable GateSettings gate;
  private int arrived;

  @BeforeEach
  void open() {
    world = new SchemaChangeWorld(folder);
  }

  static List<ModelSpec.Network> networks() {
    return List.of(
        new ModelSpec.Network.Mlp(List.of(8)),
        new ModelSpec.Network.Dlrm(List.of(8), List.of(8)),
        new ModelSpec.Network.WideAndDeep(List.of(8)));
  }

  private ApplicationSettings settings(String... ids) {
    ApplicationSettings plain =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(UPDATE_EVERY)),
            new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, REPLAYED),
                10_000,
                1 << 20,
                1_000));
    List<IdFeature> features = new ArrayList<>();
    List<ModelSpec.Table> tables = new ArrayList<>();
    List<ModelSpec.Use> uses = new ArrayList<>();
    for (String id : ids) {
      uses.add(new ModelSpec.Use(tables.size(), IdPooling.SUM));
      features.add(new IdFeature(id, 1));
      tables.add(new ModelSpec.Table(id, DIM));
    }
    ApplicationSettings settings =
        LearnerSettings.withTables(
            plain,
            features,
            network,
            new ModelSpec.Fit(16, 2, ModelSpec.Updater.ADAM, 0.02, 0),
            new ModelSpec.Embeddings(
                tables, uses, new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.3, 0.1)),
            new RowSettings(2_000, RowPolicyName.FREQUENCY, 1, 10_000, Expiry.NEVER));
    GateSettings compared = gate;
    return LearnerSettings.withoutReferences(
        compared == null
            ? LearnerSettings.published(settings, ApplicationSettings.Publishing.of(null, KEPT))
            : LearnerSettings.gated(settings, KEPT, compared));
  }

  private VirtualTimeLearner start(FakeLearnerState from, String... ids) throws Exception {
    return world.start(from, settings(ids));
  }

  /** A sample whose user tells its class, whatever other ids it has. */
  private static Sample sample(List<IdFeature> ids, String id, double number, int user, int other) {
    long[] keys =
        ids.stream().mapToLong(each -> 2L + (each.name().equals("user") ? user : other)).toArray();
    return new Sample(id, new double[] {number}, new int[0], IdLists.single(keys), user % 2);
  }

  private void learn(VirtualTimeLearner learner, int events) throws Exception {
    learn(learner, events, USERS);
  }

  private void learn(VirtualTimeLearner learner, int events, int users) throws Exception {
    List<IdFeature> ids = learner.settings.input().schema().ids();
    for (int i = 0; i < events; i++) {
      Sample sample =
          sample(
              ids,
              "e" + arrived++,
              random.nextDouble(),
              random.nextInt(users),
              random.nextInt(USERS));
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(10);
    }
  }

  private static String kind(ModelManifest version) {
    return version.attributes().getOrDefault(ModelManifest.ROWS, "none");
  }

  private ModelSubscriber<PlainModel> subscriber() throws Exception {
    return new ModelSubscriber<>(
        new ModelSubscriber.Subscription(world.store, "app", 0, Duration.ofSeconds(1)),
        new PlainModelLoader(),
        InstantSource.system());
  }

  /** What a process that follows the versions predicts now. */
  private double[] followed(ModelSubscriber<PlainModel> subscriber) throws Exception {
    subscriber.refresh();
    assertThat(subscriber.lastError()).isEmpty();
    assertThat(subscriber.current().orElseThrow().manifest().version())
        .isEqualTo(world.store.current("app", 0).orElseThrow().manifest().version());
    try (ModelLease<PlainModel> lease = subscriber.acquire()) {
      return predicted(lease.model());
    }
  }

  private static double[] predicted(PlainModel model) {
    List<Sample> samples = new ArrayList<>();
    for (int user = 0; user < USERS; user++) {
      samples.add(sample(model.spec().schema().ids(), "", 0.5, user, 7));
    }
    return Arrays.stream(model.predict(samples)).mapToDouble(each -> each[1]).toArray();
  }

  private static double accuracy(double[] predicted) {
    int right = 0;
    for (int user = 0; user < predicted.length; user++) {
      right += (predicted[user] > 0.5) == (user % 2 == 1) ? 1 : 0;
    }
    return (double) right / predicted.length;
  }

  @ParameterizedTest
  @MethodSource("networks")
  void newIdFeature_atARestart_learnsOnWithTheRowsOfTheOthers(ModelSpec.Network of)
      throws Exception {
    network = of;
    try (ModelSubscriber<PlainModel> subscriber = subscriber()) {
      try (VirtualTimeLearner one = start(world.state, "user")) {
        learn(one, EVENTS);
        // A few rows change, and these are published as changes.
        learn(one, 2 * UPDATE_EVERY, 2);
        world.stop(one);
      }
      int before = world.versions().size();
      assertThat(kind(world.versions().get(before - 1))).isEqualTo(ModelManifest.ROW_CHANGES);
      double[] known = followed(subscriber);
      assertThat(accuracy(known)).isGreaterThan(0.9);

      try (VirtualTimeLearner two = start(world.state, "item", "user")) {
        assertThat(notices(two))
            .containsExactly(
                "the application file has changed: added feature item; 400 stored samples go on"
                    + " with it");
        assertThat(Objects.requireNonNull(last(two).tables()).rows()).isEqualTo(USERS);
        learn(two, UPDATE_EVERY, 2);
        world.stop(two);
        assertThat(followed(subscriber)).as("the first version after the change").isNotNull();
        learn(two, 2 * UPDATE_EVERY, 2);
        world.stop(two);
      }
      world.assertChained();
      List<ModelManifest> all = world.versions();
      assertThat(kind(all.get(before))).as("all rows").isEqualTo(ModelManifest.FULL_ROWS);
      assertThat(all.get(before).attributes())
          .containsEntry(VersionDrafts.SCHEMA, "added feature item");
      assertThat(accuracy(followed(subscriber))).isGreaterThan(0.9);
      assertLoads();

      try (VirtualTimeLearner back = start(world.state, "user")) {
        assertThat(notices(back)).singleElement().asString().contains("removed feature item");
        learn(back, UPDATE_EVERY, 2);
        world.stop(back);
        assertThat(Objects.requireNonNull(last(back).tables()).rows()).isEqualTo(USERS);
      }
      List<ModelManifest> late = world.versions();
      assertThat(kind(late.get(all.size()))).isEqualTo(ModelManifest.FULL_ROWS);
      assertThat(accuracy(followed(subscriber))).isGreaterThan(0.8);
      world.assertChained();
      assertLoads();
    }
  }

  /** Every version can be loaded without those that were in service before it. */
  private void assertLoads() throws Exception {
    for (ModelCheckpoint version : world.store.list("app", 0)) {
      assertThat(predicted(new PlainModelLoader().load(world.store, version))).hasSize(USERS);
    }
  }

  @Test
  void allIdFeatures_thatComeAndGo_leaveAModel() throws Exception {
    try (VirtualTimeLearner none = start(world.state)) {
      learn(none, EVENTS);
      world.stop(none);
    }
    try (VirtualTimeLearner one = start(world.state, "user")) {
      assertThat(notices(one)).singleElement().asString().contains("added feature user");
      learn(one, 2 * EVENTS);
      world.stop(one);
    }
    ModelCheckpoint with = world.store.current("app", 0).orElseThrow();
    assertThat(accuracy(predicted(new PlainModelLoader().load(world.store, with))))
        .isGreaterThan(0.9);
    try (VirtualTimeLearner none = start(world.state)) {
      assertThat(last(none).tables()).isNull();
      learn(none, EVENTS);
      world.stop(none);
    }
    assertThat(kind(world.store.current("app", 0).orElseThrow().manifest())).isEqualTo("none");
    assertThat(world.state.rows().rows().hasNext()).as("no row is left").isFalse();
    world.assertChained();
    assertLoads();
  }

  /** The rows of the version before have the name of the table, but none of them is left. */
  @Test
  void idFeature_thatGoesAndComesAgainAtOnce_hasNoRowFromBefore() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "item", "user")) {
      learn(two, EVENTS);
      world.stop(two);
    }
    int before = world.versions().size();
    try (VirtualTimeLearner one = start(world.state, "user")) {
      world.stop(one);
    }
    try (VirtualTimeLearner two = start(world.state, "item", "user")) {
      assertThat(Objects.requireNonNull(last(two).tables()).rows()).isEqualTo(USERS);
      learn(two, UPDATE_EVERY, 2);
      world.stop(two);
    }
    ModelManifest next = world.versions().get(before);
    assertThat(kind(next)).isEqualTo(ModelManifest.FULL_ROWS);
    world.assertChained();
    assertLoads();
  }

  /** Rows that are newer in DRAM are in a log, and the rows before an update in another. */
  @Test
  void crash_beforeTheFirstCheckpoint_convertsTheSameAgain() throws Exception {
    try (VirtualTimeLearner one = start(world.state, "user")) {
      learn(one, EVENTS);
      world.stop(one);
    }
    FakeLearnerState savepoint = world.state;
    try (VirtualTimeLearner killed = start(savepoint.copy(), "item", "user")) {
      learn(killed, 5);
    }
    try (VirtualTimeLearner two = start(savepoint.copy(), "item", "user")) {
      assertThat(Objects.requireNonNull(last(two).tables()).rows()).isEqualTo(USERS);
      learn(two, EVENTS);
      world.stop(two);
    }
    world.assertChained();
    assertLoads();
    world.position = EVENTS;
    try (VirtualTimeLearner old = start(savepoint.copy(), "user")) {
      assertThat(notices(old)).isEmpty();
      learn(old, EVENTS);
      world.stop(old);
    }
    assertLoads();
  }

  /** Versions of a learner whose state is lost are replaced by others of the same tables. */
  @Test
  void crash_afterVersionsOfTheNewTables_isFollowedToTheEnd() throws Exception {
    try (ModelSubscriber<PlainModel> subscriber = subscriber()) {
      try (VirtualTimeLearner one = start(world.state, "user")) {
        learn(one, EVENTS);
        world.stop(one);
      }
      FakeLearnerState savepoint = world.state;
      followed(subscriber);
      try (VirtualTimeLearner killed = start(savepoint.copy(), "item", "user")) {
        learn(killed, EVENTS);
        killed.pass(2_000);
      }
      followed(subscriber);
      int before = world.versions().size();
      try (VirtualTimeLearner two = start(savepoint.copy(), "item", "user")) {
        learn(two, 2 * EVENTS);
        world.stop(two);
      }
      assertThat(world.versions().size()).isGreaterThan(before);
      ModelManifest again = world.versions().get(before);
      assertThat(kind(again)).isEqualTo(ModelManifest.FULL_ROWS);
      assertThat(again.attributes()).containsKey(VersionDrafts.BRANCH);
      assertThat(again.attributes()).containsEntry(VersionDrafts.SCHEMA, "added feature item");
      assertThat(accuracy(followed(subscriber))).isGreaterThan(0.9);
      assertLoads();
    }
  }

  @Test
  void gate_acrossTheChange_comparesWithTheRowsOfTheVersionBefore() throws Exception {
    gate = inService(holds());
    try (VirtualTimeLearner one = start(world.state, "user")) {
      learn(one, 6 * EVENTS);
      one.pass(20_000);
      world.stop(one);
    }
    List<ModelManifest> before = world.versions();
    long serving = before.get(before.size() - 1).version();
    try (VirtualTimeLearner two = start(world.state, "item", "user")) {
      learn(two, 6 * EVENTS);
      two.pass(20_000);
      world.stop(two);
    }
    ModelManifest next = world.versions().get(before.size());
    assertThat(next.counts()).containsEntry("comparedWith", serving);
    assertThat(kind(next)).isEqualTo(ModelManifest.FULL_ROWS);

    // People go back to the version before the change while a learner runs.
    try (VirtualTimeLearner three = start(world.state, "item", "user")) {
      world.store.rollBack(new ApplicationPartition("app", 0), serving, "worse");
      learn(three, 6 * EVENTS);
      three.pass(20_000);
      world.stop(three);
    }
    assertThat(world.store.current("app", 0).orElseThrow().manifest().version())
        .isGreaterThan(next.version());
    assertLoads();
  }
}
