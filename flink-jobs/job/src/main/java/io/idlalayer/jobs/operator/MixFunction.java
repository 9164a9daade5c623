package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.mixing.Baseline;
import io.idlalayer.jobs.mixing.CandidateGate;
import io.idlalayer.jobs.mixing.CandidateScores;
import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.CandidateWork;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixRelease;
import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.jobs.mixing.MixWork;
import io.idlalayer.jobs.mixing.Mixer;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.jobs.mixing.StoredMixing;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.FencedPublisherException;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mixes the models of the learners of each application. It receives the messages of the learners,
 * {@link Mixer} decides, and {@link MixWork} does the work on a separate thread. A round is in
 * keyed state before it is carried out, and the model of the round is in keyed state before the
 * model is published.
 *
 * <p>A step that fails is tried again until it succeeds, with growing pauses. In the meantime the
 * last version serves, and each learner continues with its own model.
 */
final class MixFunction extends KeyedProcessFunction<String, byte[], ModelNotice> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(MixFunction.class);
  static final String MIXER_STATE = "mixer-v1";
  private static final long POLL_MILLIS = 10;
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;
  private static final long CLOSE_SECONDS = 10;

  /**
   * Number of failures in a row after which a mix leaves out contributions that cannot be read.
   * With the pauses, this takes about four minutes.
   */
  private static final int PATIENT_FAILURES = 9;

  private static final PrimitiveArrayTypeInfo<byte[]> BYTES =
      PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

  private final List<ApplicationSettings> applications;
  private final @Nullable String defaultModelDirectory;

  private transient @Nullable Subtask subtask;

  /**
   * @param models default folder of models; null if all applications name one
   */
  MixFunction(List<ApplicationSettings> applications, @Nullable Path models) {
    this.applications = List.copyOf(applications);
    defaultModelDirectory = models == null ? null : models.toAbsolutePath().normalize().toString();
  }

  /** The objects that live as long as the subtask of the operator. */
  private static final class Subtask {
    final Map<String, Live> mixers = new HashMap<>();
    final ModelStores stores;
    final ExecutorService worker;
    final LearnerClock clock = new LearnerClock(InstantSource.system(), System::nanoTime);
    final ValueState<byte[]> mixer;
    final ValueState<byte[]> mixed;
    final ValueState<byte[]> candidate;
    final ValueState<byte[]> baseline;

    Subtask(ModelStores stores, String thread, RuntimeContext context) {
      this.stores = stores;
      mixer = context.getState(new ValueStateDescriptor<>(MIXER_STATE, BYTES));
      mixed = context.getState(new ValueStateDescriptor<>("mixed-v1", BYTES));
      candidate = context.getState(new ValueStateDescriptor<>("mix-candidate-v1", BYTES));
      baseline = context.getState(new ValueStateDescriptor<>("mix-baseline-v1", BYTES));
      worker =
          Executors.newSingleThreadExecutor(
              task -> {
                Thread started = new Thread(task, thread);
                started.setDaemon(true);
                return started;
              });
    }
  }

  /** The result of a task of the worker. */
  private sealed interface Done {}

  private record Mixed(MixWork.Computed computed) implements Done {}

  private record Stored(MixWork.Published published, List<Contributor> names) implements Done {}

  /** The worker has stored a model, so that learners can score it. */
  private record Offered(SortedMap<Integer, String> incarnations) implements Done {}

  /**
   * The worker has stored the verdict on a model.
   *
   * @param earlier the verdict of an earlier attempt; null if this attempt has decided
   */
  private record Decided(@Nullable CandidateVerdict earlier) implements Done {}

  /** The mixer of an application. */
  private static final class Live {
    final Mixer mixer;
    final MixRelease release;
    final MixWork work;
    final CandidateWork candidates;
    @Nullable Future<Done> running;
    int failures;
    long retryAtMillis = Long.MIN_VALUE;
    long timerMillis = Long.MAX_VALUE;

    Live(ApplicationSettings settings, MixingPlace place) {
      mixer = new Mixer(settings.partitions(), settings.mixing());
      release = new MixRelease(settings.publishing().gate(), mixer);
      work = new MixWork(settings, place);
      candidates =
          new CandidateWork(settings.name(), place, settings.mixing().partitionBy() != null);
    }
  }

  @Override
  public void open(OpenContext context) {
    JobClassLoader.enter(getRuntimeContext());
    subtask =
        new Subtask(
            new ModelStores(getRuntimeContext()),
            "mixer-" + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
            getRuntimeContext());
  }

  @Override
  public void processElement(byte[] record, Context context, Collector<ModelNotice> out)
      throws Exception {
    try {
      Live live = live(context.getCurrentKey());
      MixingMessage message = MixingMessage.decode(record);
      if (message instanceof MixingRecord said) {
        live.mixer.receive(said, nowMillis());
        save(live);
      } else if (message instanceof CandidateScores scores) {
        live.release.receive(scores);
      }
      step(live, context, out);
    } catch (LastingFailureException lasting) {
      throw new SuppressRestartsException(lasting);
    }
  }

  @Override
  public void onTimer(long timestamp, OnTimerContext context, Collector<ModelNotice> out)
      throws Exception {
    try {
      Live live = live(context.getCurrentKey());
      if (timestamp >= live.timerMillis) {
        live.timerMillis = Long.MAX_VALUE;
      }
      step(live, context, out);
    } catch (LastingFailureException lasting) {
      throw new SuppressRestartsException(lasting);
    }
  }

  /**
   * Opens the mixer of an application from restored state, before the first timer of the mixer. The
   * key of the application must be the current key. If the stream ends right after the restore, a
   * round of the restored state is still completed.
   */
  void resume(String application) throws Exception {
    if (applications.stream().anyMatch(each -> each.name().equals(application))) {
      live(application);
    }
  }

  /** Returns whether everything that learners have contributed here is published. */
  boolean idle() {
    return opened().mixers.values().stream().allMatch(live -> live.mixer.idle());
  }

  private Subtask opened() {
    return Objects.requireNonNull(subtask, "not opened");
  }

  private long nowMillis() {
    return opened().clock.now().millis();
  }

  private Live live(String application) throws Exception {
    Subtask here = opened();
    Live live = here.mixers.get(application);
    if (live != null) {
      return live;
    }
    ApplicationSettings settings =
        applications.stream()
            .filter(each -> each.name().equals(application))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "state holds the mixed model of %s, which this job does not run: add its file again"
                            .formatted(application)));
    String named = settings.publishing().directory();
    String place =
        named == null
            ? Objects.requireNonNull(defaultModelDirectory, "publishing.directory is missing")
            : named;
    ModelStore models = here.stores.open(place);
    live =
        new Live(
            settings,
            new StoredMixing(
                models,
                here.stores.open(ModelStores.contributions(place)),
                here.stores.local(models, defaultModelDirectory),
                application,
                settings.partitions(),
                settings.publishing().keep()));
    byte[] mixer = here.mixer.value();
    if (mixer != null) {
      live.mixer.restore(mixer, nowMillis());
    }
    byte[] mixed = here.mixed.value();
    byte[] candidate = here.candidate.value();
    byte[] baseline = here.baseline.value();
    live.release.restore(
        mixed == null ? MixState.NOTHING : MixState.decode(mixed),
        candidate == null ? null : MixState.decode(candidate),
        baseline == null ? null : Baseline.decode(baseline));
    here.mixers.put(application, live);
    return live;
  }

  private void save(Live live) throws Exception {
    opened().mixer.update(live.mixer.snapshot());
  }

  /** Saves the models and the state of the mixer. */
  private void saveModels(Live live) throws Exception {
    Subtask here = opened();
    here.mixed.update(live.release.state().encode());
    MixState candidate = live.release.candidate();
    here.candidate.update(candidate == null ? null : candidate.encode());
    Baseline baseline = live.release.olderBaseline();
    here.baseline.update(baseline == null ? null : baseline.encode());
    save(live);
  }

  private void step(Live live, Context context, Collector<ModelNotice> out) throws Exception {
    boolean more = true;
    while (more) {
      more = live.running == null ? begin(live) : end(live, context.getCurrentKey(), out);
    }
    setTimer(live, context);
  }

  /** Starts the work that is due. Returns whether there was such work. */
  private boolean begin(Live live) throws Exception {
    if (nowMillis() < live.retryAtMillis) {
      return false;
    }
    if (live.mixer.poll(nowMillis()) != null) {
      save(live);
    }
    Callable<Done> work =
        switch (live.mixer.state()) {
          case IDLE, GATHERING -> null;
          case MIXING -> compute(live);
          case TESTING -> test(live);
          case PUBLISHING -> publish(live);
        };
    if (work == null) {
      return false;
    }
    live.running = opened().worker.submit(work);
    return true;
  }

  private static MixRound fired(Live live) {
    return Objects.requireNonNull(live.mixer.fired(), "no round is fired");
  }

  private static Callable<Done> compute(Live live) {
    MixRound round = fired(live);
    MixState state = live.release.state();
    boolean patient = live.failures < PATIENT_FAILURES;
    return () -> new Mixed(live.work.compute(round, state, patient));
  }

  /** Returns the next task for a model that is tested; null if there is nothing to do now. */
  private @Nullable Callable<Done> test(Live live) {
    MixRound round = fired(live);
    MixState candidate = Objects.requireNonNull(live.release.candidate(), "no model is tested");
    List<Contributor> names = live.mixer.names();
    SortedMap<Integer, String> incarnations = live.mixer.incarnations();
    CandidateGate gate = live.release.gate();
    Baseline baseline = live.release.baseline();
    return switch (gate.look(incarnations, nowMillis())) {
      case NOTHING -> null;
      case OFFER -> {
        gate.offering(incarnations);
        yield () -> {
          Optional<CandidateVerdict> earlier = live.candidates.earlier(candidate, baseline, names);
          if (earlier.isPresent()) {
            return new Decided(earlier.get());
          }
          live.candidates.offer(round, candidate, baseline, names);
          return new Offered(incarnations);
        };
      }
      case RECORD -> {
        CandidateVerdict verdict = gate.verdict();
        yield () -> {
          live.candidates.record(round, candidate, baseline, verdict, names);
          return new Decided(null);
        };
      }
    };
  }

  private static Callable<Done> publish(Live live) {
    MixRound round = fired(live);
    MixState state = live.release.state();
    List<Contributor> names = live.mixer.names();
    long published = live.mixer.publishedVersion();
    boolean goesOn = live.mixer.goesOn();
    CandidateVerdict verdict = live.mixer.verdict();
    return () ->
        new Stored(live.work.publish(round, state, names, published, goesOn, verdict), names);
  }

  /**
   * Takes the result of the worker, if the task has ended. Returns whether the task has succeeded.
   */
  private boolean end(Live live, String application, Collector<ModelNotice> out) throws Exception {
    Future<Done> running = Objects.requireNonNull(live.running);
    if (!running.isDone()) {
      return false;
    }
    live.running = null;
    Done done;
    try {
      done = running.get();
    } catch (ExecutionException failed) {
      failed(live, application, failed);
      return false;
    }
    live.failures = 0;
    if (done instanceof Mixed mixed) {
      computed(live, application, mixed.computed());
    } else if (done instanceof Offered offered) {
      live.release.gate().offered(offered.incarnations(), nowMillis());
    } else if (done instanceof Decided decided) {
      decided(live, application, decided.earlier());
    } else if (done instanceof Stored stored) {
      published(live, application, stored.published(), stored.names(), out);
    }
    return true;
  }

  private void published(
      Live live,
      String application,
      MixWork.Published published,
      List<Contributor> names,
      Collector<ModelNotice> out)
      throws Exception {
    ModelCheckpoint version = published.version();
    long number = version.manifest().version();
    if (published.serves()) {
      live.mixer.published(number, names, nowMillis());
    } else {
      live.mixer.withheld(names, nowMillis());
    }
    save(live);
    if (published.serves()) {
      out.collect(
          new ModelNotice(application, 0, number, version.digest(), opened().clock.wallMillis()));
    }
  }

  private void computed(Live live, String application, MixWork.Computed computed) throws Exception {
    computed.state().notes().forEach(note -> LOG.warn("{}: {}", application, note));
    live.release.computed(computed, nowMillis());
    saveModels(live);
  }

  private void decided(Live live, String application, @Nullable CandidateVerdict earlier)
      throws Exception {
    if (earlier != null) {
      live.release.gate().found(earlier);
    }
    long round = fired(live).number();
    CandidateVerdict verdict = live.release.decide(nowMillis());
    saveModels(live);
    if (!verdict.passes()) {
      LOG.warn(
          "{}: the mixed model of round {} is {}; it is not published, and its contributions wait"
              + " for the next round",
          application,
          round,
          verdict.describe());
    }
  }

  private void failed(Live live, String application, ExecutionException failed) {
    if (failed.getCause() instanceof FencedPublisherException fenced) {
      throw new IllegalStateException(
          "another job mixes the models of %s: %s".formatted(application, fenced.getMessage()),
          fenced);
    }
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(16, live.failures));
    live.failures++;
    live.retryAtMillis = nowMillis() + pause;
    LOG.warn(
        "{}: mixing failed (attempt {}); it is tried again in {} ms. Until then the last version serves, and each learner goes on with its own model",
        application,
        live.failures,
        pause,
        failed.getCause());
  }

  private void setTimer(Live live, Context context) {
    long now = nowMillis();
    long due =
        live.running != null
            ? now + POLL_MILLIS
            : switch (live.mixer.state()) {
              case IDLE -> Long.MAX_VALUE;
              case GATHERING -> live.mixer.nextPollMillis();
              case TESTING -> Math.max(live.retryAtMillis, live.release.gate().nextLookMillis(now));
              case MIXING, PUBLISHING -> live.retryAtMillis;
            };
    if (due == Long.MAX_VALUE) {
      return;
    }
    long next =
        context.timerService().currentProcessingTime() + Math.max(1, Math.min(due - now, 60_000));
    if (next < live.timerMillis) {
      if (live.timerMillis != Long.MAX_VALUE) {
        context.timerService().deleteProcessingTimeTimer(live.timerMillis);
      }
      context.timerService().registerProcessingTimeTimer(next);
      live.timerMillis = next;
    }
  }

  @Override
  public void close() throws InterruptedException {
    Subtask here = subtask;
    subtask = null;
    if (here != null) {
      here.worker.shutdownNow();
      try {
        if (!here.worker.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
          LOG.warn(
              "the mixer thread does not stop within {} s; it ends when the model store answers",
              CLOSE_SECONDS);
        }
      } finally {
        here.stores.close();
      }
    }
  }
}
