package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingFailedException.Kind;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A real learner in a world that a seed decides: a topic that is read from a position, state that
 * is restored from any of the last checkpoints, two clocks, a trainer thread that runs when the
 * scheduler says so, and everything that can go wrong with them. What happens is told to a {@link
 * HistoryChecker}, which sees no more than an outsider does.
 */
final class LearnerWorld implements LearnerOutput, AutoCloseable {
  /** What may happen besides events and time. */
  enum Fault {
    /** The process dies and starts from what a checkpoint of this moment holds, or of the last. */
    CRASH,
    /** It starts from an older checkpoint. */
    OLDER_STATE,
    /** Labels are taken back, and given again. */
    RETRACTION,
    /** The wall clock is set: a second, an hour, a day, forward and back. */
    CLOCK,
    /** Publishing fails for a while. */
    PUBLISHING,
    /** Trainings fail now and then, whatever they train. */
    TRAINING,
    /** Some samples make every training fail that they are in. */
    CULPRIT,
    /** Some samples have losses that are no numbers. */
    NAN,
    /** Some samples make every training hang that they are in, until it is given up. */
    HANG,
    /** Some samples kill the process that trains them. */
    KILLER,
    /** The store is small and trained slowly. */
    FULL_STORE
  }

  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long HANG_MILLIS = 120_000;
  private static final int CHECKPOINTS = 4;
  private static final int MOST_RESTARTS = 200;
  private static final int MOST_TICKS_TO_THE_END = 40_000;
  private static final long MOST_MILLIS_TO_THE_END = 12L * 3_600_000;
  private static final int MOST_TICKS_A_SECOND = 300;

  private final Random random;
  private final Set<Fault> faults;
  private final HistoryChecker checker;
  private final FakeModels models;
  private final ApplicationSettings settings;
  private final SampleCodec codec = new SampleCodec();
  private final HotCache cache = new HotCache(new CacheSettings(1 << 20, PolicyName.ADAPTIVE));

  private final List<LearnerEvent> topic = new ArrayList<>();
  private final Deque<Checkpoint> checkpoints = new ArrayDeque<>();
  private final Set<Integer> culprits = new HashSet<>();
  private final List<Integer> waitingForLabel = new ArrayList<>();
  private final List<Integer> withdrawn = new ArrayList<>();
  private int position;
  private int contents;
  private boolean quiet;
  private boolean publishingFails;
  private boolean died;
  private int restarts;
  private final FakeAttemptStore attempts = new FakeAttemptStore(() -> died);

  private long trueNanos = 7_777_777_777L;
  private long wallMillis = START_MILLIS;
  private long timerMillis = Long.MAX_VALUE;
  private long timerDueNanos = Long.MAX_VALUE;
  private long tickSecond;
  private int ticksThisSecond;

  private FakeLearnerState state = new FakeLearnerState();
  private ManualExecutor executor = new ManualExecutor();
  private LearnerClock clock;
  private Scorer scorer;
  private Learner learner;

  private record Checkpoint(FakeLearnerState state, int position) {}

  LearnerWorld(long seed, UpdateSettings.RuleName rule, Set<Fault> faults)
      throws InterruptedException {
    random = new Random(seed);
    this.faults = EnumSet.copyOf(faults);
    models = new FakeModels(() -> publishingFails);
    checker = new HistoryChecker(models, !faults.contains(Fault.TRAINING));
    settings = LearnerSimulation.settings(update(rule), data());
    keepState();
    open();
    startLearner();
  }

