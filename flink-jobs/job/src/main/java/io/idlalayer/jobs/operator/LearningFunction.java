package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.capacity.IndexSpaceCheck;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.Learner;
import io.idlalayer.jobs.learner.LearnerContext;
import io.idlalayer.jobs.learner.LearnerFactory;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.mixing.StoredMixedModels;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.learner.release.TrustedSource;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.state.StoredIdentity;
import io.idlalayer.jobs.learner.update.AttemptFile;
import io.idlalayer.jobs.learner.update.AttemptNote;
import io.idlalayer.jobs.learner.update.AttemptStore;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.metrics.ReportThread;
import io.idlalayer.jobs.metrics.SubtaskMetrics;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.predictions.PredictionFile;
import io.idlalayer.jobs.predictions.PredictionFiles;
import io.idlalayer.jobs.predictions.PredictionLog;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.jobs.produce.TrustedSamples;
import io.idlalayer.jobs.report.DecisionHandover;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.TestedModels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.util.Collector;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keyed operator: finds the learner of each key, passes events and timer ticks to it, and sends
 * its output downstream. After a restore, the operator rebuilds a learner from keyed state at the
 * learner's first event or timer. Every key always has a timer, so each learner is rebuilt.
 */
public final class LearningFunction extends KeyedProcessFunction<String, Arrival, DecisionEvent> {
  private static final long serialVersionUID = 1L;
  private static final long IDLE_SECONDS = 30;

  /**
   * Largest number of learners of a subtask that can put an older version in service at the same
   * time.
   */
  private static final int ROLL_BACKS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(LearningFunction.class);

  /** Side output with the notices that tell serving processes about published models. */
  public static final OutputTag<ModelNotice> NOTICES =
      new OutputTag<>("notices", TypeInformation.of(ModelNotice.class));

  /** Side output with the events that a learner has refused. */
  public static final OutputTag<DeadLetter> REFUSED =
      new OutputTag<>("refused", TypeInformation.of(DeadLetter.class));

