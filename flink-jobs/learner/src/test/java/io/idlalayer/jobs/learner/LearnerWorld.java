package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.mixing.MixedModels;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.release.TrustedSource;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.AttemptStore;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.predictions.PredictionLog;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.training.Trainer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A learner with everything that it is given, in the hands of a test: time, threads, durable state,
 * the place of its models, and what it says. Subclasses say what trains, what scores and where
 * models are published, and how time passes. State, attempts and models outlive the learner, as
 * they outlive a process.
 */
abstract class LearnerWorld implements LearnerOutput, AutoCloseable {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final byte[] RAW = {1, 2, 3};

  final ApplicationSettings settings;
  final HotCache cache;
  public final List<DecisionEvent> events = new ArrayList<>();
  public final List<ModelNotice> notices = new ArrayList<>();
  public final List<DeadLetter> refused = new ArrayList<>();

  FakeLearnerState state = new FakeLearnerState();
  AttemptStore attempts = new FakeAttemptStore(() -> false);
  TrustedSource trusted = TrustedSource.NONE;
  LearnerOutput output = this;
  PredictionLog predictions = PredictionLog.NONE;
  Executor looks = Runnable::run;
  Executor rollBacks = Runnable::run;

  /** The versions that are mixed of the models of all partitions; null if each has its own. */
  @Nullable MixedModels mixed;

  int partition;

  /** How long an event waits for space. */
  Duration fullStoreWait = Duration.ZERO;

  @Nullable DonationRounds donations;

  /** The fast bytes that the learner grants its trainer; null if they do not change. */
  @Nullable TensorGrant tensors;

  /** Time of both clocks, unless a subclass has others. */
  long nowMillis = 1_700_000_000_000L;

  /** What counts processor time; it measures nothing, unless a test has another one. */
  ProcessorTimes processorTimes = ProcessorTimes.none();

  /** The executor of the open learner. */
  ManualExecutor executor = new ManualExecutor();

  LearnerClock clock;
  private TrainerThread trainerThread = new TrainerThread(executor);
  private final SampleCodec codec = new SampleCodec();
  private @Nullable Learner opened;
  private long offset;

  LearnerWorld(ApplicationSettings settings) {
    this.settings = settings;
    ApplicationSettings.Memory memory = settings.memory();
    cache =
        new HotCache(
            new CacheSettings(
                FastBudget.mostHotBytes(memory.budget(), memory.hotBytes()), memory.hotPolicy()));
  }

  abstract Trainer newTrainer();

  abstract PrequentialScorer newScorer();

  /** The place where models are published, asked for each learner that is opened. */
  abstract PublishedModels models();

  long wallMillis() {
    return nowMillis;
  }

  long nanoTime() {
    return nowMillis * NANOS_PER_MILLI;
  }

  private LearnerClock clock() {
    return new LearnerClock(() -> Instant.ofEpochMilli(wallMillis()), this::nanoTime);
  }

  /** Opens a learner from what is in state, and starts nothing. */
  void openLearner() {
    executor = new ManualExecutor();
    trainerThread = new TrainerThread(executor);
    clock = clock();
    opened =
        newLearner(
            new LearnerContext(
                new LearnerIdentity(new LearnerKey(settings.name(), partition), settings),
                new LearnerContext.Workers(trainerThread, looks, rollBacks, fullStoreWait),
                new LearnerContext.Ports(
                    clock,
                    state,
                    models(),
                    attempts,
                    trusted,
                    samples -> {},
                    output,
                    predictions,
                    processorTimes.open(settings.name() + "/" + partition),
                    mixed),
                new LearnerContext.Engine(
                    this::newTrainer, newScorer(), this::newScorer, Status.Engine.UNKNOWN, null),
                new LearnerContext.Memory(cache, donations, null, tensors)));
  }

  Learner newLearner(LearnerContext context) {
    return LearnerFactory.open(context);
  }

  /** The learner that is open. */
  Learner learner() {
    return Objects.requireNonNull(opened, "no learner is open");
  }

  /** The next position of the input. */
  InputPosition next() {
    return new InputPosition(settings.input().topic(), 0, offset++);
  }

  /** The offset of the next position. */
  long position() {
    return offset;
  }

  /** Goes back in the input, as a restart from an older checkpoint does. */
  void goBackTo(long position) {
    offset = position;
  }

  /** A sample as it arrives. */
  LearnerEvent arrival(InputPosition at, long createdAtMillis, Sample sample, ContentHash hash) {
    return new LearnerEvent.SampleArrived(
        at,
        createdAtMillis,
        sample,
        hash,
        codec.encode(sample),
        new LearnerEvent.RawEvent("in.csv:" + at.offset(), RAW, RAW.length));
  }

  /** Hands an event to the learner. */
  void send(LearnerEvent event) throws InterruptedException {
    learner().arrive(event);
  }

  /** People ask for an update. */
  void requestTraining() throws InterruptedException {
    send(new LearnerEvent.UpdateRequest(next(), new TreeMap<>()));
  }

  /** The input ends. */
  void end() throws InterruptedException {
    send(new LearnerEvent.EndOfInput(next(), "1", new TreeMap<>()));
  }

  /** What was said of a kind. */
  public List<DecisionEvent> said(DecisionEvent.Type type) {
    return events.stream().filter(event -> event.type() == type).toList();
  }

  public DecisionEvent last() {
    return events.get(events.size() - 1);
  }

  /** The state as the next checkpoint would have it. */
  final FakeLearnerState written() {
    learner().writeState();
    return state;
  }

  /** The accepted model in state; null before the first. */
  static @Nullable AcceptedModel accepted(LearnerState state) {
    byte[] head = state.get(LearnerState.Slot.MODEL);
    byte[] artifact = state.get(LearnerState.Slot.ARTIFACT);
    return head == null || artifact == null ? null : AcceptedModel.restore(head, artifact);
  }

  @Override
  public void decision(DecisionEvent event) {
    events.add(event);
  }

  @Override
  public void refused(DeadLetter letter) {
    refused.add(letter);
  }

  @Override
  public void notice(ModelNotice notice) {
    notices.add(notice);
  }

  /** Closes the learner and frees its trainer. What it was given stays. */
  final void closeLearner() throws InterruptedException {
    try {
      learner().close();
    } finally {
      trainerThread.close();
    }
  }

  @Override
  public void close() {
    try {
      closeLearner();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
