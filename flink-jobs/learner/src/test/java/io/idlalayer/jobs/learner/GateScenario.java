package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.FaultyModels;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.assertj.core.api.AbstractStringAssert;

/**
 * The story of a learner with a release gate, whose updates are sometimes trained on wrong labels.
 * An update is fired by every {@link #BATCH}-th sample; a sample comes every 10 ms. The label is
 * the sign of the one feature, and a logistic regression learns it from the first update on. A
 * wrong label comes with an outlier, so that few of them make a model worse.
 *
 * <p>First say what there is, then {@link #begins()}.
 */
public final class GateScenario extends VirtualTimeLearner {
  public static final int BATCH = 200;

  /** Samples after which a model is called as good as another. */
  public static final int COMPARED = 100;

  /** Number of samples with right labels after which the newest model has surely been judged. */
  public static final int JUDGED = COMPARED + 50;

  /** Number of wrong labels that make an update bad. */
  public static final int POISON = 40;

  /** How long a model is held at most if no samples come. */
  public static final long WAIT_MILLIS = 10_000;

  /** How long a training or a publication takes, where that is not nothing. */
  public static final long TASK_MILLIS = 3_000;

  /** Time in which all that was begun is over. */
  private static final long SETTLED_MILLIS = 20_000;

  /** Time in which the learner has looked at its pin. */
  private static final long LOOKED_MILLIS = 5_000;

  private static final long MILLIS_BETWEEN = 10;
  private static final int OUTLIER = 6;
  private static final ApplicationPartition OF = new ApplicationPartition("app", 0);

  public final ModelStore store;

  /** What was trained, in order. */
  final List<TrainingRequest> trainings = new ArrayList<>();

  private final Path folder;
  private final SplittableRandom random = new SplittableRandom(11);
  private boolean trustedIsAway;
  private int failingRollBacks;
  private long lostAnswer;
  private int arrived;

