package io.idlalayer.jobs.learner;

import static io.idlalayer.jobs.learner.GateScenario.holds;
import static io.idlalayer.jobs.learner.GateScenario.inService;
import static io.idlalayer.jobs.learner.GateScenario.rollsBack;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner with tables whose updates are sometimes trained on wrong labels. */
final class TablesGateTest {
  private static final int BATCH = 200;
  private static final int USERS = 40;

  /** Trusted samples, several of each user: 40 that are not all lost are no evidence at 1e-5. */
  private static final int TRUSTED = 5 * USERS;

  /** Users who come later. */
  private static final int LATE = 10;

  private static final long MILLIS_BETWEEN = 10;
  private static final List<IdLists> ALL_USERS =
      LongStream.range(2, 2 + USERS + LATE).mapToObj(IdLists::single).toList();

  @TempDir Path folder;
  private final SplittableRandom random = new SplittableRandom(11);
  private final List<Used> trainings = new ArrayList<>();

  /** What scored, the newest model and the one that it is compared with. */
  private final List<Used> scored = new ArrayList<>();

  private ModelStore store;
  private VirtualTimeLearner world;
  private ModelSpec spec;
  private EngineChoice engine;
  private int arrived;
  private int count = BATCH;
  private int dim = 3;
  private List<Sample> right = List.of();
  private ModelSpec.Network network = new ModelSpec.Network.WideAndDeep(List.of(4));
  private RowIndex index = RowIndex.OPEN;

  /** The dense feature of samples, which carries no information. */
  private DoubleSupplier number = () -> 0.5;

  /** Number of users that occur in events. */
  private int users = USERS;

  /**
   * A model that was trained or scored with.
   *
   * @param vectors vectors of the users, from their rows
   */
  private record Used(ModelArtifact model, List<IdLists> users, float[] vectors) {
    boolean has(byte[] network) {
      return model != null && Arrays.equals(model.files().get(ModelArtifact.NETWORK_FILE), network);
    }
  }

