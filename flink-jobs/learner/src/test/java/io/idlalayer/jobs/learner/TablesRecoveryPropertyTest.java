package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.RowPublicationPropertyTest;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.AttemptStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelcontroller.training.NetworkTrainer;
import io.idlalayer.modelcontroller.training.TapeEngine;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A learner with tables that is killed at any points, and started from any checkpoints, has in the
 * end what one has that was never killed: the same rows with their updaters' state, and the same
 * network, bit for bit. And right after a start it has rows and network of one instant.
 */
final class TablesRecoveryPropertyTest {
  private static final int EVENTS = 220;
  private static final int IDS = 40;
  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final int WORK_EVERY = 5;
  private static final long DAY_MILLIS = 86_400_000;
  private static final int TICKS_OF_A_SWEEP = 20;

  /** Where the hexadecimal digits of stored rows have the time of their last use. */
  private static final int LAST_USE_FROM = 2 * 16;

  private static final int LAST_USE_TO = 2 * 20;

  private static final ModelSpec.Network WIDE = new ModelSpec.Network.WideAndDeep(List.of(4));

  private static ApplicationSettings settings(RowSettings rows, RowUpdater updater) {
    return settings(rows, updater, WIDE, RowIndex.OPEN, RowIndex.OPEN);
  }

  /**
   * @param users which rows users have
   * @param tags which rows tags have
   */
  private static ApplicationSettings settings(
      RowSettings rows,
      RowUpdater updater,
      ModelSpec.Network network,
      RowIndex users,
      RowIndex tags) {
    return settings(rows, updater, network, users, tags, null);
  }

