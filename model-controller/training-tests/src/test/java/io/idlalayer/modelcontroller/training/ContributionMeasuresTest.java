package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.NetworkInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What a training measures of each sample beside its losses: the bound of its gradient's norm
 * against the gradient itself, and its loss under a model that learned from others.
 */
final class ContributionMeasuresTest {
  private static final List<Sample> POINTS = Trainings.separable(120, 1);

  private static ModelSpec spec(SampleSchema schema, boolean standardize) {
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(List.of(8)),
        new ModelSpec.Fit(16, 2, ModelSpec.Updater.SGD, 0.05, 0),
        standardize);
  }

  private static ModelSpec classes() {
    return spec(Trainings.classes(2, 2), false);
  }

  private static TrainingResult train(Trainer trainer, ModelArtifact base, TrainingBatch batch)
      throws Exception {
    return trainer.train(new TrainingRequest(base, batch, 7));
  }

  private static TrainingResult once(ModelSpec spec, boolean heldOut, TrainingBatch batch)
      throws Exception {
    try (Trainer trainer = Trainings.dl4j(spec, heldOut)) {
      return train(trainer, null, batch);
    }
  }

  @Tag("natives")
  @Test
  void gradientNorm_classification_boundsTheGradientOfEachSample() throws Exception {
    assertBounds(spec(Trainings.classes(2, 2), true), POINTS);
  }

  @Tag("natives")
  @Test
  void gradientNorm_regression_boundsTheGradientOfEachSample() throws Exception {
    assertBounds(spec(Trainings.target(2), true), Trainings.plane(120, 2));
  }

  /**
   * The norm of one sample's gradient is at the last layer exactly the measured bound times sqrt(1
   * + |h|^2), h being what enters that layer; and all of it is at most the bound times a factor
   * that no sample exceeds.
   */
  private static void assertBounds(ModelSpec spec, List<Sample> samples) throws Exception {
    TrainingResult result = once(spec, false, Trainings.batch(1, samples));
    Map<String, byte[]> files = result.model().files();
    FeatureScaler scaler = FeatureScaler.decode(files.get(ModelArtifact.SCALER_FILE));
    NetworkInput input = new NetworkInput(spec);
    try (Trainings.Stacked served = Trainings.stacked(files.get(ModelArtifact.NETWORK_FILE))) {
      MultiLayerNetwork network = served.network();
      double steepest = square(network.getParam("1_W"));
      List<double[]> entering = new ArrayList<>();
      List<Map<String, INDArray>> gradients = new ArrayList<>();
      for (Sample sample : samples) {
        INDArray features =
            ArrayNetwork.array(input.features(List.of(sample), scaler, IdVectors.NONE), 1);
        entering.add(
            new double[] {
              1 + square(features), 1 + square(network.feedForward(features, false).get(1))
            });
        network.setInput(features);
        network.setLabels(ArrayNetwork.array(input.labels(List.of(sample), scaler), 1));
        network.computeGradientAndScore();
        gradients.add(Map.copyOf(copied(network.gradient().gradientForVariable())));
      }
      double widest = 0;
      for (double[] squares : entering) {
        widest = Math.max(widest, squares[1] + steepest * squares[0]);
      }
      double largest = 0;
      for (int i = 0; i < samples.size(); i++) {
        float bound = result.contributions().get(i).gradientNorm();
        Map<String, INDArray> gradient = gradients.get(i);
        double last = square(gradient.get("1_W")) + square(gradient.get("1_b"));
        double all = last + square(gradient.get("0_W")) + square(gradient.get("0_b"));
        assertThat(Math.sqrt(last))
            .isCloseTo(bound * Math.sqrt(entering.get(i)[1]), within(1e-4 * (1 + bound)));
        assertThat(Math.sqrt(all))
            .isLessThanOrEqualTo(bound * Math.sqrt(widest) * (1 + 1e-4) + 1e-6);
        largest = Math.max(largest, bound);
      }
      assertThat(largest).as("something is left to learn").isGreaterThan(0.01);
    }
  }

  private static Map<String, INDArray> copied(Map<String, INDArray> gradients) {
    Map<String, INDArray> copies = new java.util.HashMap<>();
    gradients.forEach((name, gradient) -> copies.put(name, gradient.dup()));
    return copies;
  }

  private static double square(INDArray values) {
    double norm = values.norm2Number().doubleValue();
    return norm * norm;
  }

  /** The gradient that the bound rests on, by moving each parameter a little. */
  @Tag("natives")
  @Test
  void gradient_singleSample_isTheSlopeOfItsLoss() throws Exception {
    ModelSpec spec = classes();
    TrainingResult result = once(spec, false, Trainings.batch(1, POINTS));
    Sample sample = POINTS.get(3);
    Map<String, byte[]> files = result.model().files();
    FeatureScaler scaler = FeatureScaler.decode(files.get(ModelArtifact.SCALER_FILE));
    try (Trainings.Stacked served = Trainings.stacked(files.get(ModelArtifact.NETWORK_FILE))) {
      MultiLayerNetwork network = served.network();
      Dl4jModel model = new Dl4jModel(spec, scaler, new StackedNetwork(network));
      double sum = 0;
      for (String name : List.of("1_W", "1_b")) {
        INDArray parameter = network.getParam(name);
        for (long i = 0; i < parameter.length(); i++) {
          double slope = slope(model, sample, parameter, i);
          sum += slope * slope;
        }
      }
      double entering =
          square(
              network
                  .feedForward(
                      ArrayNetwork.array(
                          new NetworkInput(spec).features(List.of(sample), scaler, IdVectors.NONE),
                          1),
                      false)
                  .get(1));
      assertThat(Math.sqrt(sum))
          .isCloseTo(
              result.contributions().get(3).gradientNorm() * Math.sqrt(1 + entering), within(5e-3));
    }
  }

  private static double slope(Dl4jModel model, Sample sample, INDArray parameter, long at) {
    float step = 1e-2f;
    double before = parameter.getDouble(at);
    parameter.putScalar(at, before + step);
    double up = model.losses(List.of(sample), model.predict(List.of(sample)))[0];
    parameter.putScalar(at, before - step);
    double down = model.losses(List.of(sample), model.predict(List.of(sample)))[0];
    parameter.putScalar(at, before);
    return (up - down) / (2 * step);
  }

  @Tag("natives")
  @Test
  void train_noHeldOutModel_measuresNoHeldOutLoss() throws Exception {
    TrainingResult result = once(classes(), false, Trainings.batch(1, POINTS));

    assertThat(result.contributions()).allMatch(c -> Float.isNaN(c.heldOutLoss()));
    assertThat(result.model().files()).doesNotContainKey(ModelArtifact.HELD_OUT_FILE);
  }

  @Tag("natives")
  @Test
  void train_heldOutModel_isStoredButNotServed() throws Exception {
    TrainingBatch batch = Trainings.batch(1, POINTS);
    ModelArtifact with = once(classes(), true, batch).model();
    ModelArtifact without = once(classes(), false, batch).model();

    assertThat(with.files()).containsKey(ModelArtifact.HELD_OUT_FILE);
    assertThat(with.served().keySet()).isEqualTo(without.files().keySet());
    without.files().forEach((name, bytes) -> assertThat(with.served().get(name)).isEqualTo(bytes));
  }

  @Test
  void slice_anyStride_isAboutAnEighthOfTheSamples() {
    for (long stride : new long[] {1, 2, 8, 64, 1000}) {
      int inside = 0;
      for (int i = 0; i < 8_000; i++) {
        inside += HeldOutModel.slice(5 + i * stride) ? 1 : 0;
      }
      assertThat(inside).as("stride %d", stride).isBetween(800, 1200);
    }
  }

  private static List<TrainingRow> rows(boolean inSlice, List<Sample> samples) {
    List<TrainingRow> rows = new ArrayList<>();
    for (long id = 1; rows.size() < samples.size(); id++) {
      if (HeldOutModel.slice(id) == inSlice) {
        rows.add(Trainings.row(id, samples.get(rows.size())));
      }
    }
    return rows;
  }

  private static INDArray heldOutParameters(ModelArtifact model) throws Exception {
    try (Trainings.Stacked heldOut =
        Trainings.stacked(model.files().get(ModelArtifact.HELD_OUT_FILE))) {
      return heldOut.network().params().dup();
    }
  }

  @Tag("natives")
  @Test
  void train_heldOutModel_learnsFromItsSliceOnly() throws Exception {
    List<TrainingRow> slice = rows(true, POINTS.subList(0, 30));
    List<TrainingRow> others = rows(false, POINTS.subList(30, 90));
    List<TrainingRow> wrong =
        rows(
            false,
            POINTS.subList(30, 90).stream()
                .map(sample -> Sample.of(new double[] {9, -9}, 1 - sample.label()))
                .toList());
    ModelArtifact one = once(classes(), true, batch(slice, others)).model();
    ModelArtifact two = once(classes(), true, batch(slice, wrong)).model();
    ModelArtifact alone = once(classes(), true, batch(slice, List.of())).model();
    ModelArtifact never = once(classes(), true, batch(List.of(), others)).model();

    INDArray learned = heldOutParameters(one);
    assertThat(heldOutParameters(two)).isEqualTo(learned);
    assertThat(heldOutParameters(alone)).isEqualTo(learned);
    assertThat(one.files().get(ModelArtifact.NETWORK_FILE))
        .as("the served model learns from all")
        .isNotEqualTo(two.files().get(ModelArtifact.NETWORK_FILE));
    try (Trainings.Stacked fresh =
        Trainings.stacked(Trainings.initialised(classes(), ~7L).encode())) {
      assertThat(heldOutParameters(never)).isEqualTo(fresh.network().params());
      assertThat(learned.distance2(fresh.network().params())).isGreaterThan(1e-3);
    }
  }

  private static TrainingBatch batch(List<TrainingRow> some, List<TrainingRow> others) {
    List<TrainingRow> all = new ArrayList<>(some);
    all.addAll(others);
    return new TrainingBatch(1, all);
  }

  @Tag("natives")
  @Test
  void train_heldOutLosses_areMeasuredBeforeItLearned() throws Exception {
    ModelSpec spec = classes();
    try (Trainer trainer = Trainings.dl4j(spec, true);
        Trainer reading = Trainings.dl4j(spec, true)) {
      ModelArtifact first = train(trainer, null, Trainings.batch(1, POINTS)).model();
      List<TrainingRow> rows = new ArrayList<>();
      for (int i = 0; i < POINTS.size(); i++) {
        rows.add(new TrainingRow(i, i, POINTS.get(i), 0.5f, false));
      }
      List<Sample> arrived = Trainings.separable(40, 4);
      for (int i = 0; i < arrived.size(); i++) {
        rows.add(Trainings.row(1000 + i, arrived.get(i)));
      }
      TrainingResult second = train(trainer, first, new TrainingBatch(2, rows));
      assertHeldOutLosses(spec, first, rows, second.contributions());

      ModelArtifact restored = new ModelArtifact(new java.util.TreeMap<>(first.files()));
      restored.files().replaceAll((name, bytes) -> bytes.clone());
      TrainingResult read = train(reading, restored, new TrainingBatch(2, rows));
      assertThat(read.contributions()).isEqualTo(second.contributions());
      assertThat(heldOutParameters(read.model())).isEqualTo(heldOutParameters(second.model()));
    }
  }

  private static void assertHeldOutLosses(
      ModelSpec spec, ModelArtifact before, List<TrainingRow> rows, List<Contribution> measured)
      throws Exception {
    FeatureScaler scaler = FeatureScaler.decode(before.files().get(ModelArtifact.SCALER_FILE));
    int unknown = 0;
    try (TrainingEngine engine = Trainings.dl4jEngine(spec);
        HeldOutModel heldOut =
            new HeldOutModel(engine.decode(before.files().get(ModelArtifact.HELD_OUT_FILE)))) {
      Dl4jModel other = new Dl4jModel(spec, scaler, heldOut.network());
      List<Sample> samples = rows.stream().map(TrainingRow::sample).toList();
      float[] expected = other.losses(samples, other.predict(samples));
      for (int i = 0; i < rows.size(); i++) {
        TrainingRow row = rows.get(i);
        if (!row.fresh() && HeldOutModel.slice(row.sampleId())) {
          assertThat(measured.get(i).heldOutLoss()).isNaN();
          unknown++;
        } else {
          assertThat(measured.get(i).heldOutLoss()).isCloseTo(expected[i], within(1e-5f));
        }
      }
    }
    assertThat(unknown).isBetween(1, 40);
  }

  @Tag("natives")
  @Test
  void train_baseWithoutHeldOutModel_getsOne() throws Exception {
    ModelArtifact plain = once(classes(), false, Trainings.batch(1, POINTS)).model();
    try (Trainer trainer = Trainings.dl4j(classes(), true)) {
      TrainingResult next = train(trainer, plain, Trainings.batch(2, Trainings.separable(60, 5)));

      assertThat(next.model().files()).containsKey(ModelArtifact.HELD_OUT_FILE);
      assertThat(next.contributions()).allMatch(c -> Float.isFinite(c.heldOutLoss()));
    }
  }
}