  private VirtualTimeLearner learner(GateSettings gate) throws InterruptedException {
    // References beside the network would make up for what a bad update loses.
    ApplicationSettings plain =
        LearnerSettings.withTables(
            LearnerSimulation.settings(
                UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(count)),
                DataSettings.defaults()),
            List.of(new IdFeature("user", 1, index)),
            network,
            new ModelSpec.Fit(16, 2, ModelSpec.Updater.ADAM, 0.02, 0),
            new ModelSpec.Embeddings(
                List.of(new ModelSpec.Table("user", dim)),
                List.of(new ModelSpec.Use(0, IdPooling.SUM)),
                new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.3, 0.1)),
            new RowSettings(2_000, RowPolicyName.FREQUENCY, 1, 10_000, Expiry.NEVER));
    spec = plain.model();
    store = new ModelStore(folder, InstantSource.system());
    engine = EngineChoice.of(EngineName.AUTO, spec, null);
    world =
        VirtualTimeLearner.of(
                LearnerSettings.withoutReferences(LearnerSettings.gated(plain, 100, gate)),
                this::tracedTrainer,
                this::tested)
            .published(new StoredModels(store, folder, "app", 0))
            .trusted(right)
            .open();
    return world;
  }

  private Trainer tracedTrainer() {
    Trainer trainer = engine.trainer("app", false);
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        List<IdLists> users =
            request.batch().rows().stream().map(row -> row.sample().ids()).distinct().toList();
        trainings.add(new Used(request.base(), users, vectors(request.rows(), users)));
        return trainer.train(request);
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  /** A model that says which rows it scores with. */
  private TaskModel tested(ModelArtifact artifact) throws Exception {
    TaskModel model = engine.testedModels().load(artifact);
    return new TaskModel() {
      @Override
      public double[][] predict(List<Sample> samples) {
        throw new IllegalStateException("it has rows of nobody");
      }

      @Override
      public double[][] predict(List<Sample> samples, IdVectors vectors) {
        List<IdLists> users = samples.stream().map(Sample::ids).toList();
        scored.add(new Used(artifact, users, vectors(vectors, users)));
        return model.predict(samples, vectors);
      }

      @Override
      public float[] losses(List<Sample> samples, double[][] predictions) {
        return model.losses(samples, predictions);
      }

      @Override
      public void close() {
        model.close();
      }
    };
  }

  private EmbeddingPlan plan() {
    return EmbeddingPlans.of(spec);
  }

  private float[] vectors(IdVectors rows, List<IdLists> users) {
    int width = plan().width();
    float[] vectors = new float[users.size() * width];
    for (int i = 0; i < users.size(); i++) {
      rows.fill(users.get(i), vectors, i * width);
    }
    return vectors;
  }

  /** The rows of a version as serving processes read them. */
  private ServedRows served(long version) throws Exception {
    return new RowPublicationWorld.Loader(plan())
        .load(LoadRequest.of(store, store.read("app", 0, version), null));
  }

  private void arrive(VirtualTimeLearner learner, int samples, boolean wrong) throws Exception {
    for (int i = 0; i < samples; i++) {
      IdLists user = ALL_USERS.get(random.nextInt(users));
      boolean odd = user.key(0) % 2 == 1;
      Sample sample =
          new Sample(
              "s" + arrived,
              new double[] {(float) number.getAsDouble()},
              new int[0],
              user,
              odd == wrong ? 0 : 1);
      learner.arrive(sample, new ContentHash(arrived, ~arrived));
      arrived++;
      learner.pass(MILLIS_BETWEEN);
    }
  }

  private List<DecisionEvent> of(DecisionEvent.Type type) {
    return world.said(type);
  }

  /** What was said of a kind at last. */
  private String last(DecisionEvent.Type type) {
    return of(type).get(of(type).size() - 1).message();
  }

  private long servedVersion() throws Exception {
    return store.serving("app", 0).orElseThrow().checkpoint().manifest().version();
  }

  private byte[] network(long version) throws Exception {
    return store.load(store.read("app", 0, version)).get(ModelArtifact.NETWORK_FILE);
  }

  /** Network and rows are those of a version, bit for bit. */
  private void assertIs(Used used, long version) throws Exception {
    assertThat(used.has(network(version))).isTrue();
    assertThat(used.vectors()).containsExactly(vectors(served(version), used.users()));
  }

  @Test
  void hold_modelsAreGood_areComparedAndPublished() throws Exception {
    try (VirtualTimeLearner learner = learner(holds())) {
      arrive(learner, 2 * BATCH, false);
      assertThat(world.last().status().gate().held()).isTrue();
      arrive(learner, 6 * BATCH, false);
      assertThat(servedVersion()).isGreaterThanOrEqualTo(6);
      assertThat(store.read("app", 0, 2).manifest().counts())
          .containsEntry("comparedWith", 1L)
          .hasEntrySatisfying("comparedSamples", n -> assertThat(n).isGreaterThanOrEqualTo(100));
      assertThat(of(DecisionEvent.Type.HELD))
          .allMatch(event -> event.message().endsWith("a newer one takes its place"));
      // While the second model waits, the first one goes on scoring, by its own rows.
      byte[] first = network(1);
      List<Used> byTheFirst = scored.stream().filter(each -> each.has(first)).toList();
      assertThat(byTheFirst).hasSizeGreaterThan(200);
      for (Used each : byTheFirst) {
        assertIs(each, 1);
      }
    }
  }

  @Test
  void hold_trainedOnWrongLabels_neverReachesThePointerAndIsMended() throws Exception {
    try (VirtualTimeLearner learner = learner(holds())) {
      arrive(learner, 4 * BATCH, false);
      arrive(learner, BATCH, true);
      long good = servedVersion();
      arrive(learner, 150, false);
      assertThat(of(DecisionEvent.Type.HELD)).isNotEmpty();
      assertThat(last(DecisionEvent.Type.HELD))
          .contains("worse by 0.")
          .contains("it is not published; the next update continues it");
      assertThat(servedVersion()).isEqualTo(good);
      arrive(learner, 8 * BATCH, false);
      assertThat(servedVersion()).as("clean samples mend it").isGreaterThan(good);
    }
  }

  /** Each of two models scores them by its own rows, and nothing is kept in DRAM for that. */
  @Test
  void hold_trustedSamples_findWrongLabelsThatLast() throws Exception {
    right = new ArrayList<>();
    for (int i = 0; i < TRUSTED; i++) {
      IdLists user = ALL_USERS.get(i % USERS);
      int label = user.key(0) % 2 == 1 ? 1 : 0;
      right.add(new Sample("right" + i, new double[] {0.5f}, new int[0], user, label));
    }
    try (VirtualTimeLearner learner = learner(holds())) {
      arrive(learner, 4 * BATCH, false);
      long good = servedVersion();
      scored.clear();
      arrive(learner, 5 * BATCH, true);
      learner.pass(60_000);
      assertThat(servedVersion()).isEqualTo(good);
      assertThat(of(DecisionEvent.Type.HELD))
          .hasSizeGreaterThanOrEqualTo(4)
          .allSatisfy(
              event ->
                  assertThat(event.message()).contains("on %d trusted samples".formatted(TRUSTED)));
      byte[] serving = network(good);
      List<Used> compared =
          scored.stream()
              .filter(each -> each.has(serving) && each.users().size() == TRUSTED)
              .toList();
      assertThat(compared).hasSizeGreaterThanOrEqualTo(4);
      for (Used each : compared) {
        assertIs(each, good);
      }
    }
  }

  @Test
  void hold_continueFromInService_hasTheRowsOfTheVersionInService() throws Exception {
    refused(false);
  }

  @Test
  void hold_restartedWhileHeld_hasTheRowsOfTheVersionInService() throws Exception {
    refused(true);
  }

  private void refused(boolean restarts) throws Exception {
    try (VirtualTimeLearner learner = learner(inService(holds()))) {
      arrive(learner, 4 * BATCH, false);
      arrive(learner, BATCH, true);
      long good = servedVersion();
      arrive(learner, 10, false);
      if (restarts) {
        assertThat(world.last().status().gate().held()).isTrue();
        learner.restart();
      }
      arrive(learner, 140, false);
      assertThat(last(DecisionEvent.Type.HELD))
          .endsWith("the next update continues version " + good);
      int before = trainings.size();
      if (restarts) {
        learner.restart();
      }
      long newest = good;
      while (newest == good && arrived < 40 * BATCH) {
        arrive(learner, 10, false);
        newest = store.current("app", 0).orElseThrow().manifest().version();
      }
      assertIs(trainings.get(before), good);
      assertThat(store.read("app", 0, newest).manifest().parentVersion()).isEqualTo(good);
      arrive(learner, BATCH, false);
      byte[] network = network(newest);
      assertIs(
          trainings.stream().filter(each -> each.has(network)).findFirst().orElseThrow(), newest);
    }
  }

  private long rows() {
    return Objects.requireNonNull(world.last().status().tables()).rows();
  }

  /** What a refused update has changed in tables of fixed size, and the rows it began there. */
  private void refusedWithTableOfFixedSize(ModelSpec.Network of, RowIndex rowsOf) throws Exception {
    network = of;
    index = rowsOf;
    try (VirtualTimeLearner learner = learner(inService(holds()))) {
      arrive(learner, 8 * BATCH, false);
      assertThat(rows()).isEqualTo(USERS);
      users = USERS + LATE;
      arrive(learner, BATCH, true);
      assertThat(rows()).as("late users have rows").isGreaterThan(USERS);
      long good = servedVersion();
      users = USERS;
      arrive(learner, 150, false);
      assertThat(last(DecisionEvent.Type.HELD))
          .endsWith("the next update continues version " + good);
      learner.restart();
      assertThat(rows()).isEqualTo(USERS);
      int before = trainings.size();
      arrive(learner, 50, false);
      assertIs(trainings.get(before), good);
    }
  }

  @Test
  void hold_mlpWithRowsByNumber_hasTheRowsOfTheVersionInService() throws Exception {
    refusedWithTableOfFixedSize(
        new ModelSpec.Network.Mlp(List.of(4)), RowIndex.number(USERS + LATE));
  }

  @Test
  void hold_dlrmWithRowsByHash_hasTheRowsOfTheVersionInService() throws Exception {
    number = random::nextDouble;
    refusedWithTableOfFixedSize(
        new ModelSpec.Network.Dlrm(List.of(8), List.of(8)), RowIndex.hash(USERS + LATE));
  }

  @Test
  void rollBack_continueFromInService_trainsTheRowsOfTheOneBefore() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(rollsBack()))) {
      arrive(learner, 4 * BATCH, false);
      arrive(learner, BATCH, true);
      long bad = store.current("app", 0).orElseThrow().manifest().version();
      for (int i = 0; i < 12 && of(DecisionEvent.Type.ROLLED_BACK).isEmpty(); i++) {
        arrive(learner, 25, false);
      }
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      long good = servedVersion();
      assertThat(good).isLessThan(bad);
      int before = trainings.size();
      arrive(learner, BATCH, false);
      assertIs(trainings.get(before), good);
      assertThat(servedVersion()).isGreaterThan(bad);
      assertThat(store.read("app", 0, servedVersion()).manifest().parentVersion()).isEqualTo(good);
      int next = trainings.size();
      long newest = servedVersion();
      arrive(learner, BATCH, false);
      assertIs(trainings.get(next), newest);
    }
  }

  @Test
  void restart_afterAnUnrecordedRollBack_hasTheRowsOfTheVersionInService() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(rollsBack()))) {
      arrive(learner, 4 * BATCH, false);
      long newest = servedVersion();
      long baseline = world.last().status().gate().comparedWith();
      assertThat(baseline).isBetween(1L, newest - 1);
      store.rollBack(new ApplicationPartition("app", 0), baseline, "worse");
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      int before = trainings.size();
      arrive(learner, BATCH, false);
      assertIs(trainings.get(before), baseline);
    }
  }

  @Test
  void restart_rolledBackWhileANewerModelIsPublished_hasTheRowsOfTheVersionInService()
      throws Exception {
    try (VirtualTimeLearner learner = learner(inService(rollsBack()))) {
      arrive(learner, 4 * BATCH, false);
      long newest = servedVersion();
      arrive(learner, 20, false);
      learner.taskMillis(3_000);
      learner.requestTraining();
      learner.pass(3_100);
      assertThat(of(DecisionEvent.Type.STAGED)).as("accepted").hasSize(5);
      assertThat(of(DecisionEvent.Type.PUBLISHED)).as("on its way").hasSize(4);
      long baseline = world.last().status().gate().comparedWith();
      assertThat(baseline).isBetween(1L, newest - 1);
      store.rollBack(new ApplicationPartition("app", 0), baseline, "worse");
      learner.taskMillis(0);
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(0).message()).endsWith("is not published");
      int before = trainings.size();
      arrive(learner, BATCH, false);
      assertIs(trainings.get(before), baseline);
      assertThat(store.read("app", 0, newest + 1).manifest().parentVersion()).isEqualTo(baseline);
    }
  }

  /** The rows of two updates of 9,000 users take more than 64 MiB. */
  @Test
  void hold_moreRowsChangeThanAreRemembered_isPublishedAndAnEventSaysWhy() throws Exception {
    count = 9_000;
    dim = 1_024;
    try (VirtualTimeLearner learner = learner(holds())) {
      for (int i = 0; i < 2 * count; i++) {
        IdLists user = IdLists.single(2 + i % count);
        Sample sample = new Sample("s" + i, new double[] {0.5f}, new int[0], user, i % 2);
        learner.arrive(sample, new ContentHash(i, ~i));
      }
      assertThat(of(DecisionEvent.Type.PUBLISHED)).hasSize(1);
      assertThat(of(DecisionEvent.Type.UNCOMPARED)).isEmpty();
      learner.pass(100);
      assertThat(of(DecisionEvent.Type.UNCOMPARED)).hasSize(1);
      assertThat(of(DecisionEvent.Type.UNCOMPARED).get(0).message()).contains("so many rows");
      assertThat(of(DecisionEvent.Type.UNCOMPARED).get(0).update().number()).isEqualTo(2);
      assertThat(of(DecisionEvent.Type.PUBLISHED)).as("it did not wait for 10 s").hasSize(2);
    }
  }

  @Test
  void running_peopleRollBackToTheBaseline_trainsTheRowsOfTheBaseline() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(rollsBack()))) {
      arrive(learner, 4 * BATCH, false);
      long newest = servedVersion();
      long baseline = world.last().status().gate().comparedWith();
      assertThat(baseline).isBetween(1L, newest - 1);
      store.rollBack(new ApplicationPartition("app", 0), baseline, "worse");
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      int before = trainings.size();
      arrive(learner, BATCH, false);
      assertIs(trainings.get(before), baseline);
      assertThat(store.read("app", 0, newest + 1).manifest().parentVersion()).isEqualTo(baseline);
    }
  }

  @Test
  void running_peopleRollBackToRowsThatAreNotKnown_continuesTheNewest() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(holds()))) {
      arrive(learner, 7 * BATCH, false);
      learner.pass(20_000);
      long newest = servedVersion();
      store.rollBack(new ApplicationPartition("app", 0), 1, "worse");
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .extracting(DecisionEvent::message)
          .singleElement()
          .asString()
          .contains("continues version " + newest);
      int before = trainings.size();
      arrive(learner, BATCH, false);
      assertIs(trainings.get(before), newest);
    }
  }

  /** A state of earlier comes back after the learner went on and published other versions. */
  @Test
  void restart_versionInServiceIsOfAnotherLineage_itsRowsAreNotTaken() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(rollsBack()))) {
      arrive(learner, 4 * BATCH, false);
      long baseline = world.last().status().gate().comparedWith();
      ApplicationPartition of = new ApplicationPartition("app", 0);
      // Equal numbers from another time.
      ModelCheckpoint own = store.read("app", 0, baseline);
      Path manifest = Path.of(own.location()).resolve("manifest.json");
      String text = Files.readString(manifest);
      Files.writeString(
          manifest, text.replace("\"createdAtMillis\" : 1", "\"createdAtMillis\" : 2"));
      assertThat(store.read("app", 0, baseline).digest()).isNotEqualTo(own.digest());
      store.rollBack(of, baseline, "worse");
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
    }
  }

  @Test
  void restart_rolledBackToAVersionWhoseRowsAreNotKnown_continuesTheNewest() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(holds()))) {
      arrive(learner, 7 * BATCH, false);
      long newest = servedVersion();
      store.rollBack(new ApplicationPartition("app", 0), 1, "worse");
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
      int before = trainings.size();
      arrive(learner, 2 * BATCH, false);
      assertThat(trainings).hasSizeGreaterThan(before);
      assertThat(servedVersion()).isGreaterThan(newest);
    }
  }
}
