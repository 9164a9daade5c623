package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.bytedeco.javacpp.Pointer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions;

@Tag("natives")
final class Dl4jTrainerTest {
  private static final ModelSpec SEPARABLE = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
  private static final List<Sample> POINTS = Trainings.separable(400, 1);

  private static TrainingResult train(Trainer trainer, ModelArtifact base, TrainingBatch batch)
      throws Exception {
    return trainer.train(new TrainingRequest(base, batch, 7));
  }

  private static TrainingResult once(ModelSpec spec, TrainingBatch batch) throws Exception {
    try (Trainer trainer = Trainings.dl4j(spec)) {
      return train(trainer, null, batch);
    }
  }

  /** Equal contents in other arrays, as a restored state holds them. */
  private static ModelArtifact copy(ModelArtifact artifact) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    artifact.files().forEach((name, bytes) -> files.put(name, bytes.clone()));
    return new ModelArtifact(files);
  }

  @Test
  void train_mlp_learnsASeparableProblem() throws Exception {
    TrainingResult result = once(SEPARABLE, Trainings.batch(1, POINTS));
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      assertThat(Trainings.accuracy(model, Trainings.separable(1_500, 2))).isGreaterThan(0.93);
    }
    assertThat(result.meanLossAfter()).isLessThan(result.meanLossBefore());
    assertThat(result.steps()).isEqualTo(5 * 13);
    assertThat(result.trainSeconds()).isPositive();
  }

  @Test
  void train_cnn_learnsRowsFromColumns() throws Exception {
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(64, 2),
            new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 16),
            Trainings.ADAM,
            false);
    TrainingResult result = once(spec, Trainings.batch(1, Trainings.bars(256, 3)));
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      assertThat(Trainings.accuracy(model, Trainings.bars(200, 4))).isGreaterThan(0.95);
    }
  }

  @Test
  void train_categoricalFeature_reachesTheNetwork() throws Exception {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      samples.add(new Sample("", new double[] {i % 7}, new int[] {i % 4}, i % 2));
    }
    ModelSpec spec = Trainings.mlp(Trainings.categories(4), Trainings.ADAM);
    try (Dl4jModel model = Dl4jModel.load(once(spec, Trainings.batch(1, samples)).model())) {
      assertThat(Trainings.accuracy(model, samples)).isEqualTo(1);
    }
  }

  @Test
  void train_regression_predictsInUnitsOfItsLabel() throws Exception {
    ModelSpec spec =
        Trainings.mlp(
            Trainings.target(2), new ModelSpec.Fit(32, 20, ModelSpec.Updater.ADAM, 0.01, 0));
    TrainingResult result = once(spec, Trainings.batch(1, Trainings.plane(600, 5)));
    List<Sample> unseen = Trainings.plane(100, 6);
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      double[][] predictions = model.predict(unseen);
      float[] losses = model.losses(unseen, predictions);
      double sum = 0;
      for (int i = 0; i < losses.length; i++) {
        double error = predictions[i][0] - unseen.get(i).label();
        assertThat((double) losses[i]).isCloseTo(error * error, within(1e-3 * (1 + error * error)));
        sum += losses[i];
      }
      // The labels' own deviation is about 104.
      assertThat(Math.sqrt(sum / losses.length)).isLessThan(20);
    }
  }

  @Test
  void train_dl4jConfiguration_isTrainedAsItIs() throws Exception {
    ModelSpec spec = new ModelSpec(Trainings.classes(2, 2), json(2, 2), Trainings.ADAM, true);
    TrainingResult result = once(spec, Trainings.batch(1, POINTS));
    try (Dl4jModel model = Dl4jModel.load(result.model())) {
      assertThat(Trainings.accuracy(model, POINTS)).isGreaterThan(0.9);
    }
  }

  private static ModelSpec.Network.Dl4jJson json(int inputs, int outputs) {
    return new ModelSpec.Network.Dl4jJson(
        new NeuralNetConfiguration.Builder()
            .updater(new Sgd(0.5))
            .list()
            .layer(new DenseLayer.Builder().nIn(inputs).nOut(8).activation(Activation.TANH).build())
            .layer(
                new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .nIn(8)
                    .nOut(outputs)
                    .activation(Activation.SOFTMAX)
                    .build())
            .build()
            .toJson());
  }

  @Test
  void train_dl4jConfigurationOfOtherWidths_isRefusedWithBothNumbers() {
    TrainingBatch batch = Trainings.batch(1, POINTS);
    ModelSpec outputs = new ModelSpec(Trainings.classes(2, 2), json(2, 3), Trainings.ADAM, true);
    assertThatThrownBy(() -> once(outputs, batch)).hasMessageContaining("2 outputs");
    ModelSpec inputs = new ModelSpec(Trainings.classes(2, 2), json(5, 2), Trainings.ADAM, true);
    assertThatThrownBy(() -> once(inputs, batch))
        .hasMessageContaining("takes 5 inputs, the features are 2");
  }

  @Test
  void train_anotherSeed_givesAnotherModel() throws Exception {
    TrainingBatch batch = Trainings.batch(1, POINTS);
    try (Trainer trainer = Trainings.dl4j(SEPARABLE)) {
      ModelArtifact one = trainer.train(new TrainingRequest(null, batch, 7)).model();
      ModelArtifact other = trainer.train(new TrainingRequest(null, batch, 8)).model();
      assertThat(one.files().get("model.zip")).isNotEqualTo(other.files().get("model.zip"));
    }
  }

  @Test
  void train_savedConfiguration_doesNotNameTheWeightingLoss() throws Exception {
    assertThat(
            Trainings.stacked(
                    once(SEPARABLE, Trainings.batch(1, POINTS)).model().files().get("model.zip"))
                .network()
                .getLayerWiseConfigurations()
                .toJson())
        .doesNotContain("RowWeighted");
  }

  @Test
  void train_miniBatchOfOneWeightedRow_succeeds() throws Exception {
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < 33; i++) {
      rows.add(Trainings.row(i, 0, POINTS.get(0)));
    }
    assertThat(once(SEPARABLE, new TrainingBatch(1, rows)).steps()).isEqualTo(10);
  }

  @Test
  void train_contributions_keepKnownLossesAndMeasureTheOthers() throws Exception {
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      float known = i % 2 == 0 ? 0.25f : Float.NaN;
      rows.add(new TrainingRow(100 + i, i, POINTS.get(i), known, i < 20));
    }
    try (Trainer trainer = Trainings.dl4j(SEPARABLE)) {
      ModelArtifact base = train(trainer, null, Trainings.batch(1, POINTS)).model();
      TrainingResult result = train(trainer, base, new TrainingBatch(2, rows));
      try (Dl4jModel before = Dl4jModel.load(base);
          Dl4jModel after = Dl4jModel.load(result.model())) {
        List<Sample> samples = rows.stream().map(TrainingRow::sample).toList();
        float[] lossesBefore = before.losses(samples, before.predict(samples));
        float[] lossesAfter = after.losses(samples, after.predict(samples));
        for (int i = 0; i < 40; i++) {
          Contribution contribution = result.contributions().get(i);
          assertThat(contribution.sampleId()).isEqualTo(100 + i);
          float expected = i % 2 == 0 ? 0.25f : lossesBefore[i];
          assertThat(contribution.lossBefore()).isCloseTo(expected, within(1e-5f));
          assertThat(contribution.lossAfter()).isCloseTo(lossesAfter[i], within(1e-5f));
        }
      }
    }
  }

  @Test
  void train_aLossBeforeIsNotFinite_isMeasuredOfTheOthers() throws Exception {
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      float known = i == 7 ? Float.POSITIVE_INFINITY : 0.5f;
      rows.add(new TrainingRow(i, i, POINTS.get(i), known, true));
    }
    TrainingResult result = once(SEPARABLE, new TrainingBatch(1, rows));
    assertThat(result.meanLossBefore()).isCloseTo(0.5, within(1e-6));
    assertThat(result.contributions().get(7).lossAfter()).isFinite();
  }

  @Test
  void finite_aNumberOfTheUpdaterIsNot_isFalse() throws Exception {
    byte[] zip = once(SEPARABLE, Trainings.batch(1, POINTS)).model().files().get("model.zip");
    try (Trainings.Stacked stacked = Trainings.stacked(zip)) {
      StackedNetwork network = new StackedNetwork(stacked.network());
      assertThat(network.finite()).isTrue();
      stacked.network().getUpdater().getStateViewArray().putScalar(3, Float.NaN);
      assertThat(network.finite()).isFalse();
    }
  }

  @Test
  void train_theBaseModelHasAParameterThatIsNaN_isNamedAsBadAndNoRowIsBlamed() throws Exception {
    ModelArtifact base = copy(once(SEPARABLE, Trainings.batch(1, POINTS)).model());
    try (Trainings.Stacked stacked = Trainings.stacked(base.files().get("model.zip"))) {
      stacked.network().params().putScalar(0, Float.NaN);
      base.files().put("model.zip", new StackedNetwork(stacked.network()).encode());
    }
    try (Trainer trainer = Trainings.dl4j(SEPARABLE)) {
      assertThatThrownBy(() -> train(trainer, base, Trainings.batch(2, POINTS)))
          .isInstanceOfSatisfying(
              TrainingFailedException.class,
              failed ->
                  assertThat(failed.kind()).isEqualTo(TrainingFailedException.Kind.BAD_BASE_MODEL))
          .hasMessageContaining("not finite");
    }
  }

  @Test
  void predictUnlessInterrupted_interrupted_stopsBeforeTheNextChunk() throws Exception {
    ModelArtifact artifact = once(SEPARABLE, Trainings.batch(1, POINTS)).model();
    try (Dl4jModel model = Dl4jModel.load(artifact)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> model.predictUnlessInterrupted(POINTS))
          .isInstanceOf(InterruptedException.class);
      assertThat(model.predictUnlessInterrupted(POINTS)).isEqualTo(model.predict(POINTS));
    }
  }

  @Test
  void losses_anOutlyingTarget_countsAsOneAtTheEdgeOfTheRange() throws Exception {
    ModelSpec spec = Trainings.mlp(Trainings.target(2), Trainings.ADAM);
    ModelArtifact artifact = once(spec, Trainings.batch(1, Trainings.plane(300, 5))).model();
    try (Dl4jModel model = Dl4jModel.load(artifact)) {
      Sample wild = Sample.of(new double[] {25, 0.05f}, 3e38f);
      // The labels' mean is about 1,050 and their deviation about 104.
      assertThat(model.counted(wild.label())).isBetween(1_600.0, 2_200.0);
      assertThat((double) model.losses(List.of(wild), model.predict(List.of(wild)))[0])
          .isLessThan(2_200.0 * 2_200);
    }
  }

  @Test
  void train_damagedBaseModel_isNamedAsSuch() throws Exception {
    TrainingBatch batch = Trainings.batch(2, POINTS);
    ModelArtifact base = once(SEPARABLE, Trainings.batch(1, POINTS)).model();
    for (String file : List.of("model.zip", "scaler.json", "spec.json")) {
      byte[] whole = base.files().get(file);
      for (byte[] damaged :
          new byte[][] {null, {}, {1, 2, 3}, java.util.Arrays.copyOf(whole, whole.length / 2)}) {
        ModelArtifact broken = copy(base);
        if (damaged == null) {
          broken.files().remove(file);
        } else {
          broken.files().put(file, damaged);
        }
        try (Trainer trainer = Trainings.dl4j(SEPARABLE)) {
          assertThatThrownBy(() -> train(trainer, broken, batch))
              .as("%s of %s bytes", file, damaged == null ? "no" : damaged.length)
              .isInstanceOfSatisfying(
                  TrainingFailedException.class,
                  failed ->
                      assertThat(failed.kind())
                          .isEqualTo(TrainingFailedException.Kind.BAD_BASE_MODEL));
        }
      }
    }
  }

  @Test
  void train_baseModelOfAnotherNetwork_isRefusedNamingBoth() throws Exception {
    ModelArtifact base = once(SEPARABLE, Trainings.batch(1, POINTS)).model();
    ModelSpec wider =
        new ModelSpec(
            SEPARABLE.schema(), new ModelSpec.Network.Mlp(List.of(99)), Trainings.ADAM, true);
    try (Trainer trainer = Trainings.dl4j(wider)) {
      assertThatThrownBy(() -> train(trainer, base, Trainings.batch(2, POINTS)))
          .isInstanceOfSatisfying(
              TrainingFailedException.class,
              failed ->
                  assertThat(failed.kind()).isEqualTo(TrainingFailedException.Kind.BAD_BASE_MODEL))
          .hasMessageContaining("16")
          .hasMessageContaining("99");
    }
  }

  @Test
  @Tag("stress")
  void train_manyTimes_nativeMemoryStaysBounded() throws Exception {
    ModelSpec spec =
        Trainings.mlp(
            Trainings.classes(2, 2), new ModelSpec.Fit(50, 1, ModelSpec.Updater.ADAM, 0.01, 0));
    TrainingBatch batch = Trainings.batch(1, POINTS.subList(0, 50));
    long before = 0;
    for (int i = 0; i < 250; i++) {
      TrainingResult result = once(spec, batch);
      Dl4jModel.load(result.model()).close();
      if (i == 50) {
        Garbage.collect();
        before = Pointer.physicalBytes();
      }
    }
    Garbage.collect();
    assertThat(Pointer.physicalBytes() - before).isLessThan(64L << 20);
  }
}