  private static UpdateSettings update(UpdateSettings.RuleName rule) {
    return UpdateSettings.of(rule, 10)
        .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(0.5).withCount(12))
        .with(new UpdateSettings.Limits(30, 0, 0));
  }

  private DataSettings data() {
    return new DataSettings(
        DataSettings.Staging.defaults(),
        DataSettings.Replay.of(
            DataSettings.Policy.STAGE_SHARES, new DataSettings.Ratios(1, 1, 0.25), false, 6),
        faults.contains(Fault.FULL_STORE) ? 40 : 100_000,
        1 << 20,
        20);
  }

  private void open() {
    executor = new ManualExecutor();
    clock = new LearnerClock(() -> Instant.ofEpochMilli(wallMillis), () -> trueNanos);
    scorer = new Scorer("scorer", artifact -> new EvenModel());
    learner =
        LearnerFactory.open(
            new LearnerContext(
                new LearnerKey("app", 0),
                settings,
                state,
                new TrainerThread(executor),
                FaultyTrainer::new,
                Status.Engine.UNKNOWN,
                null,
                models,
                executor,
                executor,
                scorer,
                cache,
                attempts,
                clock,
                Duration.ZERO,
                null,
                null,
                TrustedSource.NONE,
                samples -> {},
                this));
    timerMillis = Long.MAX_VALUE;
    timerDueNanos = Long.MAX_VALUE;
  }

  /**
   * As the operator does: one timer, only ever moved earlier; how long it sleeps is decided now.
   */
  private void setTimer() {
    long next = wallMillis + learner.sleepMillis();
    if (next < timerMillis) {
      timerMillis = next;
      timerDueNanos = trueNanos + Math.max(0, next - wallMillis) * NANOS_PER_MILLI;
    }
  }

  /** A random history of so many steps. */
  void live(int steps) throws InterruptedException {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() throws InterruptedException {
    int draw = random.nextInt(100);
    if (draw < 30) {
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        send();
      }
      deliver(random.nextInt(8) == 0 ? random.nextInt(3) : Integer.MAX_VALUE);
    } else if (draw < 55) {
      pass(1 + random.nextInt(random.nextInt(10) == 0 ? 20_000 : 300));
    } else if (draw < 75) {
      work();
    } else if (draw < 80) {
      checkpoint();
    } else if (draw < 82) {
      topic.add(new LearnerEvent.UpdateRequest(next(), new TreeMap<>()));
      deliver(Integer.MAX_VALUE);
    } else if (draw < 84) {
      deliver(Integer.MAX_VALUE);
      end();
    } else {
      fault();
    }
  }

  private void fault() throws InterruptedException {
    List<Fault> active = List.copyOf(faults);
    switch (active.get(random.nextInt(active.size()))) {
      case CRASH -> {
        if (random.nextBoolean()) {
          checkpoint();
        }
        restart(checkpoints.getLast());
      }
      case OLDER_STATE -> {
        if (random.nextInt(3) == 0) {
          restart(List.copyOf(checkpoints).get(random.nextInt(checkpoints.size())));
        }
      }
      case RETRACTION -> retract();
      case CLOCK -> {
        if (random.nextInt(4) == 0) {
          long step = new long[] {1_000, 3_600_000, 86_400_000}[random.nextInt(3)];
          wallMillis += random.nextBoolean() ? step : -step;
        }
      }
      case PUBLISHING -> publishingFails = random.nextBoolean();
      case CULPRIT, NAN, HANG, KILLER -> {
        if (random.nextInt(6) == 0 && contents > 0) {
          culprits.add(contents + 1);
          send();
        }
      }
      case TRAINING, FULL_STORE -> {}
    }
  }

  /** Events of all kinds at the end of the topic. */
  private void send() {
    int draw = random.nextInt(100);
    if (draw < 70 || contents == 0) {
      sample(++contents, label());
    } else if (draw < 80) {
      sample(1 + random.nextInt(contents), label());
    } else if (draw < 85) {
      topic.add(new LearnerEvent.Malformed(next(), wallMillis));
      checker.malformedSent();
    } else if (draw < 92) {
      waitingForLabel.add(++contents);
      sample(contents, Sample.NO_LABEL);
    } else if (!waitingForLabel.isEmpty()) {
      sample(waitingForLabel.remove(random.nextInt(waitingForLabel.size())), label());
    } else {
      topic.add(new LearnerEvent.Explain(next(), id(1 + random.nextInt(contents))));
    }
  }

  private float label() {
    return random.nextInt(2);
  }

  private void retract() throws InterruptedException {
    if (contents == 0) {
      return;
    }
    if (!withdrawn.isEmpty() && random.nextBoolean()) {
      sample(withdrawn.remove(random.nextInt(withdrawn.size())), label());
    } else {
      int content = Math.max(1, contents - random.nextInt(20));
      topic.add(new LearnerEvent.RetractionRequest(next(), id(content), new TreeMap<>()));
      checker.retractionSent(content);
      withdrawn.add(content);
    }
    deliver(Integer.MAX_VALUE);
  }

  private static String id(int content) {
    return "e" + content;
  }

  private void sample(int content, float label) {
    Sample sample = new Sample(id(content), new float[] {content}, new int[0], label);
    ContentHash hash = ContentHasher.of(sample);
    topic.add(
        new LearnerEvent.SampleArrived(next(), wallMillis, sample, hash, codec.encode(sample)));
    checker.sampleSent(content, sample.labeled(), culprits.contains(content));
  }

  private LearnerEvent.Position next() {
    return new LearnerEvent.Position("events", 0, topic.size());
  }

  private void end() throws InterruptedException {
    topic.add(new LearnerEvent.EndOfInput(next(), "1", new TreeMap<>()));
    deliver(Integer.MAX_VALUE);
  }

  /** Hands the next events of the topic to the learner. */
  private void deliver(int most) throws InterruptedException {
    for (int i = 0; i < most && position < topic.size(); i++) {
      LearnerEvent event = topic.get(position++);
      guarded(() -> learner.arrive(event));
    }
  }

  private interface Call {
    void run() throws InterruptedException;
  }

  /** What throws ends the job, which starts again from its last checkpoint. */
  private void guarded(Call call) throws InterruptedException {
    try {
      call.run();
    } catch (RuntimeException failed) {
      checker.failed(failed);
      restart(checkpoints.getLast());
      return;
    }
    if (died) {
      restart(checkpoints.getLast());
    } else {
      setTimer();
    }
  }

  private void restart(Checkpoint from) throws InterruptedException {
    died = false;
    if (++restarts > MOST_RESTARTS && quiet) {
      throw checker.violation("the process died or failed " + restarts + " times");
    }
    while (!checkpoints.getLast().equals(from)) {
      checkpoints.removeLast();
    }
    learner.close();
    checker.started();
    state = from.state().copy();
    position = from.position();
    trueNanos += random.nextInt(5_000) * NANOS_PER_MILLI;
    try {
      open();
    } catch (RuntimeException unreadable) {
      throw checker.violation("state cannot be restored: " + unreadable, unreadable);
    }
    startLearner();
  }

  /** The engine ticks a learner that it has opened, before anything else. */
  private void startLearner() throws InterruptedException {
    guarded(() -> learner.tick());
  }

  private void checkpoint() {
    learner.beforeCheckpoint();
    keepState();
  }

  private void keepState() {
    checkpoints.addLast(new Checkpoint(state.copy(), position));
    if (checkpoints.size() > CHECKPOINTS) {
      checkpoints.removeFirst();
    }
  }

  /** Runs one task of the trainer thread. */
  private boolean work() throws InterruptedException {
    boolean worked = executor.runOne();
    if (died) {
      restart(checkpoints.getLast());
    }
    return worked;
  }

  /** Lets time pass; the timer rings when it is due. */
  private void pass(long millis) throws InterruptedException {
    long until = trueNanos + millis * NANOS_PER_MILLI;
    while (timerDueNanos <= until) {
      advance(Math.max(trueNanos, timerDueNanos));
      tick();
    }
    advance(until);
  }

  private void advance(long nanos) {
    long millis = (nanos - trueNanos) / NANOS_PER_MILLI;
    trueNanos += millis * NANOS_PER_MILLI;
    wallMillis += millis;
  }

  private void tick() throws InterruptedException {
    long second = trueNanos / 1_000_000_000L;
    ticksThisSecond = second == tickSecond ? ticksThisSecond + 1 : 1;
    tickSecond = second;
    if (ticksThisSecond > MOST_TICKS_A_SECOND) {
      throw checker.violation("a busy timer: more than %d ticks".formatted(ticksThisSecond - 1));
    }
    timerMillis = Long.MAX_VALUE;
    timerDueNanos = Long.MAX_VALUE;
    if (scorer.inFlight() > 0) {
      LockSupport.parkNanos(50_000);
    }
    guarded(() -> learner.tick());
  }

  /** The faults end and so does the input: everything must be learned in bounded time. */
  void finish() throws InterruptedException {
    quiet = true;
    restarts = 0;
    publishingFails = false;
    if (random.nextBoolean()) {
      pass(600_000);
    }
    checker.lastEndSent();
    end();
    long startedNanos = trueNanos;
    int ticks = 0;
    while (!checker.finished() || position < topic.size() || executor.busy()) {
      deliver(Integer.MAX_VALUE);
      work();
      advance(Math.max(trueNanos, Math.min(timerDueNanos, trueNanos + 10_000 * NANOS_PER_MILLI)));
      if (timerDueNanos <= trueNanos) {
        tick();
      }
      if (ticks % 60 == 59) {
        checkpoint();
      }
      if (++ticks > MOST_TICKS_TO_THE_END) {
        throw checker.violation("the end is not reached within %d ticks".formatted(ticks));
      }
      if (trueNanos - startedNanos > MOST_MILLIS_TO_THE_END * NANOS_PER_MILLI) {
        throw checker.violation("the end is not reached within %d ticks, 12 h".formatted(ticks));
      }
    }
    checker.end(dataEvents());
    int before = checker.statuses();
    pass(120_000);
    int idle = checker.statuses() - before;
    if (idle > 6) {
      throw checker.violation("idle for two minutes, and yet it said " + idle + " things");
    }
    quiet = false;
  }

  private long dataEvents() {
    return topic.stream().filter(LearnerEvent.Input.class::isInstance).count();
  }

  @Override
  public void decision(DecisionEvent event) {
    checker.said(event);
    checkWaiting(event.status().decision());
  }

  /**
   * What the update controller weighs is what durable state says that waits: the labelled Newborns
   * that are not in a fired update, each since its arrival. A sample whose label was taken back
   * while it trained is not in the update any more, and waits if it got a label again.
   */
  private void checkWaiting(Status.Decision decision) {
    byte[] stored = state.get(LearnerState.Slot.FIRED_UPDATE);
    FiredUpdate fired = stored == null ? null : FiredUpdate.restore(stored);
    List<Long> arrivals = new ArrayList<>();
    state
        .samples()
        .forEachMetadata(
            (id, sample) -> {
              if (sample.labeled()
                  && sample.stage() == LifeStage.NEWBORN
                  && (fired == null || !fired.holds(id))) {
                arrivals.add(sample.lifecycle().arrivedAtMillis());
              }
            });
    long samples = arrivals.size();
    long nowMillis = clock.now().millis();
    double waits = arrivals.stream().mapToLong(each -> nowMillis - each).sum() / 1000.0;
    double lambda = decision.grounds().basis().costs().secondsPerSample();
    double expected = waits + lambda * samples * (samples - 1);
    double weighed = decision.grounds().charge().virtualWaitingSampleSeconds();
    if (decision.pending() != samples
        || Math.abs(weighed - expected) > 1e-6 * Math.max(1, expected)) {
      throw checker.violation(
          "the rule weighs %d samples that wait for %s sample-seconds; by the state it is %d for %s"
              .formatted(decision.pending(), weighed, samples, expected));
    }
  }

  @Override
  public void notice(ModelNotice notice) {
    checker.noticed(notice);
  }

  @Override
  public void close() {
    learner.close();
  }

  /** Its model is the list of the contents that it was trained on as new. */
  private final class FaultyTrainer implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request) throws TrainingFailedException {
      trueNanos += random.nextInt(200) * NANOS_PER_MILLI;
      boolean sick =
          request.batch().rows().stream().anyMatch(row -> culprits.contains(content(row)));
      if (sick) {
        suffer();
      }
      if (!quiet && faults.contains(Fault.CRASH) && random.nextInt(20) == 0) {
        died = true;
        throw new TrainingFailedException(Kind.BACKEND, "nobody hears this", null);
      }
      if (!quiet && faults.contains(Fault.TRAINING) && random.nextInt(5) == 0) {
        throw new TrainingFailedException(
            random.nextBoolean() ? Kind.DIVERGED : Kind.BACKEND, "now and then", null);
      }
      List<Long> lineage = new ArrayList<>();
      ModelArtifact base = request.base();
      if (base != null) {
        lineage.addAll(FakeLineageTrainer.read(base));
      }
      List<Contribution> contributions = new ArrayList<>();
      for (TrainingRow row : request.batch().rows()) {
        if (row.fresh()) {
          lineage.add((long) content(row));
        }
        boolean nan = culprits.contains(content(row));
        contributions.add(
            new Contribution(row.sampleId(), nan ? Float.NaN : 1f, 1f / (1 + row.sampleId() % 7)));
      }
      TreeMap<String, byte[]> files = new TreeMap<>();
      files.put(FakeLineageTrainer.FILE, FakeLineageTrainer.file(lineage));
      return new TrainingResult(new ModelArtifact(files), contributions, 0.01, 1, 1, 0.5, null);
    }

    private void suffer() throws TrainingFailedException {
      if (faults.contains(Fault.KILLER)) {
        died = true;
        throw new TrainingFailedException(Kind.BACKEND, "nobody hears this", null);
      }
      if (faults.contains(Fault.HANG)) {
        trueNanos += HANG_MILLIS * NANOS_PER_MILLI;
        wallMillis += HANG_MILLIS;
        throw new TrainingFailedException(Kind.BACKEND, "did not end within 120 s", null);
      }
      if (faults.contains(Fault.CULPRIT)) {
        throw new TrainingFailedException(Kind.DIVERGED, "the loss became NaN", null);
      }
    }

    private int content(TrainingRow row) {
      return (int) row.sample().dense()[0];
    }

    @Override
    public void close() {}
  }

  /** Knows nothing. */
  private record EvenModel() implements io.idlalayer.modelloader.serve.TaskModel {
    @Override
    public float[][] predict(List<Sample> samples) {
      float[][] rows = new float[samples.size()][];
      java.util.Arrays.fill(rows, new float[] {0.5f, 0.5f});
      return rows;
    }

    @Override
    public float[] losses(List<Sample> samples, float[][] predictions) {
      float[] losses = new float[samples.size()];
      java.util.Arrays.fill(losses, 0.69f);
      return losses;
    }

    @Override
    public void close() {}
  }
}
