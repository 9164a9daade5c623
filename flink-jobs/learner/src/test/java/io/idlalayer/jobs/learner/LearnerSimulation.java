package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A learner whose model is the list of samples that it was trained on, moved on step by step by a
 * test. {@link #crash()} throws the learner away with whatever ran on its threads and opens another
 * one from the state, as a restart from a checkpoint taken this very moment would.
 */
public final class LearnerSimulation extends LearnerWorld {
  private static final int STEPS_MAX = 1_000_000;

  /** An event that could not be decoded. */
  static final Refused REFUSED = new Refused("x: missing", "events-0", 0, "", "{}");

  public final ModelStore models;
  private final Predicate<TrainingRequest> diverges;

  /** What a restarted learner sees of the place where its models are published. */
  UnaryOperator<PublishedModels> seen = UnaryOperator.identity();

  /** What trainings say of their tensors; null as if these were not placed. */
  @Nullable TensorTraffic traffic;

  /** How trainings fail that fail. */
  TrainingFailedException.Kind failure = TrainingFailedException.Kind.DIVERGED;

  public LearnerSimulation(
      UpdateSettings update, DataSettings data, Path models, Predicate<TrainingRequest> diverges) {
    this(update, data, models, diverges, cache -> null);
  }

  /** Creates a simulation with a given plan of donations. */
  public LearnerSimulation(
      UpdateSettings update,
      DataSettings data,
      Path models,
      Predicate<TrainingRequest> diverges,
      Function<HotCache, @Nullable DonationRounds> planned) {
    this(settings(update, data), models, diverges, planned);
  }

  /** Creates a simulation with a least time between publications, in seconds; null for auto. */
  public static LearnerSimulation publishingEvery(
      @Nullable Double seconds, UpdateSettings update, DataSettings data, Path models) {
    return new LearnerSimulation(
        LearnerSettings.publishingEvery(settings(update, data), seconds, 3),
        models,
        request -> false,
        cache -> null);
  }

  private LearnerSimulation(
      ApplicationSettings settings,
      Path models,
      Predicate<TrainingRequest> diverges,
      Function<HotCache, @Nullable DonationRounds> planned) {
    super(settings);
    nowMillis = 1_000_000;
    fullStoreWait = Duration.ofMinutes(2);
    donations = planned.apply(cache);
    this.models = new ModelStore(models, InstantSource.system());
    this.diverges = diverges;
    start();
  }

  public static ApplicationSettings settings(UpdateSettings update, DataSettings data) {
    SampleSchema schema =
        new SampleSchema(
            List.of("x", "y"),
            List.of(SampleSchema.DenseFeature.of("x")),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            "id");
    return new ApplicationSettings(
        "app",
        1,
        7,
        new ApplicationSettings.Input(
            "events", ApplicationSettings.Format.CSV, false, TextForm.PLAIN, schema, 1 << 20),
        new ModelSpec(
            schema,
            new ModelSpec.Network.Mlp(List.of(4)),
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0),
            false),
        EngineName.AUTO,
        update,
        data,
        ApplicationSettings.Publishing.of(null, 3),
        ApplicationSettings.Memory.ofHotBytes(1 << 20),
        new ApplicationSettings.Kafka("app-", Map.of()));
  }

  /** Sets the clocks with which the learners that open from now on count processor time. */
  public void measure(ProcessorTimes times) {
    processorTimes = times;
  }

  @Override
  Trainer newTrainer() {
    Trainer trainer = new FakeLineageTrainer(diverges, failure);
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        TrainingResult result = trainer.train(request);
        return new TrainingResult(
            result.model(),
            result.contributions(),
            result.trainSeconds(),
            result.steps(),
            result.meanLossBefore(),
            result.meanLossAfter(),
            traffic,
            result.rows(),
            result.coarse());
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  @Override
  PrequentialScorer newScorer() {
    return new Scorer("scorer", ConstantModel::new);
  }

  @Override
  PublishedModels models() {
    return seen.apply(new StoredModels(models, models.folder().orElseThrow(), "app", 0));
  }

  /** Starts the learner as the engine does after it has opened one. */
  private void start() {
    openLearner();
    try {
      learner().tick();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /** Feeds a sample; a NaN label leaves it unlabelled. */
  public void arrive(String id, double x, double label) throws InterruptedException {
    arrive(new Sample(id, new double[] {x}, new int[0], label));
  }

  /** Feeds a sample. */
  void arrive(Sample sample) throws InterruptedException {
    send(arrival(next(), 0, sample, ContentHasher.of(sample)));
  }

  /** Feeds the label of an event, without its features. */
  void label(String id, float label) throws InterruptedException {
    arrive(Sample.labelOf(id, label));
  }

  /** Feeds samples without ids that are told apart by their values. */
  void arriveAll(int from, int to) throws InterruptedException {
    for (int i = from; i < to; i++) {
      arrive("", i, 0);
    }
  }

  void malformed() throws InterruptedException {
    send(new LearnerEvent.Malformed(next(), 0, REFUSED));
  }

  /** A label is taken back. */
  void retract(String eventId) throws InterruptedException {
    send(new LearnerEvent.RetractionRequest(next(), eventId, new TreeMap<>()));
  }

  /** Sends a question for a sample. */
  void explain(String asked) throws InterruptedException {
    send(new LearnerEvent.Explain(next(), asked));
  }

  /** Lets time pass up to the learner's next wish, at most {@code mostMillis}, and ticks. */
  public void step(long mostMillis) throws InterruptedException {
    nowMillis += Math.min(learner().sleepMillis(), mostMillis);
    learner().tick();
  }

  /** Lets time pass; the learner ticks as often as it wishes in it. */
  public void pass(long millis) throws InterruptedException {
    long until = nowMillis + millis;
    while (nowMillis < until) {
      step(until - nowMillis);
    }
  }

  /** What the engine does before it takes a checkpoint. */
  void beforeCheckpoint() {
    learner().beforeCheckpoint();
  }

  /** Runs one task of the trainer thread, if there is one. */
  public boolean work() {
    return executor.runOne();
  }

  /** Runs a task, and lets the learner find out. */
  void turn() throws InterruptedException {
    work();
    step(20);
  }

  /** The input ends and is learned. */
  public void finish() throws InterruptedException {
    end();
    runToEnd();
  }

  /** Ticks and works until the learner has finished its input. */
  void runToEnd() throws InterruptedException {
    for (int steps = 0; events.isEmpty() || last().type() != DecisionEvent.Type.FINISHED; steps++) {
      if (steps > STEPS_MAX) {
        throw new AssertionError("not finished after %d steps: %s".formatted(steps, last()));
      }
      work();
      step(1_000_000);
    }
  }

  public void crash() {
    crashed();
    start();
  }

  /** Takes a checkpoint. */
  FakeLearnerState checkpoint() {
    beforeCheckpoint();
    return state.copy();
  }

  /**
   * Simulates a crash after which a checkpoint is restored, which read the input up to a position.
   */
  void crash(FakeLearnerState from, long position) {
    learner().close();
    state = from.copy();
    goBackTo(position);
    start();
  }

  /** Simulates a crash up to the point where the restarted learner is opened. */
  void crashWithoutTick() {
    crashed();
    openLearner();
  }

  private void crashed() {
    beforeCheckpoint();
    learner().close();
  }

  /** Ids of the samples in the lineage of the model in state. */
  List<Long> lineage() {
    AcceptedModel model = accepted(written());
    return model == null ? List.of() : FakeLineageTrainer.read(model.artifact());
  }

  /** Predicts class 0 with probability 3/4, whatever the model. */
  private record ConstantModel(ModelArtifact artifact) implements TaskModel {
    @Override
    public double[][] predict(List<Sample> samples) {
      double[][] rows = new double[samples.size()][];
      java.util.Arrays.fill(rows, new double[] {0.75f, 0.25f});
      return rows;
    }

    @Override
    public float[] losses(List<Sample> samples, double[][] predictions) {
      float[] losses = new float[samples.size()];
      for (int i = 0; i < losses.length; i++) {
        losses[i] = (float) -Math.log(samples.get(i).label() == 0 ? 0.75 : 0.25);
      }
      return losses;
    }

    @Override
    public void close() {}
  }
}
