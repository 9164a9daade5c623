package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.SelectionPolicies;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.release.TrustedSource;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A {@link Learner} for experiments. Its clock advances only when the caller lets time pass, one
 * thread does all the work, and nothing outlives the object. Training and scoring are real. Equal
 * settings, events and times lead to equal decisions, and to equal models if the trainers are
 * deterministic.
 *
 * <p>Confined to one thread. Frees its trainer, its models and its cache when it is closed.
 */
public final class VirtualTimeLearner implements AutoCloseable {
  private static final long START_MILLIS = 1_700_000_000_000L;

  private final Builder setup;
  private final LearnerState state;
  private final HotCache cache;
  private final InMemoryAttemptStore attempts = new InMemoryAttemptStore();
  private final SampleCodec codec = new SampleCodec();

  private ManualExecutor executor = new ManualExecutor();
  private TrainerThread trainerThread = new TrainerThread(executor);
  private Learner learner;
  private long nowMillis = START_MILLIS;
  private long timerMillis = Long.MAX_VALUE;
  private long taskMillis = Long.MAX_VALUE;
  private long offset;

  private VirtualTimeLearner(Builder setup) throws InterruptedException {
    this.setup = setup;
    ApplicationSettings.Memory memory = setup.settings.memory();
    cache = new HotCache(new CacheSettings(memory.hotBytes(), memory.hotPolicy()));
    state = new InMemoryLearnerState(setup.samples);
    learner = openLearner();
    start();
  }

  /**
   * What a learner needs at least.
   *
   * @param newTrainer makes the trainer
   * @param models loads models to score with; frees them in the end
   */
  public static Builder of(
      ApplicationSettings settings, Supplier<Trainer> newTrainer, Scorer.ModelFactory models) {
    return new Builder(settings, newTrainer, models);
  }

  /** What a learner is made of. Confined to one thread. */
  public static final class Builder {
    private final ApplicationSettings settings;
    private final Supplier<Trainer> newTrainer;
    private final Scorer.ModelFactory models;
    private SampleStore samples = new InMemorySampleStore();
    private Function<SampleIndex, SelectionPolicy> selection;
    private PublishedModels published = new UnstoredModels();
    private LearnerOutput output = new NoOutput();
    private TrustedSource trusted = TrustedSource.NONE;
    private Executor rollBacks = Runnable::run;
    private double secondsPerUpdate = 0.001;
    private double secondsPerRow = 0.00002;
    private long millisPerTask;

    private Builder(
        ApplicationSettings settings, Supplier<Trainer> newTrainer, Scorer.ModelFactory models) {
      this.settings = settings;
      this.newTrainer = newTrainer;
      this.models = models;
      selection = index -> SelectionPolicies.of(settings.data().replay(), settings.seed(), index);
    }

    /** Keeps samples in this store, which is empty; by default in one on the heap. */
    public Builder samples(SampleStore store) {
      samples = store;
      return this;
    }

    /**
     * Chooses what trains again by this policy rather than by that of the settings.
     *
     * @param policy makes it over the samples of the learner
     */
    public Builder selection(Function<SampleIndex, SelectionPolicy> policy) {
      selection = policy;
      return this;
    }

    /** Publishes here; by default versions are numbered and not stored. */
    public Builder published(PublishedModels place) {
      published = place;
      return this;
    }

    /** Samples that the release gate compares models on; by default those that arrive. */
    public Builder trusted(List<Sample> known) {
      trusted = () -> known;
      return this;
    }

    /** Where such samples are, which may not be readable. */
    Builder trusted(TrustedSource source) {
      trusted = source;
      return this;
    }

    /** Runs what puts an older version in service; by default at once. */
    Builder rollBacks(Executor executor) {
      rollBacks = executor;
      return this;
    }

    /** Sets the receiver of the learner's output; the default ignores it. */
    public Builder output(LearnerOutput hearer) {
      output = hearer;
      return this;
    }

    /**
     * Sets the reported time of a training, because measured times differ from run to run; the
     * default is 1 ms and 20 us for each row.
     *
     * @param perUpdate seconds, above 0
     * @param perRow seconds for each row of the batch, new or replayed, at least 0
     */
    public Builder trainingSeconds(double perUpdate, double perRow) {
      secondsPerUpdate = perUpdate;
      secondsPerRow = perRow;
      return this;
    }