  /** Side output with encoded {@link MixingMessage}s: what learners say to the mixer. */
  public static final OutputTag<byte[]> MIXING =
      new OutputTag<>("mixing", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private final List<ApplicationSettings> applications;
  private final @Nullable String servers;
  private final @Nullable String defaultModelDirectory;
  private final @Nullable String defaultTensorDirectory;
  private final @Nullable String predictions;
  private final @Nullable String submission;

  private transient @Nullable Subtask subtask;

  /**
   * @param servers Kafka servers, where lenders of memory announce themselves; null if the job has
   *     none
   * @param defaultModelDirectory folder of models for applications that name none; null if all name
   *     one
   * @param defaultTensorDirectory folder of slow tensors for applications that name none; null for
   *     a temporary folder of the process
   * @param predictions file for the predictions for new events; null for none
   * @param submission the submission whose note says whether learners are allowed to begin from
   *     nothing; null if this was decided before the job started
   */
  public LearningFunction(
      List<ApplicationSettings> applications,
      @Nullable String servers,
      @Nullable Path defaultModelDirectory,
      @Nullable Path defaultTensorDirectory,
      @Nullable Path predictions,
      @Nullable String submission) {
    this.applications = List.copyOf(applications);
    this.servers = servers;
    this.defaultModelDirectory = text(defaultModelDirectory);
    this.defaultTensorDirectory = text(defaultTensorDirectory);
    this.predictions = text(predictions);
    this.submission = submission;
  }

  private static @Nullable String text(@Nullable Path path) {
    return path == null ? null : path.toAbsolutePath().normalize().toString();
  }

  /** The objects that live as long as the subtask of the operator. */
  private static final class Subtask {
    final Map<String, ApplicationSettings> settings;
    final ModelStores stores;

    /**
     * Trusted samples of each application, on which all learners of the application compare models.
     */
    final Map<String, TrustedSource> trusted = new HashMap<>();

    final Map<String, Live> learners = new HashMap<>();

    /** Keys of the learners for whose sample index {@link IndexSpaceCheck} has reserved heap. */
    final Set<String> admitted = new HashSet<>();

    final LearnerState state;
    final TrainerThread trainerThread;
    final ExecutorService looks;
    final ExecutorService rollBacks;
    final ProcessCache cache;
    final @Nullable DonationRounds donations;
    final TrainingEngines engines;
    final ProcessLender lender;
    final Emitter emitter;
    final SubtaskMetrics metrics;
    final ArrivalEvents events = new ArrivalEvents();

    Subtask(
        List<ApplicationSettings> applications,
        @Nullable String servers,
        TrainingEngines engines,
        LearnerState state,
        MetricGroup group,
        ModelStores stores,
        int index,
        String run) {
      this.engines = engines;
      this.stores = stores;
      emitter = new Emitter(run);
      settings =
          applications.stream()
              .collect(Collectors.toMap(ApplicationSettings::name, Function.identity()));
      this.state = state;
      trainerThread =
          new TrainerThread(
              "trainer-" + index,
              learner -> limitSeconds(settings.get(LearnerKey.parse(learner).application())),
              applications.stream().mapToDouble(Subtask::limitSeconds).max().orElseThrow());
      looks = daemons("looks-" + index, 1);
      rollBacks = daemons("roll-backs-" + index, ROLL_BACKS);
      metrics =
          new SubtaskMetrics(
              group, trainerThread, ReportThread.named("metrics-" + index), InstantSource.system());
      cache = ProcessCache.acquire(cacheSettings(applications), SharedPlace.of(applications));
      boolean whole = false;
      try {
        SharedHotCache shared = cache.shared();
        if (shared != null) {
          metrics.sharing(shared::use);
        }
        boolean plans = applications.stream().anyMatch(app -> app.memory().hotPlan());
        donations = plans ? cache.donations() : null;
        lender = new ProcessLender(applications, servers);
        whole = true;
      } finally {
        // The caller closes the engines; the threads end when they have nothing to do.
        if (!whole) {
          cache.release();
        }
      }
    }

    /**
     * Returns everything that a subtask closes, in the order of closing. The trainer thread comes
     * first.
     */
    List<AutoCloseable> inOrderOfClosing() {
      return List.of(
          trainerThread,
          () -> learners.values().forEach(live -> close(live.learner)),
          looks::shutdownNow,
          rollBacks::shutdownNow,
          metrics,
          stores,
          () -> admitted.forEach(IndexSpaceCheck.process()::release),
          () -> learners.keySet().forEach(key -> close(LearnerKey.parse(key))),
          cache::release,
          engines,
          lender);
    }

    /**
     * Returns an executor of daemon threads that end when they have nothing to do. The length of
     * their queue is bounded, because a learner starts the next rollback, pin or reading of trusted
     * samples only when the last one has ended.
     */
    private static ExecutorService daemons(String name, int most) {
      ThreadPoolExecutor threads =
          new ThreadPoolExecutor(
              most,
              most,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
              });
      threads.allowCoreThreadTimeOut(true);
      return threads;
    }

    private static double limitSeconds(@Nullable ApplicationSettings application) {
      return java.util.Objects.requireNonNull(application).model().fit().timeLimitSeconds();
    }

    private static long mostHotBytes(ApplicationSettings application) {
      ApplicationSettings.Memory memory = application.memory();
      return FastBudget.mostHotBytes(memory.budget(), memory.hotBytes()) * application.partitions();
    }

    /**
     * Returns the settings of a cache that has space for the donations of all learners of all
     * applications.
     */
    private static CacheSettings cacheSettings(List<ApplicationSettings> applications) {
      long bytes = applications.stream().mapToLong(Subtask::mostHotBytes).sum();
      return new CacheSettings(bytes, applications.get(0).memory().hotPolicy());
    }
  }

  /** An open learner with the time of its Flink timer. */
  private static final class Live {
    final Learner learner;
    long timerMillis = Long.MAX_VALUE;