  private GateScenario(Path folder, GateSettings gate, int kept) {
    super(
        LearnerSettings.gated(
            LearnerSimulation.settings(
                UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(BATCH)),
                DataSettings.defaults()),
            kept,
            gate),
        FakeLogisticTrainer::new,
        FakeLogisticTrainer.Model::new);
    this.folder = folder;
    store = new ModelStore(folder, InstantSource.system());
  }

  // ---- what there is --------------------------------------------------------------------------

  public static GateScenario with(Path folder, GateSettings gate) {
    return new GateScenario(folder, gate, 100);
  }

  /** Creates a scenario in which a limited number of versions is kept. */
  public static GateScenario keeping(int versions, Path folder, GateSettings gate) {
    return new GateScenario(folder, gate, versions);
  }

  /** A model is called as good after {@link #COMPARED} samples; the next update continues it. */
  public static GateSettings gate(Action action, AfterPublishing after) {
    return gate(action, after, 0.01, COMPARED, ContinueFrom.NEWEST);
  }

  public static GateSettings gate(
      Action action, AfterPublishing after, double margin, int samples, ContinueFrom from) {
    double waitSeconds = WAIT_MILLIS / 1e3;
    return new GateSettings(
        action, after, Metric.ACCURACY, margin, samples, waitSeconds, from, null);
  }

  public static GateSettings holds() {
    return gate(Action.HOLD, AfterPublishing.OFF);
  }

  public static GateSettings rollsBack() {
    return gate(Action.OFF, AfterPublishing.ROLL_BACK);
  }

  /** The next update continues the version in service after a refusal or a rollback. */
  public static GateSettings inService(GateSettings gate) {
    return gate(
        gate.action(),
        gate.afterPublishing(),
        gate.margin(),
        gate.samples(),
        ContinueFrom.IN_SERVICE);
  }

  /** Models are compared on samples whose labels are right, of which none arrives. */
  public GateScenario trusting(int samples) {
    SplittableRandom own = new SplittableRandom(3);
    List<Sample> right = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      float x = (float) (own.nextDouble() * 2 - 1);
      right.add(new Sample("right" + i, new double[] {x}, new int[0], x > 0 ? 1 : 0));
    }
    trusted =
        () -> {
          if (trustedIsAway) {
            throw new IOException("checked.csv: the disk is away");
          }
          return right;
        };
    return this;
  }

  /** The file of trusted samples cannot be read, from now on or no more. */
  public GateScenario trustedIsAway(boolean away) {
    trustedIsAway = away;
    return this;
  }

  /** Sets the duration of a training, a publication or a clean-up. */
  public GateScenario taking(long millis) {
    taskMillis(millis);
    return this;
  }

  /** Setting a pin takes until the test runs its task. */
  public ManualExecutor slowPins() {
    ManualExecutor slow = new ManualExecutor();
    rollBacks = slow;
    return slow;
  }

  /** The medium fails the first times that a pin is set. */
  public GateScenario failingRollBacks(int times) {
    failingRollBacks = times;
    return this;
  }

  /** A version is published, and the learner hears that it was not. */
  public GateScenario losingTheAnswer(long version) {
    lostAnswer = version;
    return this;
  }

  public GateScenario begins() throws InterruptedException {
    open();
    return this;
  }

  @Override
  PublishedModels models() {
    return new FaultyModels(new StoredModels(store, folder, "app", 0))
        .failingRollBacks(failingRollBacks)
        .losingTheAnswer(lostAnswer);
  }

  @Override
  Trainer newTrainer() {
    Trainer trainer = super.newTrainer();
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        trainings.add(request);
        return trainer.train(request);
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  // ---- what happens ---------------------------------------------------------------------------

  /** Samples with right labels come. */
  public GateScenario right(int samples) throws InterruptedException {
    return arrive(samples, false, 1);
  }

  /** Samples with wrong labels come. */
  public GateScenario wrong(int samples) throws InterruptedException {
    return arrive(samples, true, OUTLIER);
  }

  /** Sends samples with right labels until the newest model has been judged. */
  public GateScenario judged() throws InterruptedException {
    return right(JUDGED);
  }

  /** Samples with wrong labels come, which make their update bad. */
  public GateScenario poisoned() throws InterruptedException {
    return wrong(POISON);
  }

  /** Outliers with right labels come, which mend much. */
  GateScenario rightOutliers(int samples) throws InterruptedException {
    return arrive(samples, false, 2 * OUTLIER);
  }

  private GateScenario arrive(int samples, boolean wrong, float scale) throws InterruptedException {
    for (int i = 0; i < samples; i++) {
      float x = (float) (random.nextDouble() * 2 - 1) * scale;
      float label = (x > 0) == wrong ? 0 : 1;
      Sample sample = new Sample("s" + arrived++, new double[] {x}, new int[0], label);
      arrive(sample, ContentHasher.of(sample));
      pass(MILLIS_BETWEEN);
    }
    return this;
  }

  /** Updates are fired, each trained on right labels only. */
  public GateScenario updates(int count) throws InterruptedException {
    return right(count * BATCH);
  }

  /** An update is fired whose last samples have wrong labels. */
  public GateScenario badUpdate() throws InterruptedException {
    return right(BATCH - 30).wrong(30);
  }

  /** Good updates, each published before the next one. */
  public GateScenario settledUpdates(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      updates(1).settles();
    }
    return this;
  }

  /**
   * After a good version a bad one serves, and one that continues it is being published.
   *
   * @param mended whether that one has learned from a few right outliers, so that it is good
   */
  public GateScenario servesABadVersionWithOneOnItsWay(boolean mended) throws Exception {
    settledUpdates(1).badUpdate().settles();
    serves(published().size());
    if (mended) {
      rightOutliers(15);
    } else {
      right(1);
    }
    requestTraining();
    passes(taskMillis() + 100);
    assertThat(last().status().training()).isFalse();
    return this;
  }

  public GateScenario passes(long millis) throws InterruptedException {
    pass(millis);
    return this;
  }

  /** All trainings and publications end that were begun. */
  public GateScenario settles() throws InterruptedException {
    return passes(SETTLED_MILLIS);
  }

  /** The learner finds out what people have pinned. */
  public GateScenario looksAtThePin() throws InterruptedException {
    return passes(LOOKED_MILLIS);
  }

  public GateScenario restarts() throws InterruptedException {
    restart();
    return this;
  }

  /** The input ends, and time passes. */
  public GateScenario ends(long millis) throws InterruptedException {
    end();
    return passes(millis);
  }

  /** People let an older version serve until a newer one than the newest is published. */
  public GateScenario peopleRollBackTo(long version, String reason) throws IOException {
    store.rollBack(OF, version, reason);
    return this;
  }

  /** People let a version serve until they unpin it. */
  public GateScenario peoplePin(long version, String reason) throws IOException {
    store.pin(store.read("app", 0, version), 0, reason);
    return this;
  }

  public GateScenario peopleUnpin() throws IOException {
    store.unpin("app", 0);
    return this;
  }

  // ---- what an outsider sees ------------------------------------------------------------------

  /** Versions that were published, as the events say. */
  public List<Long> published() {
    return said(DecisionEvent.Type.PUBLISHED).stream()
        .map(event -> event.update().requirePublished().version())
        .toList();
  }

  /** The first versions were published, and no others. */
  public GateScenario hasPublished(long upTo) {
    assertThat(published())
        .containsExactlyElementsOf(
            java.util.stream.LongStream.rangeClosed(1, upTo).boxed().toList());
    return this;
  }

  public GateScenario serves(long version) throws IOException {
    assertThat(serving()).as("version that serves").isEqualTo(version);
    return this;
  }

  /** The version that serves. */
  public long serving() throws IOException {
    return store.serving("app", 0).orElseThrow().checkpoint().manifest().version();
  }

  /** The newest version. */
  public long newest() throws IOException {
    return store.current("app", 0).orElseThrow().manifest().version();
  }

  public ModelManifest manifest(long version) throws IOException {
    return store.read("app", 0, version).manifest();
  }

  /** A version was made from another one. */
  public GateScenario continues(long version, long parent) throws IOException {
    assertThat(manifest(version).parentVersion()).as("parent version").isEqualTo(parent);
    assertThat(manifest(version).parentDigest()).isEqualTo(store.read("app", 0, parent).digest());
    return this;
  }

  /** Asserts that an event was sent a number of times. */
  public GateScenario said(DecisionEvent.Type type, int times) {
    assertThat(said(type)).as("times that %s was said", type).hasSize(times);
    return this;
  }

  /** What was said once of a kind. */
  public AbstractStringAssert<?> saidOnce(DecisionEvent.Type type) {
    said(type, 1);
    return message(type, 0);
  }

  /** What was said of a kind, by number from 0. */
  public AbstractStringAssert<?> message(DecisionEvent.Type type, int number) {
    return assertThat(said(type).get(number).message());
  }

  /** The event of a rollback by the gate, by number from 0. */
  public GateScenario saysRolledBack(int number, long worse, long serves) {
    message(DecisionEvent.Type.ROLLED_BACK, number)
        .contains("version %d is worse".formatted(worse))
        .contains("version %d serves again".formatted(serves));
    return this;
  }

  /**
   * The only event of a rollback by the gate.
   *
   * @param millis a regular expression of the time since a version was found to be worse
   */
  public AbstractStringAssert<?> servesAgain(long version, String millis) {
    return saidOnce(DecisionEvent.Type.ROLLED_BACK)
        .matches(
            ".*; version %d serves again, %s ms after that was found".formatted(version, millis));
  }

  /** The event of a rollback that was found, by number from 0; it is the last one. */
  public AbstractStringAssert<?> saysInPlaceOf(int number, long serves, long left) {
    return said(DecisionEvent.Type.ROLLED_BACK, number + 1)
        .message(DecisionEvent.Type.ROLLED_BACK, number)
        .contains("version %d serves in place of version %d".formatted(serves, left));
  }

  /** The only event of a version that is worse. */
  public AbstractStringAssert<?> cannotServeAgain(long version) {
    return saidOnce(DecisionEvent.Type.WORSE)
        .contains("version %d cannot be put in service again".formatted(version));
  }

  /** The event of a model that was not compared, by number from 0. */
  public GateScenario saysTrustedIsAway(int number) {
    message(DecisionEvent.Type.UNCOMPARED, number)
        .endsWith("trusted samples cannot be read: checked.csv: the disk is away");
    return this;
  }

  /** The version that serves as the last event has it. */
  public GateScenario saysThatServes(long version) {
    assertThat(comparison().inServiceVersion()).isEqualTo(version);
    return this;
  }

  /** The version that the newest model is compared with, as the last event has it. */
  public GateScenario comparesWith(long version) {
    assertThat(comparison().comparedWith()).isEqualTo(version);
    return this;
  }

  /** The comparison as the last event has it. */
  public Status.Gate comparison() {
    return Objects.requireNonNull(last().status().gate(), "nothing is compared");
  }

  /** What a training began with. */
  public byte[] weights(int training) {
    return Objects.requireNonNull(trainings.get(training).base()).files().get("weights");
  }
}