  static ApplicationSettings settings(
      RowSettings rows,
      RowUpdater updater,
      ModelSpec.Network network,
      RowIndex users,
      RowIndex tags,
      ApplicationSettings.@Nullable Publishing publishing) {
    ApplicationSettings plain =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(12)),
            new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, 6),
                1_000,
                1 << 20,
                20));
    SampleSchema schema = plain.input().schema();
    SampleSchema withIds =
        new SampleSchema(
            schema.columns(),
            schema.dense(),
            List.of(),
            List.of(new IdFeature("user", 1, users), new IdFeature("tags", 4, tags)),
            schema.label(),
            schema.id());
    ModelSpec spec =
        new ModelSpec(
            withIds,
            network,
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.01, 0),
            true,
            new ModelSpec.Embeddings(
                List.of(
                    new ModelSpec.Table("user", 3),
                    new ModelSpec.Table("tags", network instanceof ModelSpec.Network.Dlrm ? 3 : 2)),
                List.of(new ModelSpec.Use(0, IdPooling.SUM), new ModelSpec.Use(1, IdPooling.MEAN)),
                new ModelSpec.RowFit(updater, 0.05, 0.1)));
    ApplicationSettings.Input input = plain.input();
    return new ApplicationSettings(
        plain.name(),
        1,
        7,
        new ApplicationSettings.Input(
            input.topic(), input.format(), false, ',', withIds, input.maxEventBytes()),
        spec,
        EngineName.AUTO,
        plain.update(),
        plain.data(),
        publishing == null ? plain.publishing() : publishing,
        new ApplicationSettings.Memory(
            null, 1 << 20, PolicyName.ADAPTIVE, false, ApplicationSettings.Tensors.NONE, rows),
        plain.kafka());
  }

  static List<Sample> stream(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> stream = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      long user = 2 + (long) (IDS * Math.pow(random.nextDouble(), 2));
      long[] keys = new long[1 + random.nextInt(1, 4)];
      Arrays.setAll(keys, k -> 2 + random.nextInt(IDS));
      keys[0] = user;
      stream.add(
          new Sample(
              "e" + i,
              new float[] {(float) random.nextDouble()},
              new int[0],
              new IdLists(keys, new int[] {1, keys.length}),
              user % 2));
    }
    return stream;
  }

  /** What is durable, and how far the input was read. */
  private record Checkpoint(FakeLearnerState state, int position) {}

  /** A learner whose clock and threads go on with its position in the input, and not otherwise. */
  private static final class World extends LearnerWorld {
    private final List<Sample> stream;
    private final boolean tested;

    /** Events after which nothing happens for a day, again and again; 0 for never. */
    private int eventsPerDay;

    private int day;
    private Supplier<PublishedModels> models = UnstoredModels::new;
    private int position;
    private Runnable afterTick = () -> {};

    /** Nothing of trainings outlives a learner, unless a test says otherwise. */
    private Supplier<AttemptStore> attempted = () -> new FakeAttemptStore(() -> false);

    World(ApplicationSettings settings, List<Sample> stream) throws InterruptedException {
      this(settings, stream, false);
    }

    /**
     * @param tested whether samples are tested before they train, so that their rows are read ahead
     */
    World(ApplicationSettings settings, List<Sample> stream, boolean tested)
        throws InterruptedException {
      super(settings);
      this.tested = tested;
      this.stream = stream;
      start();
    }

    private void start() throws InterruptedException {
      day = eventsPerDay == 0 ? 0 : position / eventsPerDay;
      attempts = attempted.get();
      open();
      learner().tick();
    }

    @Override
    Trainer newTrainer() {
      return new ToldSeconds(
          new NetworkTrainer(
              settings.model(), false, new TapeEngine(settings.model(), new JavaKernels())));
    }

    @Override
    PrequentialScorer newScorer() {
      return new SilentScorer(tested);
    }

    @Override
    PublishedModels models() {
      return models.get();
    }

    @Override
    long wallMillis() {
      return START_MILLIS + 10L * position + DAY_MILLIS * day;
    }

    @Override
    long nanoTime() {
      return 10_000_000L * position;
    }

    @Override
    InputPosition next() {
      return new InputPosition("events", 0, position);
    }

    Checkpoint checkpoint() {
      learner().beforeCheckpoint();
      return new Checkpoint(state.copy(), position);
    }

    void kill(Checkpoint from) throws InterruptedException {
      close();
      state = from.state().copy();
      position = from.position();
      start();
    }

    void step() throws InterruptedException {
      arrive();
      boolean lastOfDay = eventsPerDay > 0 && position % eventsPerDay == 0;
      if (lastOfDay || position % WORK_EVERY == 0) {
        work();
      }
      if (lastOfDay) {
        // No update is under way: which rows it would find depends on how far the sweep is, and a
        // start begins the sweep anew.
        day = position / eventsPerDay;
        for (int tick = 0; tick < TICKS_OF_A_SWEEP; tick++) {
          learner().tick();
        }
      }
    }

    private void arrive() throws InterruptedException {
      Sample sample = stream.get(position);
      send(arrival(next(), wallMillis(), sample, ContentHasher.of(sample)));
      position++;
    }

    private SampleView explain(String id) throws InterruptedException {
      send(new LearnerEvent.Explain(next(), id));
      position++;
      return Objects.requireNonNull(last().sample());
    }

    private void work() throws InterruptedException {
      while (executor.runOne()) {
        learner().tick();
        afterTick.run();
      }
      learner().tick();
    }

    void finish() throws InterruptedException {
      finishAll();
      close();
    }

    private void finishAll() throws InterruptedException {
      while (position < stream.size()) {
        step();
      }
      for (int i = 0; i < 10; i++) {
        work();
      }
    }

    /** Nothing arrives, and time passes. */
    private void idle() throws InterruptedException {
      position += 100;
      work();
    }

    /** Number of the newest update; 0 before the first. */
    private long update() {
      AcceptedModel model = accepted(state);
      return model == null ? 0 : model.update().number();
    }

    /** What there is right after it. */
    private Accepted instant() {
      FakeLearnerState copy = checkpoint().state();
      AcceptedModel model = accepted(copy);
      if (model == null) {
        return new Accepted(new float[0], new byte[0]);
      }
      RowTables rows = tables(copy, settings);
      List<IdLists> ids = new ArrayList<>();
      for (int i = 0; i <= IDS; i++) {
        ids.add(IdLists.single(2 + i, 2 + i));
      }
      return new Accepted(
          columns(rows.gather(ids), settings),
          Objects.requireNonNull(model.artifact().files().get(ModelArtifact.NETWORK_FILE)));
    }

    private static RowTables tables(FakeLearnerState of, ApplicationSettings settings) {
      RowTables rows =
          new RowTables(
              EmbeddingPlans.of(settings.model()),
              EmbeddingPlans.rule(settings.model(), settings.seed()),
              settings.memory().rows(),
              of.rows());
      rows.restore(Objects.requireNonNull(of.get(LearnerState.Slot.TABLES)));
      return rows;
    }

    /** Everything that the model consists of. */
    Map<String, Object> content() {
      return content(state, settings);
    }

    static Map<String, Object> content(FakeLearnerState of, ApplicationSettings settings) {
      Map<String, Object> content = new TreeMap<>();
      AcceptedModel accepted = accepted(of);
      if (of.get(LearnerState.Slot.TABLES) == null || accepted == null) {
        return content;
      }
      content.put("update", accepted.update().number());
      ModelArtifact files = accepted.artifact();
      content.put("network", Arrays.hashCode(files.files().get(ModelArtifact.NETWORK_FILE)));
      FakeLearnerState copy = of.copy();
      RowTables rows = tables(copy, settings);
      content.put("rows", rows.usage(StoreTraffic.NONE).rows());
      rows.flush();
      copy.rows()
          .rows()
          .forEachRemaining(
              row ->
                  content.put(
                      "row %016x".formatted(row.getKey()),
                      HexFormat.of().formatHex(row.getValue())));
      copy.rows()
          .filter()
          .forEachRemaining(
              block -> {
                byte[] cells = Arrays.copyOfRange(block.getValue(), 5, block.getValue().length);
                content.put("block %d".formatted(block.getKey()), Arrays.hashCode(cells));
              });
      return content;
    }
  }

  private record ToldSeconds(Trainer trainer) implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException {
      return trainer.train(request).withTrainSeconds(0.001);
    }

    @Override
    public void close() {
      trainer.close();
    }
  }

  /** Takes samples with their rows, and says nothing: what it found would depend on threads. */
  private record SilentScorer(boolean takesMore) implements PrequentialScorer {
    @Override
    public void serve(ModelArtifact artifact, @Nullable Rival rival) {}

    @Override
    public boolean offer(ScoringBatch batch) {
      return true;
    }

    @Override
    public Optional<ScoredBatch> poll() {
      return Optional.empty();
    }

    @Override
    public int inFlight() {
      return 0;
    }

    @Override
    public void close() {}
  }

  private static final RowSettings EVERY_ID =
      new RowSettings(2_000, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.NEVER);

  private static final int IDLE_SECONDS = 600;

  /** All but those that are too few for an update. */
  private static void assertAllTrained(World world) {
    EventCounters counters = new EventCounters();
    counters.restore(
        Objects.requireNonNull(world.state.get(LearnerState.Slot.COUNTERS), "no counters"));
    assertThat(counters.trainedNewSamples()).isBetween(EVENTS - 12L, (long) EVENTS);
    assertThat(counters.samples(0, 0, 0).quarantined()).isZero();
  }

  @Test
  void gather_thatHasNoMemory_isAFailedAttemptAndNothingIsLost() throws InterruptedException {
    World world = new World(settings(EVERY_ID, RowUpdater.ADAGRAD), stream(5));
    int[] failed = {0};
    world.state.whenRowsAreRead(
        count -> {
          if (count > 7) {
            failed[0]++;
            throw new OutOfMemoryError("injected: Java heap space");
          }
        });
    world.finishAll();
    for (int i = 0; i < IDLE_SECONDS; i++) {
      world.idle();
    }
    assertThat(failed[0]).isPositive();
    assertThat(world.said(DecisionEvent.Type.DROPPED))
        .hasSize(failed[0])
        .allSatisfy(
            event ->
                assertThat(event.message())
                    .contains("not enough memory for the rows of its")
                    .contains("wait for the next attempt"));
    assertAllTrained(world);
  }

  @Test
  void gather_thatHasNoMemoryForAWhile_isTriedAgain() throws InterruptedException {
    World world = new World(settings(EVERY_ID, RowUpdater.ADAM), stream(6));
    int[] left = {4};
    world.state.whenRowsAreRead(
        count -> {
          if (left[0]-- > 0) {
            throw new OutOfMemoryError("injected: Java heap space");
          }
        });
    world.finishAll();
    for (int i = 0; i < IDLE_SECONDS; i++) {
      world.idle();
    }
    assertThat(world.said(DecisionEvent.Type.DROPPED)).hasSize(4);
    assertAllTrained(world);
  }

  /** With -XX:+ExitOnOutOfMemoryError no code can catch the error. */
  @Test
  void gather_atWhichTheProcessDies_isFoundOutAtTheNextStart() throws InterruptedException {
    World world = new World(settings(EVERY_ID, RowUpdater.ADAM), stream(7));
    boolean[] dead = {false};
    FakeAttemptStore durable = new FakeAttemptStore(() -> dead[0]);
    world.attempted = () -> durable;
    world.close();
    int deaths = 0;
    Checkpoint[] last = {world.checkpoint()};
    world.afterTick = () -> last[0] = world.checkpoint();
    while (last[0].position() < EVENTS + 100 * IDLE_SECONDS) {
      dead[0] = false;
      world.state = last[0].state().copy();
      world.position = last[0].position();
      world.state.whenRowsAreRead(
          count -> {
            if (count > 7) {
              dead[0] = true;
              throw new InternalError("injected: the process ends");
            }
          });
      try {
        world.start();
        while (world.position < EVENTS + 100 * IDLE_SECONDS) {
          if (world.position < EVENTS) {
            world.step();
          } else {
            world.idle();
          }
          last[0] = world.checkpoint();
        }
      } catch (InternalError died) {
        deaths++;
        assertThat(deaths).as("it dies again and again").isLessThan(300);
      }
    }
    assertThat(deaths).isPositive();
    assertAllTrained(world);
  }

  /** The trainer does not wait for the store. */
  @Test
  void rows_thatAreAccepted_areWrittenOnceTheNextUpdateTrains() throws InterruptedException {
    RowSettings none = new RowSettings(100_000, RowPolicyName.SIMPLE, 1, 1_000, Expiry.NEVER);
    World world = new World(settings(none, RowUpdater.ADAGRAD), stream(8), true);
    List<Boolean> trainsAtWrite = new ArrayList<>();
    world.state.whenRowsAreWritten(() -> trainsAtWrite.add(world.executor.busy()));
    for (int i = 0; i < 24; i++) {
      world.arrive();
    }
    assertThat(trainsAtWrite).isEmpty();
    assertThat(world.executor.runOne()).isTrue();
    for (int tick = 0; tick < 5; tick++) {
      world.learner().tick();
    }
    assertThat(trainsAtWrite).containsExactly(true);
  }

  /** The answer does not depend on what DRAM holds, and asking changes nothing. */
  @Test
  void explain_sampleWithIds_tellsHowOftenTheyCameInTraining() throws InterruptedException {
    for (RowIndex tags : List.of(RowIndex.OPEN, RowIndex.hash(7))) {
      ApplicationSettings settings =
          settings(EVERY_ID, RowUpdater.ADAGRAD, WIDE, RowIndex.OPEN, tags);
      // In a table of fixed size ids share rows.
      List<Sample> stream =
          tags.fixed()
              ? stream(9).stream().map(TablesRecoveryPropertyTest::withFewTags).toList()
              : stream(9);
      World world = new World(settings, stream, true);
      while (world.position < EVENTS) {
        world.step();
      }
      for (int i = 0; i < 10; i++) {
        world.work();
      }
      EventCounters counters = new EventCounters();
      Checkpoint before = world.checkpoint();
      counters.restore(Objects.requireNonNull(before.state().get(LearnerState.Slot.COUNTERS)));
      List<Sample> trained = stream.subList(0, (int) counters.trainedNewSamples());
      RowUsage then = world.last().status().tables();
      for (int i = 0; i < EVENTS; i += 7) {
        IdLists ids = stream.get(i).ids();
        long user = count(trained, ids.key(0), 0);
        long rarest = Long.MAX_VALUE;
        for (int k = ids.from(1); k < ids.to(1); k++) {
          rarest = Math.min(rarest, count(trained, ids.key(k), 1));
        }
        SampleView answer = world.explain("e" + i);
        assertThat(answer.idOccurrences())
            .containsExactly(Map.entry("user", (int) user), Map.entry("tags", (int) rarest));
      }
      RowUsage now = world.last().status().tables();
      // What was read to answer is traffic of the store.
      assertThat(now)
          .usingRecursiveComparison()
          .ignoringFields("store.readBytes", "store.waitSeconds")
          .isEqualTo(then);
      assertThat(World.content(world.checkpoint().state(), settings))
          .isEqualTo(World.content(before.state(), settings));
    }
  }

  private static Sample withFewTags(Sample sample) {
    long[] keys = new long[sample.ids().size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i == 0 ? sample.ids().key(i) : 2 + sample.ids().key(i) % 7;
    }
    return new Sample(
        sample.id(),
        sample.dense(),
        sample.categorical(),
        new IdLists(keys, new int[] {1, keys.length}),
        sample.label());
  }

  /** How often an id is in a feature of samples. */
  private static long count(List<Sample> samples, long key, int feature) {
    long count = 0;
    for (Sample sample : samples) {
      IdLists ids = sample.ids();
      for (int i = ids.from(feature); i < ids.to(feature); i++) {
        count += ids.key(i) == key ? 1 : 0;
      }
    }
    return count;
  }

  @Property(tries = 12)
  void killedAnywhere_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws InterruptedException {
    check(seed, updater, policy, 8);
  }

  /** A thousand kills. */
  @Tag("stress")
  @Property(tries = 50)
  void killedAThousandTimes_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws InterruptedException {
    check(seed, updater, policy, 20);
  }

  private static void check(long seed, RowUpdater updater, RowPolicyName policy, int kills)
      throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    Admission.Counter counter =
        switch (random.nextInt(3)) {
          case 0 -> Admission.Counter.EXACT;
          case 1 -> Admission.Counter.BLOOM;
          default -> Admission.Counter.BOTH;
        };
    boolean hashed = random.nextBoolean();
    RowSettings rows =
        new RowSettings(
            random.nextInt(500, 4_000),
            RowSettings.UNBOUNDED,
            policy,
            new Admission(random.nextInt(1, 4), counter, new Admission.Bloom(1_000, 0.01)),
            30,
            Expiry.NEVER);
    RowIndex tags = hashed ? RowIndex.hash(IDS) : RowIndex.OPEN;
    check(random, settings(rows, updater, WIDE, RowIndex.OPEN, tags), stream(seed), kills);
  }

  /** Networks without a wide part, and no open table. */
  @Property(tries = 8)
  void killedAnywhere_otherNetworksWithTablesOfFixedSize_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll boolean dlrm)
      throws InterruptedException {
    ModelSpec.Network network =
        dlrm
            ? new ModelSpec.Network.Dlrm(List.of(4), List.of(4))
            : new ModelSpec.Network.Mlp(List.of(4));
    SplittableRandom random = new SplittableRandom(seed);
    RowSettings rows =
        new RowSettings(
            random.nextInt(500, 4_000),
            RowSettings.UNBOUNDED,
            RowPolicyName.FREQUENCY,
            Admission.exact(3),
            1,
            Expiry.unused(1));
    ApplicationSettings settings =
        settings(rows, updater, network, RowIndex.number(IDS), RowIndex.hash(IDS));
    check(random, settings, stream(seed), 8);
  }

  @Property(tries = 10)
  void killedAnywhere_withExpiryGateAndVersions_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws Exception {
    checkPublished(seed, updater, policy, 8);
  }

  /** A thousand kills. */
  @Tag("stress")
  @Property(tries = 50)
  void killedAThousandTimes_withExpiryGateAndVersions_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws Exception {
    checkPublished(seed, updater, policy, 20);
  }

  /**
   * With rows that expire, a gate that remembers what rows were, and versions on disk. A start from
   * an older checkpoint publishes versions of the same updates again: each version has the rows and
   * the network that the run without kills had right after its update.
   */
  private static void checkPublished(long seed, RowUpdater updater, RowPolicyName policy, int kills)
      throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Expiry expiry =
        random.nextBoolean()
            ? Expiry.unused(1_000)
            : new Expiry(90_000, new Expiry.Bound(4, 1_000), new Expiry.Bound(0.05, 1_000));
    RowSettings rows =
        new RowSettings(random.nextInt(500, 4_000), policy, random.nextInt(1, 4), 1_000, expiry);
    GateSettings gate =
        new GateSettings(
            GateSettings.Action.WARN,
            GateSettings.AfterPublishing.WARN,
            Metric.ACCURACY,
            0.01,
            100,
            10,
            GateSettings.ContinueFrom.NEWEST,
            null);
    ApplicationSettings settings =
        settings(
            rows,
            updater,
            WIDE,
            RowIndex.OPEN,
            RowIndex.OPEN,
            new ApplicationSettings.Publishing(null, 1_000, gate, false));
    int eventsPerDay = random.nextInt(30, 90);
    List<Sample> stream = stream(seed);
    World whole = new World(settings, stream, false);
    whole.eventsPerDay = eventsPerDay;
    Map<Long, Accepted> instants = new TreeMap<>();
    whole.afterTick = () -> instants.putIfAbsent(whole.update(), whole.instant());
    whole.finish();
    Path folder = Files.createTempDirectory("recovery");
    try {
      ModelStore store = new ModelStore(folder, InstantSource.system());
      World killed = new World(settings, stream, true);
      killed.close();
      killed.eventsPerDay = eventsPerDay;
      killed.models = () -> new StoredModels(store, folder, "app", 0);
      killed.start();
      check(random, killed, whole.content(), kills);
      List<ModelCheckpoint> versions = store.list("app", 0);
      assertThat(versions).hasSizeGreaterThan(10);
      for (ModelCheckpoint version : versions) {
        long update = version.manifest().counts().getOrDefault("updateNumber", 0L);
        Accepted right = Objects.requireNonNull(instants.get(update), "update " + update);
        ServedRows served =
            new RowPublicationWorld.Loader(EmbeddingPlans.of(settings.model()))
                .load(LoadRequest.of(store, version, null));
        assertThat(columns(served, settings)).as(version.location()).containsExactly(right.rows());
        assertThat(store.load(version).get(ModelArtifact.NETWORK_FILE)).isEqualTo(right.network());
      }
    } finally {
      RowPublicationPropertyTest.delete(folder);
    }
  }

  /** Rows and network right after an update. */
  private record Accepted(float[] rows, byte[] network) {}

  /** Returns the vectors of all ids, in all columns of the network's input. */
  private static float[] columns(IdVectors vectors, ApplicationSettings settings) {
    int width = EmbeddingPlans.of(settings.model()).width();
    float[] columns = new float[(IDS + 1) * width];
    for (int i = 0; i <= IDS; i++) {
      vectors.fill(IdLists.single(2 + i, 2 + i), columns, i * width);
    }
    return columns;
  }

  private static final int LATE = 12;
  private static final int LABEL_COMES = 30;
  private static final int EVENTS_PER_DAY = 24;
  private static final IdLists LATE_IDS = IdLists.single(90, 90);

  /** Its ids come with a label, then without one, and the label of the latter comes a day later. */
  private static List<Sample> streamWithALateLabel() {
    List<Sample> stream = new ArrayList<>();
    for (int i = 0; i < 2 * EVENTS_PER_DAY - 1; i++) {
      int number = i == LABEL_COMES ? LATE : i;
      boolean late = number == LATE || i == 0;
      stream.add(
          new Sample(
              "e" + number,
              new float[] {number},
              new int[0],
              late ? LATE_IDS : IdLists.single(2 + i, 2 + i),
              i == LATE ? Sample.NO_LABEL : i % 2));
    }
    return stream;
  }

  @Test
  void lateLabel_ofIdsWhoseRowsExpired_beginsTheirRowsAnew() throws InterruptedException {
    RowSettings rows =
        new RowSettings(2_000, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.unused(1_000));
    ApplicationSettings settings = settings(rows, RowUpdater.ADAGRAD);
    World world = new World(settings, streamWithALateLabel());
    world.eventsPerDay = EVENTS_PER_DAY;
    while (world.position < LATE + 5) {
      world.step();
    }
    assertThat(tables(world).occurrences(LATE_IDS)).containsExactly(1, 1);
    while (world.position < LABEL_COMES) {
      world.step();
    }
    assertThat(tables(world).occurrences(LATE_IDS)).as("a day has passed").containsExactly(0, 0);
    Checkpoint before = world.checkpoint();
    world.finish();

    assertThat(tables(world).occurrences(LATE_IDS)).containsExactly(1, 1);
    Status status = world.last().status();
    assertThat(status.samples().joined()).isEqualTo(1);
    assertThat(status.samples().quarantined()).isZero();
    World killed = new World(settings, streamWithALateLabel());
    killed.eventsPerDay = EVENTS_PER_DAY;
    killed.kill(before);
    killed.finish();
    assertThat(killed.content()).isEqualTo(world.content());
  }

  private static RowTables tables(World world) {
    return World.tables(world.checkpoint().state(), world.settings);
  }

  private static void check(
      SplittableRandom random, ApplicationSettings settings, List<Sample> stream, int kills)
      throws InterruptedException {
    World whole = new World(settings, stream, false);
    whole.finish();
    check(random, new World(settings, stream, true), whole.content(), kills);
    assertThat(Objects.requireNonNull(whole.content().get("rows"))).isNotEqualTo(0L);
  }

  /**
   * @param expected what there is in the end
   */
  private static void check(
      SplittableRandom random, World killed, Map<String, Object> expected, int kills)
      throws InterruptedException {
    List<Checkpoint> checkpoints = new ArrayList<>(List.of(killed.checkpoint()));
    for (int i = 0; i < kills; i++) {
      for (int steps = random.nextInt(EVENTS / 4); steps > 0; steps--) {
        if (killed.position < EVENTS) {
          killed.step();
        }
        if (random.nextInt(8) == 0) {
          checkpoints.add(killed.checkpoint());
        }
      }
      Checkpoint from = checkpoints.get(Math.max(0, checkpoints.size() - 1 - random.nextInt(6)));
      checkpoints.subList(checkpoints.indexOf(from) + 1, checkpoints.size()).clear();
      Map<String, Object> then = World.content(from.state(), killed.settings);
      killed.kill(from);
      assertThat(killed.content()).isEqualTo(then);
    }
    killed.finish();
    assertThat(withoutLastUse(killed.content())).isEqualTo(withoutLastUse(expected));
  }

  /** An update that a kill undid is trained again later, so its rows were used later. */
  private static Map<String, Object> withoutLastUse(Map<String, Object> content) {
    Map<String, Object> less = new TreeMap<>(content);
    less.replaceAll(
        (name, value) ->
            name.startsWith("row ")
                ? new StringBuilder((String) value).delete(LAST_USE_FROM, LAST_USE_TO).toString()
                : value);
    return less;
  }
}