    Live(Learner learner) {
      this.learner = learner;
    }
  }

  /**
   * An output of learners that passes events to Flink's collector of the current call, and decision
   * events also to readers in this process.
   */
  private static final class Emitter implements LearnerOutput {
    @Nullable Collector<DecisionEvent> out;
    @Nullable Context context;
    private final String run;

    Emitter(String run) {
      this.run = run;
    }

    @Override
    public void decision(DecisionEvent event) {
      DecisionEvent sent = event.in(run);
      java.util.Objects.requireNonNull(out, "no call is running").collect(sent);
      DecisionHandover.process().offer(sent);
    }

    @Override
    public void refused(DeadLetter letter) {
      java.util.Objects.requireNonNull(context, "no call is running").output(REFUSED, letter);
    }

    @Override
    public void notice(ModelNotice notice) {
      java.util.Objects.requireNonNull(context, "no call is running").output(NOTICES, notice);
    }

    @Override
    public void mixing(MixingMessage message) {
      java.util.Objects.requireNonNull(context, "no call is running")
          .output(MIXING, message.encode());
    }
  }

  @Override
  public void open(OpenContext context) throws InterruptedException {
    JobClassLoader.enter(getRuntimeContext());
    TrainingEngines engines;
    try {
      engines =
          new TrainingEngines(
              applications, new TensorFolder.Defaults(tensorDirectory(), servers), trainings());
    } catch (LastingFailureException lasting) {
      throw new SuppressRestartsException(lasting);
    }
    Subtask opened;
    try {
      opened =
          new Subtask(
              applications,
              servers,
              engines,
              new FlinkLearnerState(getRuntimeContext(), slowDirectory()),
              getRuntimeContext().getMetricGroup(),
              new ModelStores(getRuntimeContext()),
              getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
              getRuntimeContext().getJobInfo().getJobId().toString());
      subtask = opened;
    } finally {
      if (subtask == null) {
        engines.close();
      }
    }
    engines.warmUp(opened.trainerThread);
  }

  private String tensorDirectory() {
    return defaultTensorDirectory == null
        ? ModelStores.temporary(getRuntimeContext(), "idla-tensors")
        : defaultTensorDirectory;
  }

