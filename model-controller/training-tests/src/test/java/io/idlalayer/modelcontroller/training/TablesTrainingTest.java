package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowChanges;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import io.idlalayer.modelruntime.input.NetworkInput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** Networks and tables that train together. */
final class TablesTrainingTest {
  /** First networks whose mean is looked at, as one of them may be a lucky one. */
  private static final int STARTS = 5;

  private static final int IDS = 12;
  private static final int DIM = 4;
  private static final int ROWS = 8;
  private static final double RATE = 0.2;

  /** One id feature with lists, and nothing else. */
  private static ModelSpec bags(RowUpdater updater, ModelSpec.Updater dense) {
    SampleSchema plain = Trainings.classes(1, 2);
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(),
            List.of(),
            List.of(new IdFeature("tags", 9)),
            plain.label(),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(List.of(6)),
        new ModelSpec.Fit(ROWS, 2, dense, RATE, 0),
        false,
        new ModelSpec.Embeddings(
            List.of(new ModelSpec.Table("tags", DIM)),
            List.of(new ModelSpec.Use(0, IdPooling.SUM)),
            new ModelSpec.RowFit(updater, RATE, 0.5)));
  }

  private static RowTables tables(ModelSpec spec) {
    return new RowTables(
        EmbeddingPlans.of(spec),
        EmbeddingPlans.rule(spec, 1),
        RowSettings.DEFAULT,
        new InMemoryRowStore());
  }

  private static Sample bag(SplittableRandom random) {
    long[] keys = new long[random.nextInt(1, 4)];
    long first = random.nextInt(IDS);
    for (int i = 0; i < keys.length; i++) {
      keys[i] = 2 + (first + 5L * i) % IDS;
    }
    IdLists ids = new IdLists(keys, new int[] {keys.length});
    return new Sample("", new double[0], new int[0], ids, first % 2);
  }

  private static List<Sample> samples(SplittableRandom random, int count) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(bag(random));
    }
    return samples;
  }

  private static float[] vector(RowBatch rows, long key) {
    float[] vector = new float[DIM];
    rows.fill(IdLists.single(key), vector, 0);
    return vector;
  }

  /** Returns the network with a row for each id in its first layer, and many zeros for inputs. */
  private static MultiLayerNetwork oneHot(MultiLayerNetwork over, RowBatch rows) {
    MultiLayerNetwork network =
        new MultiLayerNetwork(
            new NeuralNetConfiguration.Builder()
                .updater(new Sgd(RATE))
                .list()
                .layer(
                    new DenseLayer.Builder()
                        .nOut(DIM)
                        .hasBias(false)
                        .activation(Activation.IDENTITY)
                        .build())
                .layer(new DenseLayer.Builder().nOut(6).activation(Activation.RELU).build())
                .layer(new OutputLayer.Builder().nOut(2).activation(Activation.SOFTMAX).build())
                .setInputType(InputType.feedForward(IDS))
                .build());
    network.init();
    INDArray first = Nd4j.create(IDS, DIM);
    for (int id = 0; id < IDS; id++) {
      first.putRow(id, Nd4j.createFromArray(vector(rows, 2L + id)));
    }
    network.setParam("0_W", first);
    for (String name : List.of("W", "b")) {
      network.setParam("1_" + name, over.getParam("0_" + name).dup());
      network.setParam("2_" + name, over.getParam("1_" + name).dup());
    }
    return network;
  }

  @Tag("natives")
  @Test
  void training_hundredSteps_equalsOneHotInputs() throws Exception {
    ModelSpec spec = bags(RowUpdater.SGD, ModelSpec.Updater.SGD);
    SplittableRandom random = new SplittableRandom(4);
    long[] all = new long[IDS];
    for (int id = 0; id < IDS; id++) {
      all[id] = 2L + id;
    }
    RowBatch rows =
        tables(spec).gatherToTrain(List.of(new IdLists(all, new int[] {IDS})), List.of());
    NetworkInput input = new NetworkInput(spec);
    FeatureScaler scaler = FeatureScaler.empty(0, false, false);
    try (TapeEngine engine = new TapeEngine(spec, MachineKernels.best());
        TrainableNetwork ours = engine.create(3);
        StackedNetwork same = (StackedNetwork) Trainings.initialised(spec, 3)) {
      MultiLayerNetwork theirs = oneHot(same.layers(), rows);
      try (TrainingSteps steps = ours.steps(1)) {
        for (int step = 0; step < 100; step++) {
          List<Sample> batch = samples(random, ROWS);
          float[] labels = input.labels(batch, scaler);
          float[] errors = new float[ROWS * DIM];
          steps.fit(input.features(batch, scaler, rows), labels, ROWS, null, errors, null);
          rows.update(batch.stream().map(Sample::ids).toList(), errors);
          INDArray features = Nd4j.create(ROWS, IDS);
          for (int i = 0; i < ROWS; i++) {
            IdLists ids = batch.get(i).ids();
            for (int k = 0; k < ids.size(); k++) {
              features.putScalar(i, (int) ids.key(k) - 2, 1);
            }
          }
          theirs.fit(features, Nd4j.createFromArray(labels).reshape(ROWS, 2));
        }
      }
      for (int id = 0; id < IDS; id++) {
        float[] expected = theirs.getParam("0_W").getRow(id).toFloatVector();
        float[] found = vector(rows, 2L + id);
        assertClose(found, expected);
      }
      for (String name : List.of("W", "b")) {
        same.layers().setParam("0_" + name, theirs.getParam("1_" + name).dup());
        same.layers().setParam("1_" + name, theirs.getParam("2_" + name).dup());
      }
      try (Restored restored = Restored.of(ours.encode())) {
        assertClose(restored.parameterValues(), same.layers().params().toFloatVector());
      }
    }
  }

  private static void assertClose(float[] found, float[] expected) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i])
          .isCloseTo(expected[i], within(1e-6f * Math.max(1, Math.abs(expected[i]))));
    }
  }

  private static TrainingRequest request(ModelSpec spec, long seed, int count) {
    List<TrainingRow> batch = new ArrayList<>();
    for (Sample each : samples(new SplittableRandom(seed), count)) {
      batch.add(new TrainingRow(batch.size(), batch.size(), each, Float.NaN, true));
    }
    RowBatch rows =
        tables(spec).gatherToTrain(batch.stream().map(it -> it.sample().ids()).toList(), List.of());
    return new TrainingRequest(null, new TrainingBatch(1, batch), 7, rows);
  }

  @Test
  void train_idsThatTellTheClass_learnsThemInTheRows() throws Exception {
    for (RowUpdater updater : RowUpdater.values()) {
      ModelSpec spec = bags(updater, ModelSpec.Updater.ADAM);
      TrainingRequest request = request(spec, 5, 800);
      float[] before = vector(request.rows(), 2);
      try (NetworkTrainer trainer =
          new NetworkTrainer(spec, false, new TapeEngine(spec, MachineKernels.best()))) {
        TrainingResult result = trainer.train(request);
        assertThat(result.meanLossBefore()).isGreaterThan(0.5);
        double losses = result.meanLossAfter();
        for (long start = 1; start < STARTS; start++) {
          TrainingRequest other =
              new TrainingRequest(null, request.batch(), request.seed() + start, request.rows());
          losses += trainer.train(other).meanLossAfter();
        }
        assertThat(losses / STARTS).as(updater.name()).isLessThan(0.3);
        assertThat(vector(request.rows(), 2)).containsExactly(before);
        assertThat(vector(result.rows(), 2)).isNotEqualTo(before);
        TrainingResult again = trainer.train(request);
        assertThat(again.meanLossAfter()).isEqualTo(result.meanLossAfter());
        assertThat(vector(again.rows(), 2)).containsExactly(vector(result.rows(), 2));
        try (Dl4jModel served = Dl4jModel.load(result.model())) {
          List<Sample> asked = samples(new SplittableRandom(9), 50);
          int right = 0;
          for (int i = 0; i < asked.size(); i++) {
            double[] prediction = served.predict(asked, result.rows())[i];
            right += prediction[(int) asked.get(i).label()] > 0.5 ? 1 : 0;
          }
          assertThat(right).isGreaterThan(45);
        }
      }
    }
  }

  @Test
  void train_rateThatIsTooHigh_saysThatItDiverged() throws Exception {
    ModelSpec spec = bags(RowUpdater.SGD, ModelSpec.Updater.SGD);
    ModelSpec wild =
        new ModelSpec(
            spec.schema(),
            spec.network(),
            spec.fit(),
            false,
            new ModelSpec.Embeddings(
                spec.embeddings().tables(),
                spec.embeddings().uses(),
                new ModelSpec.RowFit(RowUpdater.SGD, 1e30, 0.5)));
    try (NetworkTrainer trainer =
        new NetworkTrainer(wild, false, new TapeEngine(wild, MachineKernels.best()))) {
      assertThatThrownBy(() -> trainer.train(request(wild, 5, 100)))
          .isInstanceOf(TrainingFailedException.class)
          .hasMessageContaining("diverged");
    }
  }

  private static ModelCheckpoint published(
      ModelPublisher publisher, TrainingResult result, @Nullable ModelCheckpoint parent)
      throws IOException {
    byte[] changes = RowChanges.of(result.rows(), List.of());
    TreeMap<String, byte[]> files = new TreeMap<>(result.model().served());
    files.put(ModelManifest.ROWS_FILE, parent == null ? RowChanges.full(changes) : changes);
    String kind = parent == null ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES;
    return publisher.publish(
        Drafts.of("app", 0, parent, Map.of(ModelManifest.ROWS, kind), files, Map.of()));
  }

  /** A serving process has the network and the rows of the same update. */
  @Test
  void load_publishedVersions_predictAsTheLearnerDoes(@TempDir Path folder) throws Exception {
    ModelSpec spec = bags(RowUpdater.ADAGRAD, ModelSpec.Updater.ADAM);
    RowTables tables = tables(spec);
    ModelStore store = new ModelStore(folder, InstantSource.system());
    ModelPublisher publisher = store.claim("app", 0);
    List<Sample> asked = samples(new SplittableRandom(9), 20);
    asked.add(new Sample("", new double[0], new int[0], IdLists.single(4_711), 0));
    ModelCheckpoint parent = null;
    ModelArtifact base = null;
    try (NetworkTrainer trainer =
            new NetworkTrainer(spec, false, new TapeEngine(spec, MachineKernels.best()));
        ModelSubscriber<Dl4jModel> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(store, "app", 0, Duration.ofSeconds(1)),
                new Dl4jModelLoader(),
                InstantSource.system())) {
      for (int update = 0; update < 4; update++) {
        List<TrainingRow> batch = new ArrayList<>();
        for (Sample each : samples(new SplittableRandom(update), 6)) {
          batch.add(new TrainingRow(batch.size(), batch.size(), each, Float.NaN, true));
        }
        List<IdLists> ids = batch.stream().map(row -> row.sample().ids()).toList();
        TrainingRequest request =
            new TrainingRequest(
                base,
                new TrainingBatch(update + 1, batch),
                7,
                tables.gatherToTrain(ids, List.of()));
        TrainingResult result = trainer.train(request);
        tables.commit(result.rows(), 1_000);
        base = result.model();
        parent = published(publisher, result, parent);
        RowBatch right = tables.gather(asked.stream().map(Sample::ids).toList());
        assertThat(subscriber.refresh()).isTrue();
        try (ModelLease<Dl4jModel> lease = subscriber.acquire();
            Dl4jModel scratch = new Dl4jModelLoader().load(store, parent);
            Dl4jModel without = Dl4jModel.load(result.model())) {
          double[][] expected = without.predict(asked, right);
          assertThat(lease.model().predict(asked)).isDeepEqualTo(expected);
          assertThat(scratch.predict(asked)).isDeepEqualTo(expected);
          assertThat(scratch.unknownIds()).isPositive();
          assertThat(without.unknownIds()).isZero();
        }
      }
      ModelCheckpoint last = parent;
      assertThat(store.chain(last)).hasSize(4);
      assertThatThrownBy(() -> new Dl4jModelLoader().load(last, store.load(last)))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageContaining("tables");
    }
  }
}
