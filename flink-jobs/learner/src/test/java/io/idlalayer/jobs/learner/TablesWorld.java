package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.AttemptStore;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
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
import org.jspecify.annotations.Nullable;

/**
 * A learner with tables whose clock and threads go on with its position in the input, and not
 * otherwise, so that a learner that is killed can be compared with one that is not.
 */
final class TablesWorld extends LearnerWorld {
  static final int EVENTS = 220;
  static final int IDS = 40;
  static final ModelSpec.Network WIDE = new ModelSpec.Network.WideAndDeep(List.of(4));

  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final int WORK_EVERY = 5;
  private static final long DAY_MILLIS = 86_400_000;
  private static final int TICKS_OF_A_SWEEP = 20;
  private static final double TRAINING_SECONDS = 0.001;

  private final List<Sample> stream;
  private final boolean tested;

  /** Events after which nothing happens for a day, again and again; 0 for never. */
  int eventsPerDay;

  /** Time that passes with each event. */
  long millisPerEvent = 10;

  private int day;

  /** The memory of the trainer's tensors; null if they are not placed. */
  @Nullable TensorShares placed;

  Supplier<PublishedModels> models = UnstoredModels::new;
  int position;
  Runnable afterTick = () -> {};

  /** Nothing of trainings outlives a learner, unless a test says otherwise. */
  Supplier<AttemptStore> attempted = () -> new FakeAttemptStore(() -> false);

  /** What is durable, and how far the input was read. */
  record Checkpoint(FakeLearnerState state, int position) {}

  /** Rows and network right after an update. */
  record Accepted(float[] rows, byte[] network) {}

  TablesWorld(ApplicationSettings settings, List<Sample> stream) throws InterruptedException {
    this(settings, stream, false);
  }

  /**
   * @param tested whether samples are tested before they train, so that their rows are read ahead
   */
  TablesWorld(ApplicationSettings settings, List<Sample> stream, boolean tested)
      throws InterruptedException {
    super(settings);
    this.tested = tested;
    this.stream = stream;
    start();
  }

  void start() throws InterruptedException {
    day = eventsPerDay == 0 ? 0 : position / eventsPerDay;
    attempts = attempted.get();
    openLearner();
    learner().tick();
  }

  @Override
  Trainer newTrainer() {
    return new VirtualTimeLearner.ToldSeconds(
        EngineChoice.of(EngineName.ONEDNN, settings.model(), placed, JavaKernels::new)
            .trainer(settings.name(), false, tensors),
        TRAINING_SECONDS,
        0);
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
    return START_MILLIS + millisPerEvent * position + DAY_MILLIS * day;
  }

  @Override
  long nanoTime() {
    return 1_000_000L * millisPerEvent * position;
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

  void arrive() throws InterruptedException {
    Sample sample = stream.get(position);
    send(arrival(next(), wallMillis(), sample, ContentHasher.of(sample)));
    position++;
  }

  SampleView explain(String id) throws InterruptedException {
    send(new LearnerEvent.Explain(next(), id));
    position++;
    return Objects.requireNonNull(last().sample());
  }

  void work() throws InterruptedException {
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

  void finishAll() throws InterruptedException {
    while (position < stream.size()) {
      step();
    }
    for (int i = 0; i < 10; i++) {
      work();
    }
  }

  /** Nothing arrives, and time passes. */
  void idle() throws InterruptedException {
    position += 100;
    work();
  }

  /** Number of the newest update; 0 before the first. */
  long update() {
    AcceptedModel model = accepted(written());
    return model == null ? 0 : model.update().number();
  }

  /** What there is right after it. */
  Accepted instant() {
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

  static RowTables tables(FakeLearnerState of, ApplicationSettings settings) {
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
    return content(written(), settings);
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
                    "row %016x".formatted(row.getKey()), HexFormat.of().formatHex(row.getValue())));
    copy.rows()
        .filter()
        .forEachRemaining(
            block -> {
              byte[] cells = Arrays.copyOfRange(block.getValue(), 5, block.getValue().length);
              content.put("block %d".formatted(block.getKey()), Arrays.hashCode(cells));
            });
    return content;
  }

  /** Returns the vectors of all ids, in all columns of the network's input. */
  static float[] columns(IdVectors vectors, ApplicationSettings settings) {
    int width = EmbeddingPlans.of(settings.model()).width();
    float[] columns = new float[(IDS + 1) * width];
    for (int i = 0; i <= IDS; i++) {
      vectors.fill(IdLists.single(2 + i, 2 + i), columns, i * width);
    }
    return columns;
  }

  /** Settings of wide and deep networks whose tables are open. */
  static ApplicationSettings settings(RowSettings rows, RowUpdater updater) {
    return settings(rows, updater, WIDE, RowIndex.OPEN, RowIndex.OPEN);
  }

  /**
   * @param users which rows users have
   * @param tags which rows tags have
   */
  static ApplicationSettings settings(
      RowSettings rows,
      RowUpdater updater,
      ModelSpec.Network network,
      RowIndex users,
      RowIndex tags) {
    return LearnerSettings.withTables(
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(12)),
            new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, 6),
                1_000,
                1 << 20,
                20)),
        List.of(new IdFeature("user", 1, users), new IdFeature("tags", 4, tags)),
        network,
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.01, 0),
        new ModelSpec.Embeddings(
            List.of(
                new ModelSpec.Table("user", 3),
                new ModelSpec.Table("tags", network instanceof ModelSpec.Network.Dlrm ? 3 : 2)),
            List.of(new ModelSpec.Use(0, IdPooling.SUM), new ModelSpec.Use(1, IdPooling.MEAN)),
            new ModelSpec.RowFit(updater, 0.05, 0.1)),
        rows);
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
              new double[] {(float) random.nextDouble()},
              new int[0],
              new IdLists(keys, new int[] {1, keys.length}),
              user % 2));
    }
    return stream;
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
}