  /**
   * Returns the slow directory of the job. Applications of one job never name different slow
   * directories.
   */
  private @Nullable String slowDirectory() {
    return applications.stream()
        .map(application -> application.memory().slowDirectory())
        .filter(java.util.Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the largest number of trainings that run at a time in this process. A subtask runs one
   * training at a time, and a process runs at most as many subtasks as it has slots.
   */
  private int trainings() {
    int slots =
        ((StreamingRuntimeContext) getRuntimeContext())
            .getTaskManagerRuntimeInfo()
            .getConfiguration()
            .get(TaskManagerOptions.NUM_TASK_SLOTS);
    int subtasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
    return Math.max(1, Math.min(slots, subtasks));
  }

  @Override
  public void processElement(Arrival arrival, Context context, Collector<DecisionEvent> out)
      throws Exception {
    try {
      Live live = live(context, out);
      live.learner.arrive(opened().events.of(arrival));
      setTimer(live, context);
    } catch (LastingFailureException lasting) {
      throw new SuppressRestartsException(lasting);
    }
  }

  @Override
  public void onTimer(long timestamp, OnTimerContext context, Collector<DecisionEvent> out)
      throws Exception {
    try {
      Live live = live(context, out);
      if (timestamp >= live.timerMillis) {
        live.timerMillis = Long.MAX_VALUE;
      }
      live.learner.tick();
      setTimer(live, context);
    } catch (LastingFailureException lasting) {
      throw new SuppressRestartsException(lasting);
    }
  }

  /**
   * Lets every learner write the state that is only in its memory, before a checkpoint.
   *
   * @param currentKey sets the key whose state is written
   */
  void beforeCheckpoint(Consumer<String> currentKey) {
    opened()
        .learners
        .forEach(
            (key, live) -> {
              currentKey.accept(key);
              live.learner.beforeCheckpoint();
            });
  }

  /**
   * Lets every learner send its last status before the job ends.
   *
   * @param currentKey sets the key whose state is read
   */
  void sayLastStatuses(Consumer<String> currentKey) {
    opened()
        .learners
        .forEach(
            (key, live) -> {
              currentKey.accept(key);
              live.learner.sayLastStatus();
            });
  }

  /** Returns whether all learners of this subtask have learned and published all of their input. */
  boolean finished() {
    return opened().learners.values().stream().allMatch(live -> live.learner.finished());
  }

  private Subtask opened() {
    return java.util.Objects.requireNonNull(subtask, "not opened");
  }

  private Live live(Context context, Collector<DecisionEvent> out) throws InterruptedException {
    Subtask here = opened();
    here.emitter.out = out;
    here.emitter.context = context;
    String key = context.getCurrentKey();
    Live live = here.learners.get(key);
    if (live == null) {
      live = new Live(open(here, key));
      here.learners.put(key, live);
      live.learner.tick();
    }
    return live;
  }

  private Learner open(Subtask here, String key) {
    LearnerKey learnerKey = LearnerKey.parse(key);
    ApplicationSettings settings = here.settings.get(learnerKey.application());
    if (settings == null) {
      throw new LastingFailureException(
          "state holds application %s, which this job does not run: add its file again"
              .formatted(learnerKey.application()));
    }
    String place = modelDirectory(settings);
    ModelStore served = here.stores.open(place);
    // If models are mixed, the models of a learner are contributions to the mix.
    boolean mixes = settings.mixing().on();
    ModelStore models = mixes ? here.stores.open(ModelStores.contributions(place)) : served;
    // The learner might be refused, so this comes before threads are started for it.
    if (submission != null) {
      FreshStart.require(here.state, models, served, learnerKey, submission);
    }
    StoredIdentity.require(here.state, settings);
    TrustedSource trusted =
        here.trusted.computeIfAbsent(settings.name(), name -> new Trusted(settings));
    LastingFailureException.throwIf(IndexSpaceCheck.process().take(key, settings));
    here.admitted.add(key);
    Path local = here.stores.local(served, defaultModelDirectory);
    EngineChoice engine = here.engines.of(settings);
    TestedModels tested = engine.testedModels();
    TensorGrant grant = here.engines.grant(settings);
    return LearnerFactory.open(
        new LearnerContext(
            new LearnerIdentity(learnerKey, settings),
            new LearnerContext.Workers(
                here.trainerThread,
                here.looks,
                here.rollBacks,
                LearnerContext.Workers.FULL_STORE_WAIT),
            new LearnerContext.Ports(
                new LearnerClock(InstantSource.system(), System::nanoTime),
                here.state,
                new StoredModels(models, local, learnerKey.application(), learnerKey.partition()),
                attempts(models, local, learnerKey),
                trusted,
                samples ->
                    LastingFailureException.throwIf(
                        IndexSpaceCheck.process().loaded(learnerKey.text(), settings, samples)),
                here.metrics.observing(
                    learnerKey,
                    here.emitter,
                    version -> publishedAt(served, served(learnerKey, settings), version)),
                predictions(learnerKey, settings),
                ProcessorTimes.process().open(learnerKey.text()),
                mixes
                    ? new StoredMixedModels(
                        served, models, learnerKey.application(), settings.partitions())
                    : null),
            new LearnerContext.Engine(
                () -> engine.trainer(learnerKey.text(), settings.data().needsHeldOutModel(), grant),
                scorer("scorer-" + learnerKey.text(), tested, settings),
                () -> scorer("comparison-" + learnerKey.text(), tested, settings),
                here.engines.status(settings),
                here.engines.measured(settings)),
            new LearnerContext.Memory(
                here.cache.hot(),
                settings.memory().hotPlan() ? here.donations : null,
                here.cache.shared(),
                grant)));
  }

  private static Scorer scorer(
      String threadName, TestedModels tested, ApplicationSettings settings) {
    return new Scorer(
        threadName, tested::load, settings.model().fit().timeLimitSeconds(), System::nanoTime);
  }

  /**
   * Returns the key under which the model of a learner is served. A mixed model is served under the
   * key of partition 0.
   */
  private static LearnerKey served(LearnerKey learner, ApplicationSettings settings) {
    return settings.mixing().on() ? new LearnerKey(learner.application(), 0) : learner;
  }

  private String modelDirectory(ApplicationSettings settings) {
    String named = settings.publishing().directory();
    return named == null
        ? java.util.Objects.requireNonNull(defaultModelDirectory, "publishing.directory is missing")
        : named;
  }

  /**
   * Returns the store of a learner's training attempts. The learner finds this store again in
   * whichever process it is restored.
   */
  private AttemptStore attempts(ModelStore models, Path local, LearnerKey key) {
    return models.folder().isEmpty() && defaultModelDirectory == null
        ? new AttemptNote(models, key.application(), key.partition())
        : new AttemptFile(attemptFile(local, key));
  }

  private PredictionLog predictions(LearnerKey key, ApplicationSettings settings) {
    String named = predictions;
    return named == null
        ? PredictionLog.NONE
        : new PredictionFile(
            PredictionFiles.of(Path.of(named), key, applications),
            settings.input().schema().label());
  }

  /** Reads the trusted samples of an application once, for all of its learners. */
  private static final class Trusted implements TrustedSource {
    private final ApplicationSettings settings;
    private @Nullable List<Sample> known;

    Trusted(ApplicationSettings settings) {
      this.settings = settings;
    }

    @Override
    public synchronized List<Sample> read() throws IOException {
      List<Sample> samples = known;
      if (samples == null) {
        samples = TrustedSamples.read(settings);
        known = samples;
      }
      return samples;
    }
  }

  /**
   * Returns the publication time in the manifest of a version, epoch milliseconds; negative if it
   * cannot be read.
   */
  private static long publishedAt(ModelStore models, LearnerKey key, long version) {
    try {
      return models.read(key.application(), key.partition(), version).manifest().createdAtMillis();
    } catch (IOException unreadable) {
      // This is tried again every few seconds, so it is logged without a stack trace.
      LOG.warn(
          "{}: cannot read when version {} was published: {}", key, version, unreadable.toString());
      return -1;
    }
  }

  /** Returns the file beside the models with a learner's training attempts. */
  private static Path attemptFile(Path models, LearnerKey key) {
    return models.resolve(".attempts").resolve(key.application()).resolve(key.partition() + ".bin");
  }

  /**
   * Sets the timer of a learner, if it must fire earlier than the present timer. A timer that fires
   * too early is harmless, but a timer that every event moves to a later time would never fire.
   */
  private static void setTimer(Live live, Context context) {
    long next = context.timerService().currentProcessingTime() + live.learner.sleepMillis();
    if (next < live.timerMillis) {
      if (live.timerMillis != Long.MAX_VALUE) {
        context.timerService().deleteProcessingTimeTimer(live.timerMillis);
      }
      context.timerService().registerProcessingTimeTimer(next);
      live.timerMillis = next;
    }
  }

  /** Closes a learner. A failure is only logged, so that the other learners are closed too. */
  private static void close(Learner learner) {
    try {
      learner.close();
    } catch (RuntimeException failed) {
      LOG.warn("a learner could not be closed", failed);
    }
  }

  private static void close(LearnerKey learner) {
    ProcessorTimes.process().close(learner.text());
  }

  @Override
  public void close() throws Exception {
    Subtask here = subtask;
    subtask = null;
    if (here != null) {
      // All objects are closed, even if closing one of them fails, because the process might run
      // other jobs.
      IOUtils.closeAll(here.inOrderOfClosing(), Throwable.class);
    }
  }
}
