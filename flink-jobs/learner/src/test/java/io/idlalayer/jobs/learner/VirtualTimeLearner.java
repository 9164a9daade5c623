package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.mixing.MixedModels;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Learner} whose clock stands still until it is told to go on, for experiments and for
 * tests that tell a story: one thread does all the work, samples are scored at once, and trainings
 * count as having taken what is said of them. Learners with the same settings, events and times
 * decide alike, and train alike if their trainers do.
 *
 * <p>First say what there is, then {@link #open()}. Confined to one thread. Frees its trainer, its
 * models and its cache when it is closed.
 */
public class VirtualTimeLearner extends LearnerWorld {
  private static final double MILLIS_PER_SECOND = 1_000;

  private final Supplier<Trainer> trainers;
  private final Scorer.ModelFactory scored;
  private PublishedModels published = new UnstoredModels();
  private @Nullable Function<SampleIndex, SelectionPolicy> selection;
  private double secondsPerUpdate = 0.001;
  private double secondsPerRow = 0.00002;
  private long taskMillis;
  private @Nullable HeldTrainings held;

  /** Part of a millisecond by which trainings have ended too early so far. */
  private double owedMillis;

  private long timerMillis = Long.MAX_VALUE;
  private long taskDueMillis = Long.MAX_VALUE;

  VirtualTimeLearner(
      ApplicationSettings settings, Supplier<Trainer> trainers, Scorer.ModelFactory scored) {
    super(settings);
    this.trainers = trainers;
    this.scored = scored;
  }

  // ---- what there is --------------------------------------------------------------------------

  /**
   * What a learner needs at least. It keeps samples on the heap, numbers its versions and does not
   * store them, and compares models on samples that arrive.
   *
   * @param trainers makes the trainer
   * @param scored loads models to score with; frees them in the end
   */
  public static VirtualTimeLearner of(
      ApplicationSettings settings, Supplier<Trainer> trainers, Scorer.ModelFactory scored) {
    return new VirtualTimeLearner(settings, trainers, scored);
  }

  /** Keeps samples in this store, which is empty. */
  public VirtualTimeLearner samples(SampleStore store) {
    state = new FakeLearnerState(store);
    return this;
  }

  /**
   * Chooses what trains again by this policy rather than by that of the settings.
   *
   * @param policy makes it over the samples of the learner
   */
  public VirtualTimeLearner selection(Function<SampleIndex, SelectionPolicy> policy) {
    selection = policy;
    return this;
  }

  /** Publishes here. */
  public VirtualTimeLearner published(PublishedModels place) {
    published = place;
    return this;
  }

  /** Learns one model together with the learners of other partitions. */
  public VirtualTimeLearner mixed(int ofPartition, MixedModels models) {
    partition = ofPartition;
    mixed = models;
    return this;
  }

  /** Samples that the release gate compares models on. */
  public VirtualTimeLearner trusted(List<Sample> known) {
    trusted = () -> known;
    return this;
  }

  /** Hears what the learner says, which is not remembered then. */
  public VirtualTimeLearner output(LearnerOutput hearer) {
    output = hearer;
    return this;
  }

  /** Forgets what the learner says, of which long runs say much. */
  public VirtualTimeLearner silent() {
    return output(new NoOutput());
  }

  /**
   * What the learner is told that a training took, since a measured time differs from run to run;
   * by default 1 ms and 20 us a row.
   *
   * @param perUpdate seconds, above 0
   * @param perRow seconds for each row of the batch, new or replayed, at least 0
   */
  public VirtualTimeLearner trainingSeconds(double perUpdate, double perRow) {
    secondsPerUpdate = perUpdate;
    secondsPerRow = perRow;
    return this;
  }

  /**
   * How much virtual time a training, a publication or a clean-up takes, by default 0: an update is
   * then trained, accepted and published within the call in which it fires.
   *
   * @param millis at least 0
   */
  public VirtualTimeLearner taskMillis(long millis) {
    taskMillis = millis;
    return this;
  }

  long taskMillis() {
    return taskMillis;
  }

  /**
   * Each training takes as much virtual time as its trainer says that it took, and the learner is
   * told the same. Times are whole milliseconds; what is cut off is added to the next training.
   * Publications and clean-ups take no time. Trainings run on a second thread, which computes only
   * while the caller waits for it.
   */
  public VirtualTimeLearner trainingsTakeTheirSeconds() {
    held = new HeldTrainings();
    return this;
  }

  /** The time now, in epoch milliseconds. */
  public long nowMillis() {
    return nowMillis;
  }

  @Override
  Trainer newTrainer() {
    HeldTrainings holder = held;
    return holder == null
        ? new ToldSeconds(trainers.get(), secondsPerUpdate, secondsPerRow)
        : holder.trainer(trainers.get());
  }

  @Override
  PrequentialScorer newScorer() {
    return new InlineScorer(scored);
  }

  @Override
  PublishedModels models() {
    return published;
  }

  @Override
  Learner newLearner(LearnerContext context) {
    return selection == null ? super.newLearner(context) : LearnerFactory.open(context, selection);
  }

  // ---- what happens ---------------------------------------------------------------------------

  /** Opens the learner and begins, as the engine does. */
  public VirtualTimeLearner open() throws InterruptedException {
    openLearner();
    timerMillis = Long.MAX_VALUE;
    taskDueMillis = Long.MAX_VALUE;
    learner().tick();
    carryOn();
    return this;
  }

  /** Closes the learner and opens it again from its state, as after a crash at this moment. */
  public void restart() throws InterruptedException {
    learner().beforeCheckpoint();
    release();
    closeLearner();
    open();
  }

  @Override
  void send(LearnerEvent event) throws InterruptedException {
    super.send(event);
    carryOn();
  }

  /**
   * A sample arrives now.
   *
   * @param hash what tells it from others: of its content, or of its own where equal samples are to
   *     be different ones
   */
  public void arrive(Sample sample, ContentHash hash) throws InterruptedException {
    send(arrival(next(), nowMillis, sample, hash));
  }

  /**
   * People ask now that the sample of an event is forgotten.
   *
   * @param eventId the event's own id
   */
  public void forget(String eventId) throws InterruptedException {
    send(new LearnerEvent.RetractionRequest(next(), eventId, true, new TreeMap<>()));
  }

  /** People ask for an update now. */
  public void train() throws InterruptedException {
    requestTraining();
  }

  /** The input ends now. */
  public void endInput() throws InterruptedException {
    end();
  }

  /** The learner writes what only its memory has, as before a checkpoint. */
  public void writeState() {
    learner().writeState();
  }

  /** The accepted model; null before the first. */
  public @Nullable ModelArtifact model() {
    AcceptedModel accepted = accepted(written());
    return accepted == null ? null : accepted.artifact();
  }

  /** The tables with the rows that are in state, for looks only. */
  public RowTables tables() {
    return TablesWorld.tables(written().copy(), settings);
  }

  /**
   * Lets time pass, with the learner's timer and its tasks.
   *
   * @param millis at least 0
   */
  public void pass(long millis) throws InterruptedException {
    long until = nowMillis + millis;
    while (Math.min(timerMillis, taskDueMillis) <= until) {
      nowMillis = Math.max(nowMillis, Math.min(timerMillis, taskDueMillis));
      if (taskDueMillis <= nowMillis) {
        taskDueMillis = Long.MAX_VALUE;
        runDue();
      } else {
        timerMillis = Long.MAX_VALUE;
        learner().tick();
      }
      carryOn();
    }
    nowMillis = until;
  }

  private void runDue() throws InterruptedException {
    if (held == null) {
      executor.runOne();
    } else {
      release();
      learner().tick();
    }
  }

  private void release() throws InterruptedException {
    HeldTrainings holder = held;
    if (holder != null) {
      holder.release();
    }
  }

  /** Does what takes no time, and sets the times of what takes some. */
  private void carryOn() throws InterruptedException {
    HeldTrainings holder = held;
    if (holder == null) {
      while (taskMillis == 0 && executor.runOne()) {
        learner().tick();
      }
    } else {
      startTasks(holder);
    }
    // One timer, only ever moved earlier, as the operator does it.
    timerMillis = Math.min(timerMillis, nowMillis + learner().sleepMillis());
    if (holder == null && taskDueMillis == Long.MAX_VALUE && executor.busy()) {
      taskDueMillis = nowMillis + taskMillis;
    }
  }

  /** Runs tasks up to the first training, which is held back until it is due. */
  private void startTasks(HeldTrainings holder) throws InterruptedException {
    while (!holder.holding() && executor.busy()) {
      double seconds = holder.start(executor);
      if (holder.holding()) {
        double millis = owedMillis + seconds * MILLIS_PER_SECOND;
        owedMillis = millis - Math.floor(millis);
        taskDueMillis = nowMillis + (long) millis;
      } else {
        learner().tick();
      }
    }
  }

  @Override
  public void close() {
    try (cache;
        HeldTrainings ended = held) {
      release();
      super.close();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A trainer whose trainings count as having taken what is said of them. */
  record ToldSeconds(Trainer trainer, double perUpdate, double perRow) implements Trainer {
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
    public void refused(DeadLetter letter) {}

    @Override
    public void notice(ModelNotice notice) {}
  }
}