    /**
     * Sets the virtual time of a training, a publication or a clean-up. With the default, 0, an
     * update is trained, accepted and published within the call in which it fires.
     *
     * @param millis at least 0
     */
    public Builder taskMillis(long millis) {
      millisPerTask = millis;
      return this;
    }

    /** Opens the learner. */
    public VirtualTimeLearner open() throws InterruptedException {
      return new VirtualTimeLearner(this);
    }
  }

  private Learner openLearner() {
    ApplicationSettings settings = setup.settings;
    return LearnerFactory.open(
        new LearnerContext(
            new LearnerIdentity(new LearnerKey(settings.name(), 0), settings),
            new LearnerContext.Workers(
                trainerThread, Runnable::run, setup.rollBacks, Duration.ZERO),
            new LearnerContext.Ports(
                new LearnerClock(
                    () -> Instant.ofEpochMilli(nowMillis),
                    () -> TimeUnit.MILLISECONDS.toNanos(nowMillis)),
                state,
                setup.published,
                attempts,
                setup.trusted,
                samples -> {},
                setup.output),
            new LearnerContext.Engine(
                () ->
                    new ToldSeconds(
                        setup.newTrainer.get(), setup.secondsPerUpdate, setup.secondsPerRow),
                new InlineScorer(setup.models),
                Status.Engine.UNKNOWN,
                null),
            new LearnerContext.Memory(cache, null)),
        setup.selection);
  }

  private void start() throws InterruptedException {
    timerMillis = Long.MAX_VALUE;
    taskMillis = Long.MAX_VALUE;
    learner.tick();
    carryOn();
  }

  /** Virtual time, epoch milliseconds. */
  public long nowMillis() {
    return nowMillis;
  }

  /** Returns the next position of the input topic. */
  public InputPosition nextPosition() {
    return new InputPosition(setup.settings.input().topic(), 0, offset++);
  }

  /**
   * Passes a sample that arrives now.
   *
   * @param hash hash that identifies the sample: of its content, or any unique one where equal
   *     samples count as different
   */
  public void arrive(Sample sample, ContentHash hash) throws InterruptedException {
    arrive(
        new LearnerEvent.SampleArrived(
            nextPosition(), nowMillis, sample, hash, codec.encode(sample)));
  }

  /** Passes any other event that arrives now. */
  public void arrive(LearnerEvent event) throws InterruptedException {
    learner.arrive(event);
    carryOn();
  }

  /**
   * Lets time pass, with the learner's timer and its tasks.
   *
   * @param millis at least 0
   */
  public void pass(long millis) throws InterruptedException {
    long until = nowMillis + millis;
    while (Math.min(timerMillis, taskMillis) <= until) {
      nowMillis = Math.max(nowMillis, Math.min(timerMillis, taskMillis));
      if (taskMillis <= nowMillis) {
        taskMillis = Long.MAX_VALUE;
        executor.runOne();
      } else {
        timerMillis = Long.MAX_VALUE;
        learner.tick();
      }
      carryOn();
    }
    nowMillis = until;
  }

  /** Does what takes no time, and sets the times of what takes some. */
  private void carryOn() throws InterruptedException {
    while (setup.millisPerTask == 0 && executor.runOne()) {
      learner.tick();
    }
    // One timer, only ever moved earlier, as the operator does it.
    timerMillis = Math.min(timerMillis, nowMillis + learner.sleepMillis());
    if (taskMillis == Long.MAX_VALUE && executor.busy()) {
      taskMillis = nowMillis + setup.millisPerTask;
    }
  }

  /** Closes the learner and opens it again from its state, as after a crash at this moment. */
  public void restart() throws InterruptedException {
    learner.beforeCheckpoint();
    closeLearner();
    executor = new ManualExecutor();
    trainerThread = new TrainerThread(executor);
    learner = openLearner();
    start();
  }

  private void closeLearner() throws InterruptedException {
    try {
      learner.close();
    } finally {
      trainerThread.close();
    }
  }

  @Override
  public void close() {
    try (cache) {
      closeLearner();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A trainer whose trainings count as having taken what the setup says. */
  private record ToldSeconds(Trainer trainer, double perUpdate, double perRow) implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException {
      return trainer
          .train(request)
          .withTrainSeconds(perUpdate + perRow * request.batch().rows().size());
    }

    @Override
    public void close() {
      trainer.close();
    }
  }

  private static final class NoOutput implements LearnerOutput {
    @Override
    public void decision(DecisionEvent event) {}

    @Override
    public void notice(ModelNotice notice) {}
  }
}
