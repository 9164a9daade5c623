package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.ReleaseChecker.Grade;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.learner.update.FiredUpdate;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingFailedException.Kind;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real learner in a world that a seed decides: a topic that is read from a position, state that
 * is restored from any of the last checkpoints, two clocks, threads that run when the scheduler
 * says so, and everything that can go wrong with them. With a release gate models are good or bad,
 * and people pin versions. What happens is told to a {@link HistoryChecker} and a {@link
 * ReleaseChecker}, which see no more than an outsider does.
 */
final class LearnerHistory extends LearnerWorld {
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
    /** Some samples have losses that are not numbers. */
    NAN,
    /** Some samples make every training hang that they are in, until it is given up. */
    HANG,
    /** Some samples kill the process that trains them. */
    KILLER,
    /** The store is small and trained slowly. */
    FULL_STORE,
    /** People let other versions serve, and the newest again. */
    PEOPLE,
    /** Pins and versions cannot be read or written for a while. */
    OUT_OF_REACH,
    /** Publications that are said to have failed have not. */
    LOST_ANSWER,
    /** Trusted samples cannot be read for a while. */
    TRUSTED,
    /** Samples are not scored for a while. */
    SCORING
  }

  /** The file that says how good a model is. */
  static final String GRADE = "grade";

  /** Grades of trained models; most are good, so that there is a version to return to. */
  private static final List<Grade> GRADES =
      List.of(Grade.GOOD, Grade.GOOD, Grade.GOOD, Grade.GOOD, Grade.FAIR, Grade.BAD, Grade.BAD);

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long HANG_MILLIS = 120_000;
  private static final int CHECKPOINTS = 4;
  private static final int KEPT = 4;
  private static final Pattern REFUSED_BY_A_TABLE =
      Pattern.compile("an? .* cannot .* while it is .*");
  private static final int THREADS = 4;
  private static final int MOST_RESTARTS = 200;
  private static final int MOST_TICKS_TO_THE_END = 40_000;
  private static final long MOST_MILLIS_TO_THE_END = 12L * 3_600_000;
  private static final int MOST_IDLE_STATUSES = 12;
  private static final int MOST_TICKS_A_SECOND = 300;

  private final Random random;
  private final Set<Fault> faults;
  private final FakeModels models = new FakeModels();
  private final HistoryChecker checker;

  /** Null without a gate. */
  private final @Nullable ReleaseChecker release;

  private final HistoryTopic topic;
  private final Deque<Checkpoint> checkpoints = new ArrayDeque<>();
  private int position;
  private boolean quiet;
  private boolean trustedReadable = true;
  private boolean scoringFails;
  private boolean died;
  private boolean starting;
  private int restarts;

  private long trueNanos = 7_777_777_777L;
  private long wallMillis = nowMillis;
  private long timerMillis = Long.MAX_VALUE;
  private long timerDueNanos = Long.MAX_VALUE;
  private long tickSecond;
  private int ticksThisSecond;

  private ManualExecutor lookThread = new ManualExecutor();
  private ManualExecutor rollBackThread = new ManualExecutor();
  private @Nullable FakeScorer scorer;

  /**
   * @param release what the checker of the gate remembers
   */
  private record Checkpoint(
      FakeLearnerState state, int position, ReleaseChecker.@Nullable Memory release) {}

  /** Without a release gate. */
  LearnerHistory(long seed, UpdateSettings.RuleName rule, Set<Fault> faults)
      throws InterruptedException {
    this(seed, rule, faults, GateSettings.off(Metric.ACCURACY), List.of());
  }

  /**
   * @param right samples that models are compared on; none for those that arrive
   */
  LearnerHistory(
      long seed,
      UpdateSettings.RuleName rule,
      Set<Fault> faults,
      GateSettings gate,
      List<Sample> right)
      throws InterruptedException {
    super(
        LearnerSettings.gated(LearnerSimulation.settings(update(rule), data(faults)), KEPT, gate));
    random = new Random(seed);
    this.faults = EnumSet.copyOf(faults);
    boolean forgets = gate.compares() && gate.continueFrom() == ContinueFrom.IN_SERVICE;
    checker =
        new HistoryChecker(models, !faults.contains(Fault.TRAINING), gate.compares(), forgets);
    topic = new HistoryTopic(random, checker);
    release =
        gate.compares() ? new ReleaseChecker(models, gate, right.size(), checker::violation) : null;
    attempts = new FakeAttemptStore(() -> died);
    trusted =
        () -> {
          if (!trustedReadable) {
            throw new IOException("checked.csv is away");
          }
          return right;
        };
    looks = task -> lookThread.execute(task);
    rollBacks = task -> rollBackThread.execute(task);
    keepState();
    openProcess();
    startLearner();
  }

  private static UpdateSettings update(UpdateSettings.RuleName rule) {
    return UpdateSettings.of(rule, 10)
        .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(0.5).withCount(12))
        .with(new UpdateSettings.Limits(30, 0, 0));
  }

  private static DataSettings data(Set<Fault> faults) {
    return new DataSettings(
        DataSettings.Staging.defaults(),
        DataSettings.Replay.of(
            DataSettings.Policy.STAGE_SHARES, new DataSettings.Ratios(1, 1, 0.25), false, 6),
        faults.contains(Fault.FULL_STORE) ? 40 : 100_000,
        1 << 20,
        20);
  }

  @Override
  Trainer newTrainer() {
    return new FaultyTrainer();
  }

  @Override
  PrequentialScorer newScorer() {
    scorer = new FakeScorer(GradedModel::new, () -> scoringFails && random.nextBoolean());
    return scorer;
  }

  @Override
  PublishedModels models() {
    return models;
  }

  @Override
  long wallMillis() {
    return wallMillis;
  }

  @Override
  long nanoTime() {
    return trueNanos;
  }

  private void openProcess() {
    lookThread = new ManualExecutor();
    rollBackThread = new ManualExecutor();
    openLearner();
    timerMillis = Long.MAX_VALUE;
    timerDueNanos = Long.MAX_VALUE;
  }

  /**
   * Sets the timer as the operator does: there is one, it is only ever moved earlier, and the
   * length of its sleep is decided now.
   */
  private void setTimer() {
    long next = wallMillis + learner().sleepMillis();
    if (next < timerMillis) {
      timerMillis = next;
      timerDueNanos = trueNanos + Math.max(0, next - wallMillis) * NANOS_PER_MILLI;
    }
  }

  /**
   * Seeds a bug: the learner does not know any more that it is behind the version in service. The
   * input does not end, because at its end a learner publishes what it has.
   */
  void forgetsToCatchUp() {
    models.seemsPinned = true;
  }

  /** Runs a random history of a number of steps. */
  void live(int steps) throws InterruptedException {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() throws InterruptedException {
    int draw = random.nextInt(100);
    if (draw < 30) {
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        topic.sendAny(wallMillis);
      }
      deliver(random.nextInt(8) == 0 ? random.nextInt(3) : Integer.MAX_VALUE);
    } else if (draw < 55) {
      pass(1 + random.nextInt(random.nextInt(10) == 0 ? 20_000 : 300));
    } else if (draw < 75) {
      work();
    } else if (draw < 80) {
      checkpoint();
    } else if (draw < 82) {
      requestTraining();
    } else if (draw < 84) {
      deliver(Integer.MAX_VALUE);
      if (!models.seemsPinned) {
        checker.endSent();
        end();
      }
    } else {
      fault();
    }
  }

  private void fault() throws InterruptedException {
    if (faults.isEmpty()) {
      return;
    }
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
      case RETRACTION -> {
        topic.retract(wallMillis);
        deliver(Integer.MAX_VALUE);
      }
      case CLOCK -> {
        if (random.nextInt(4) == 0) {
          long step = new long[] {1_000, 3_600_000, 86_400_000}[random.nextInt(3)];
          wallMillis += random.nextBoolean() ? step : -step;
        }
      }
      case PUBLISHING ->
          models.publishing = random.nextBoolean() ? FakeModels.Fault.FAILS : FakeModels.Fault.NONE;
      case LOST_ANSWER ->
          models.publishing =
              random.nextInt(3) == 0 ? FakeModels.Fault.ANSWER_IS_LOST : FakeModels.Fault.NONE;
      case OUT_OF_REACH -> models.outOfReach = random.nextBoolean();
      case TRUSTED -> trustedReadable = random.nextBoolean();
      case SCORING -> scoringFails = random.nextBoolean();
      case PEOPLE -> {
        if (!models.outOfReach) {
          pinOrUnpin();
        }
      }
      case CULPRIT, NAN, HANG, KILLER -> {
        if (random.nextInt(6) == 0) {
          topic.sendCulprit(wallMillis);
        }
      }
      case TRAINING, FULL_STORE -> {}
    }
  }

  /** People let an older version serve for a while, any one for good, or the newest again. */
  private void pinOrUnpin() {
    List<FakeModels.Version> there = models.list();
    int draw = random.nextInt(10);
    if (draw < 4 && models.pinned() != null) {
      models.unpin();
    } else if (draw < 8 && there.size() > 1) {
      long older = there.get(random.nextInt(there.size() - 1)).number();
      models.pin(older, models.newest(), FakeModels.PEOPLE);
    } else if (draw == 9 && !there.isEmpty()) {
      long any = there.get(random.nextInt(there.size())).number();
      models.pin(any, 0, FakeModels.PEOPLE);
    } else {
      return;
    }
    checker.pinned();
    if (release != null) {
      release.peopleActed();
    }
  }

  @Override
  InputPosition next() {
    return topic.next();
  }

  @Override
  void send(LearnerEvent event) throws InterruptedException {
    topic.add(event);
    deliver(Integer.MAX_VALUE);
  }

  /** Hands the next events of the topic to the learner. */
  private void deliver(int most) throws InterruptedException {
    for (int i = 0; i < most && position < topic.size(); i++) {
      LearnerEvent event = topic.get(position++);
      guarded(() -> learner().arrive(event));
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
      if (REFUSED_BY_A_TABLE.matcher(String.valueOf(failed.getMessage())).matches()) {
        throw checker.violation(failed.getMessage(), failed);
      }
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
    if (release != null) {
      endUnnoticed();
    }
    learner().close();
    checker.started();
    state = from.state().copy();
    position = from.position();
    trueNanos += random.nextInt(5_000) * NANOS_PER_MILLI;
    if (release != null) {
      release.started(Objects.requireNonNull(from.release()), accepted(state), trustedReadable);
    }
    try {
      openProcess();
    } catch (RuntimeException unreadable) {
      throw checker.violation("state cannot be restored: " + unreadable, unreadable);
    }
    startLearner();
  }

  /** What runs when the process dies may come to its end, and the learner does not hear of it. */
  private void endUnnoticed() {
    for (ManualExecutor each : List.of(executor, rollBackThread)) {
      boolean goesOn = random.nextBoolean();
      while (goesOn && each.runOne()) {
        goesOn = random.nextBoolean();
      }
    }
    died = false;
  }

  /** The engine ticks a learner that it has opened, before anything else. */
  private void startLearner() throws InterruptedException {
    starting = true;
    guarded(
        () -> {
          learner().tick();
          starting = false;
        });
  }

  private void checkpoint() {
    learner().beforeCheckpoint();
    keepState();
  }

  private void keepState() {
    checkpoints.addLast(
        new Checkpoint(state.copy(), position, release == null ? null : release.memory()));
    if (checkpoints.size() > CHECKPOINTS) {
      checkpoints.removeFirst();
    }
  }

  /** Runs one task of a thread that has one. */
  private boolean work() throws InterruptedException {
    int first = random.nextInt(THREADS);
    boolean worked = false;
    for (int i = 0; i < THREADS && !worked; i++) {
      worked =
          switch ((first + i) % THREADS) {
            case 0 -> executor.runOne();
            case 1 -> lookThread.runOne();
            case 2 -> rollBackThread.runOne();
            default -> Objects.requireNonNull(scorer).runOne();
          };
    }
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
    guarded(() -> learner().tick());
  }

  /** The faults end and so does the input: everything must be learned in bounded time. */
  void finish() throws InterruptedException {
    quiet = true;
    restarts = 0;
    models.publishing = FakeModels.Fault.NONE;
    models.outOfReach = false;
    trustedReadable = true;
    scoringFails = false;
    if (random.nextBoolean()) {
      pass(600_000);
    }
    checker.lastEndSent();
    checker.endSent();
    end();
    long startedNanos = trueNanos;
    int ticks = 0;
    while (!checker.finished() || position < topic.size() || executor.busy()) {
      deliver(Integer.MAX_VALUE);
      workAll();
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
    checker.end(topic.dataEvents(), accepted(written()));
    int before = checker.statuses();
    for (int i = 0; i < 120; i++) {
      workAll();
      pass(1_000);
    }
    int idle = checker.statuses() - before;
    // A rollback that was due says up to seven things; what goes on without a reason says 120.
    if (idle > MOST_IDLE_STATUSES) {
      throw checker.violation("idle for two minutes, and yet it said " + idle + " things");
    }
    if (release != null) {
      release.end(events);
    }
    quiet = false;
  }

  /** A task of each thread, so that none is starved. */
  private void workAll() throws InterruptedException {
    for (int i = 0; i < THREADS; i++) {
      work();
    }
  }

  @Override
  public void decision(DecisionEvent event) {
    super.decision(event);
    checker.said(event);
    if (release != null) {
      release.said(event, clock.now().millis());
    }
    if (!starting || event.type() == DecisionEvent.Type.RESTORED) {
      checkWaiting(event.status().decision());
    }
  }

  /**
   * What the update controller weighs is what durable state says that waits: the labelled Newborns
   * that are not in a fired update, each since its arrival. A sample whose label was taken back
   * while it trained is not in the update any more, and waits if it got a label again.
   */
  private void checkWaiting(Status.Decision decision) {
    byte[] stored = written().get(LearnerState.Slot.FIRED_UPDATE);
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

  /** Its model is the list of the contents that it was trained on as new. */
  private final class FaultyTrainer implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request) throws TrainingFailedException {
      trueNanos += random.nextInt(200) * NANOS_PER_MILLI;
      boolean sick = request.batch().rows().stream().anyMatch(row -> topic.isCulprit(content(row)));
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
      long update = request.batch().updateNumber();
      List<Long> before = List.copyOf(lineage);
      if (release != null) {
        release.trains(update, before);
      }
      List<Contribution> contributions = new ArrayList<>();
      for (TrainingRow row : request.batch().rows()) {
        if (row.fresh()) {
          lineage.add((long) content(row));
        }
        boolean nan = topic.isCulprit(content(row));
        contributions.add(
            new Contribution(row.sampleId(), nan ? Float.NaN : 1f, 1f / (1 + row.sampleId() % 7)));
      }
      TreeMap<String, byte[]> files = new TreeMap<>();
      files.put(FakeLineageTrainer.FILE, FakeLineageTrainer.file(lineage));
      if (release != null) {
        Grade grade = GRADES.get(random.nextInt(GRADES.size()));
        files.put(GRADE, grade.file());
        release.trained(new ReleaseChecker.Trained(update, List.copyOf(lineage), grade, before));
      }
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
}
