package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.TrainingFailedException.Kind;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelloader.serve.ModelNetwork;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Updater;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What training promises for every kind of network and every engine. */
abstract class TrainerContract {
  static final List<Sample> POINTS = Trainings.separable(400, 1);
  static final SampleSchema CLASSES = Trainings.classes(2, 2);

  @TempDir Path folder;

  /** A network of two features that trains as said, whatever else says it. */
  abstract ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit);

  /** The engine under test. */
  abstract TrainingEngine engine(ModelSpec spec);

  private Trainer trainer(ModelSpec spec) {
    return trainer(spec, false);
  }

  private Trainer trainer(ModelSpec spec, boolean heldOut) {
    return new NetworkTrainer(spec, heldOut, engine(spec));
  }

  final ModelSpec spec(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec(schema, network(schema, fit), fit, true);
  }

  private ModelSpec adam() {
    return spec(CLASSES, Trainings.ADAM);
  }

  static TrainingResult train(Trainer trainer, @Nullable ModelArtifact base, TrainingBatch b)
      throws Exception {
    return trainer.train(new TrainingRequest(base, b, 7));
  }

  final TrainingResult once(ModelSpec spec, TrainingBatch batch) throws Exception {
    return from(null, spec, batch);
  }

  private TrainingResult from(@Nullable ModelArtifact base, ModelSpec spec, TrainingBatch batch)
      throws Exception {
    try (Trainer trainer = trainer(spec)) {
      return train(trainer, base, batch);
    }
  }

  static void assertSameBytes(ModelArtifact one, ModelArtifact other) {
    assertThat(one.files().keySet()).isEqualTo(other.files().keySet());
    one.files()
        .forEach((name, bytes) -> assertThat(other.files().get(name)).as(name).isEqualTo(bytes));
  }

  /** Equal contents in other arrays, as a restored state holds them. */
  private static ModelArtifact copy(ModelArtifact artifact) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    artifact.files().forEach((name, bytes) -> files.put(name, bytes.clone()));
    return new ModelArtifact(files);
  }

  private static TrainingFailedException.Kind kind(Throwable failed) {
    return ((TrainingFailedException) failed).kind();
  }

  @Test
  void train_separableProblem_isLearned() throws Exception {
    TrainingResult result = once(adam(), Trainings.batch(1, POINTS));
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      assertThat(Trainings.accuracy(model, Trainings.separable(1_500, 2))).isGreaterThan(0.9);
      for (double[] prediction : model.predict(POINTS.subList(0, 5))) {
        assertThat(prediction[0] + prediction[1]).isCloseTo(1, within(1e-5));
      }
    }
    assertThat(result.meanLossAfter()).isLessThan(result.meanLossBefore());
    assertThat(result.steps()).isEqualTo(5 * 13);
  }

  @Test
  void train_regression_givesUnitsOfItsLabel() throws Exception {
    ModelSpec spec = spec(Trainings.target(2), new ModelSpec.Fit(32, 20, Updater.ADAM, 0.01, 0));
    TrainingResult result = once(spec, Trainings.batch(1, Trainings.plane(600, 5)));
    List<Sample> unseen = Trainings.plane(100, 6);
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      double sum = 0;
      for (float loss : model.losses(unseen, model.predict(unseen))) {
        sum += loss;
      }
      // The labels' own deviation is about 104.
      assertThat(Math.sqrt(sum / unseen.size())).isLessThan(20);
    }
  }

  @Test
  void train_sameSeed_givesTheSameBytes() throws Exception {
    for (Updater updater : Updater.values()) {
      ModelSpec spec = spec(CLASSES, new ModelSpec.Fit(32, 1, updater, 0.01, 1e-3));
      TrainingBatch batch = Trainings.batch(1, POINTS.subList(0, 100));
      ModelArtifact model = once(spec, batch).model();
      assertSameBytes(model, once(spec, batch).model());
      byte[] file = model.files().get(ModelArtifact.NETWORK_FILE);
      try (TrainingEngine engine = engine(spec);
          ModelNetwork network = engine.decode(file)) {
        assertThat(network.encode()).as("%s", updater).isEqualTo(file);
      }
      assertThat(ModelSpecJson.decode(model.files().get(ModelArtifact.SPEC_FILE))).isEqualTo(spec);
    }
  }

  @Test
  void train_fromTheCachedNetwork_equalsFromTheFiles() throws Exception {
    for (Updater updater : Updater.values()) {
      ModelSpec spec = spec(CLASSES, new ModelSpec.Fit(32, 2, updater, 0.01, 1e-3));
      try (Trainer keeping = trainer(spec, true);
          Trainer reading = trainer(spec, true)) {
        // Few samples: it is about bytes, not about learning.
        ModelArtifact first =
            train(keeping, null, Trainings.batch(1, POINTS.subList(0, 80))).model();
        TrainingBatch second = Trainings.batch(2, Trainings.separable(50, 9));
        TrainingResult kept = train(keeping, first, second);
        TrainingResult read = train(reading, copy(first), second);
        assertSameBytes(kept.model(), read.model());
        assertThat(kept.contributions()).isEqualTo(read.contributions());
        assertThat(kept.model().files().get(ModelArtifact.NETWORK_FILE))
            .isNotEqualTo(first.files().get(ModelArtifact.NETWORK_FILE));
      }
    }
  }

  @Test
  void train_rowsOfEqualContents_areTrainedAsEachOfThem() throws Exception {
    assertEqualRowsCountAsRows(CLASSES, POINTS, 64);
    assertEqualRowsCountAsRows(CLASSES, POINTS, 7);
  }

  @Test
  void train_regressionRowsOfEqualContents_areTrainedAsEachOfThem() throws Exception {
    List<Sample> samples =
        POINTS.stream().map(s -> Sample.of(s.dense(), s.dense()[0] - 2 * s.dense()[1])).toList();
    assertEqualRowsCountAsRows(Trainings.target(2), samples, 64);
    assertEqualRowsCountAsRows(Trainings.target(2), samples, 7);
  }

  /** Plain gradient descent, so that nothing but the gradients decides. */
  private void assertEqualRowsCountAsRows(SampleSchema schema, List<Sample> samples, int miniBatch)
      throws Exception {
    ModelSpec.Fit fit = new ModelSpec.Fit(miniBatch, 2, Updater.SGD, 0.1, 0.01);
    ModelSpec spec = new ModelSpec(schema, network(schema, fit), fit, false);
    List<TrainingRow> together = new ArrayList<>();
    List<TrainingRow> apart = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      for (int k = 0; k < new int[] {1, 2, 9}[i % 3]; k++) {
        int id = apart.size();
        together.add(Trainings.row(id, i, samples.get(i)));
        apart.add(Trainings.row(id, samples.get(i)));
      }
    }
    TrainingResult one = once(spec, new TrainingBatch(1, together));
    TrainingResult other = once(spec, new TrainingBatch(1, apart));
    assertThat(one.steps()).isEqualTo(other.steps());
    assertThat(one.meanLossBefore()).isCloseTo(other.meanLossBefore(), within(1e-6));
    assertThat(one.meanLossAfter()).isCloseTo(other.meanLossAfter(), within(1e-6));
    for (int i = 0; i < apart.size(); i++) {
      Contribution left = one.contributions().get(i);
      Contribution right = other.contributions().get(i);
      assertThat(left.sampleId()).isEqualTo(right.sampleId());
      assertThat(left.lossAfter()).isCloseTo(right.lossAfter(), within(1e-5f));
      assertThat(left.gradientNorm()).isCloseTo(right.gradientNorm(), within(1e-5f));
    }
    double[] left = predictions(one, samples);
    assertThat(distance(left, predictions(other, samples))).isLessThan(1e-5);
    TrainingResult unweighted = once(spec, Trainings.batch(1, samples.subList(0, 10)));
    assertThat(distance(left, predictions(unweighted, samples))).isGreaterThan(1e-4);
  }

  @Test
  void train_wholeWeights_areTrainedAsCopies() throws Exception {
    assertWeightsCountAsCopies(CLASSES, POINTS);
    List<Sample> samples =
        POINTS.stream().map(s -> Sample.of(s.dense(), s.dense()[0] - 2 * s.dense()[1])).toList();
    assertWeightsCountAsCopies(Trainings.target(2), samples);
  }

  /**
   * One mini-batch for each pass, since copies may fall into several ones. The model has seen
   * samples before, since weights do not count for the encoding of numbers.
   */
  private void assertWeightsCountAsCopies(SampleSchema schema, List<Sample> samples)
      throws Exception {
    ModelSpec.Fit fit = new ModelSpec.Fit(64, 2, Updater.SGD, 0.1, 0.01);
    ModelSpec spec = new ModelSpec(schema, network(schema, fit), fit, false);
    List<TrainingRow> weighted = new ArrayList<>();
    List<TrainingRow> copied = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int weight = new int[] {1, 0, 2, 9}[i % 4];
      weighted.add(Trainings.row(i, samples.get(i).withWeight(weight)));
      for (int k = 0; k < weight; k++) {
        copied.add(Trainings.row(100 * i + k, i, samples.get(i)));
      }
    }
    ModelArtifact base = once(spec, Trainings.batch(1, samples)).model();
    TrainingResult one = from(base, spec, new TrainingBatch(2, weighted));
    TrainingResult other = from(base, spec, new TrainingBatch(2, copied));
    assertThat(one.meanLossBefore()).isCloseTo(other.meanLossBefore(), within(1e-5));
    assertThat(one.meanLossAfter()).isCloseTo(other.meanLossAfter(), within(1e-5));
    assertThat(one.contributions()).hasSize(12).allMatch(each -> Float.isFinite(each.lossAfter()));
    assertThat(one.contributions().get(3).weight()).isEqualTo(9);
    double[] left = predictions(one, samples);
    assertThat(distance(left, predictions(other, samples))).isLessThan(1e-5);
    TrainingResult unweighted = from(base, spec, Trainings.batch(2, samples.subList(0, 12)));
    assertThat(distance(left, predictions(unweighted, samples))).isGreaterThan(1e-4);
  }

  @Test
  void train_onlyRowsOfWeightZero_changesNothing() throws Exception {
    ModelSpec spec = adam();
    List<Sample> nothing = POINTS.subList(0, 40).stream().map(s -> s.withWeight(0)).toList();
    try (Trainer trainer = trainer(spec)) {
      ModelArtifact base = train(trainer, null, Trainings.batch(1, POINTS)).model();
      TrainingResult result = train(trainer, base, Trainings.batch(2, nothing));
      assertSameBytes(result.model(), base);
      assertThat(result.steps()).isZero();
      assertThat(result.contributions()).hasSize(40);
      assertThat(result.meanLossAfter()).isBetween(1e-9, 1.0);
    }
  }

  private static double[] predictions(TrainingResult result, List<Sample> samples)
      throws Exception {
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      double[][] predictions = model.predict(samples);
      double[] first = new double[predictions.length];
      for (int i = 0; i < first.length; i++) {
        first[i] = predictions[i][0];
      }
      return first;
    }
  }

  private static double distance(double[] left, double[] right) {
    double largest = 0;
    for (int i = 0; i < left.length; i++) {
      largest = Math.max(largest, Math.abs(left[i] - right[i]));
    }
    return largest;
  }

  @Test
  void train_afterADivergingTraining_isAsIfItNeverWas() throws Exception {
    // Where the schema says 0 for what is missing, NaN stands for nothing.
    ModelSpec spec = spec(Trainings.zeroForMissing(CLASSES), Trainings.ADAM);
    TrainingBatch second = Trainings.batch(2, Trainings.separable(100, 4));
    List<Sample> poison = new ArrayList<>(POINTS.subList(0, 20));
    poison.add(Sample.of(new double[] {Double.NaN, 1}, 0));
    try (Trainer trainer = trainer(spec);
        Trainer spared = trainer(spec)) {
      ModelArtifact base = train(trainer, null, Trainings.batch(1, POINTS)).model();
      assertThatThrownBy(() -> train(trainer, base, Trainings.batch(2, poison)))
          .satisfies(failed -> assertThat(kind(failed)).isEqualTo(Kind.DIVERGED))
          .satisfies(
              failed ->
                  assertThat(((TrainingFailedException) failed).sampleIds()).containsExactly(20))
          .hasMessageContaining("update 2")
          .hasMessageContaining("1 of 21 rows: samples 20");
      assertSameBytes(
          train(trainer, base, second).model(), train(spared, copy(base), second).model());
    }
  }

  @Test
  void train_learningRateOfAMillion_diverges() {
    ModelSpec spec = spec(Trainings.target(2), new ModelSpec.Fit(32, 3, Updater.SGD, 1e6, 0));
    assertThatThrownBy(() -> once(spec, Trainings.batch(1, Trainings.plane(300, 1))))
        .satisfies(failed -> assertThat(kind(failed)).isEqualTo(Kind.DIVERGED))
        .satisfies(failed -> assertThat(((TrainingFailedException) failed).sampleIds()).isEmpty())
        .hasMessageContaining("learning-rate");
  }

  @Test
  void train_interrupted_stopsAndLeavesTheTrainerUsable() throws Exception {
    TrainingBatch batch = Trainings.batch(1, POINTS);
    ModelSpec spec = adam();
    try (Trainer trainer = trainer(spec)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> train(trainer, null, batch))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
      assertSameBytes(train(trainer, null, batch).model(), once(spec, batch).model());
    }
  }

  @Test
  void train_damagedBaseModel_isRefused() throws Exception {
    ModelSpec spec = adam();
    TrainingBatch batch = Trainings.batch(2, POINTS);
    ModelArtifact base = once(spec, Trainings.batch(1, POINTS)).model();
    byte[] whole = base.files().get(ModelArtifact.NETWORK_FILE);
    for (int length : new int[] {0, 3, whole.length / 2}) {
      ModelArtifact broken = copy(base);
      broken.files().put(ModelArtifact.NETWORK_FILE, Arrays.copyOf(whole, length));
      try (Trainer trainer = trainer(spec)) {
        assertThatThrownBy(() -> train(trainer, broken, batch))
            .as("%d of %d bytes", length, whole.length)
            .satisfies(failed -> assertThat(kind(failed)).isEqualTo(Kind.BAD_BASE_MODEL));
      }
    }
  }

  @Test
  void train_baseModelOfAnotherNetwork_isRefusedInABoundedMessage() throws Exception {
    ModelSpec other =
        new ModelSpec(CLASSES, new ModelSpec.Network.Mlp(List.of(99)), Trainings.ADAM, true);
    ModelArtifact base = once(other, Trainings.batch(1, POINTS)).model();
    try (Trainer trainer = trainer(adam())) {
      assertThatThrownBy(() -> train(trainer, base, Trainings.batch(2, POINTS)))
          .satisfies(failed -> assertThat(kind(failed)).isEqualTo(Kind.BAD_BASE_MODEL))
          .satisfies(failed -> assertThat(failed.getMessage()).hasSizeLessThan(500))
          .hasMessageContaining("99")
          .hasMessageContaining("the application asks for");
    }
  }

  @Test
  void load_publishedFiles_needNoApplicationFile() throws Exception {
    ModelArtifact artifact = once(adam(), Trainings.batch(1, POINTS)).model();
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    ModelCheckpoint published = store.claim("app", 0).publish(Drafts.of("app", artifact.served()));
    Dl4jModelLoader loader = new Dl4jModelLoader();
    Dl4jModel served = loader.load(published, store.load(published));
    try (Dl4jModel trained = Dl4jModel.load(artifact)) {
      assertThat(served.predict(POINTS)).isEqualTo(trained.predict(POINTS));
    }
    loader.dispose(served);
  }
}
