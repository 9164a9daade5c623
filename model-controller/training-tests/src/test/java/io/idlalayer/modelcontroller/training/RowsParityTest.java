package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.StackVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.graph.UnstackVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/**
 * Networks over features with tables, trained by the engine together with their rows, and by
 * Deeplearning4j as one graph in which tables are layers over one-hot inputs, after the same steps.
 */
@Tag("natives")
final class RowsParityTest {
  private static final int STEPS = 100;
  private static final int ROWS = 16;
  private static final int IDS = 12;
  private static final int DIM = 4;
  private static final int FEATURES = 3;
  private static final double ROW_RATE = 0.2;
  private static final long SEED = 5;

  private static ModelSpec spec(ModelSpec.Updater updater) {
    ModelSpec plain = TestNetworks.dlrm(new ModelSpec.Fit(ROWS, 1, updater, 0.01, 0));
    return new ModelSpec(
        plain.schema(),
        plain.network(),
        plain.fit(),
        false,
        new ModelSpec.Embeddings(
            plain.embeddings().tables(),
            plain.embeddings().uses(),
            new ModelSpec.RowFit(RowUpdater.SGD, ROW_RATE, 0.5)));
  }

  private static DenseLayer table() {
    return new DenseLayer.Builder()
        .nIn(IDS)
        .nOut(DIM)
        .hasBias(false)
        .activation(Activation.IDENTITY)
        .updater(new Sgd(ROW_RATE))
        .build();
  }

  /** The network behind its tables. The first two features share one. */
  private static ComputationGraph whole(ModelSpec spec, ComputationGraph network) {
    ComputationGraphConfiguration inner = network.getConfiguration();
    String input = inner.getNetworkInputs().get(0);
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .graphBuilder()
            .addInputs("numbers", "hot")
            .setInputTypes(
                InputType.feedForward(spec.vectorColumns()),
                InputType.feedForward((long) FEATURES * IDS));
    for (int feature = 0; feature < FEATURES; feature++) {
      int from = feature * IDS;
      graph.addVertex("hot" + feature, new SubsetVertex(from, from + IDS - 1), "hot");
    }
    graph
        .addVertex("both", new StackVertex(), "hot0", "hot1")
        .addLayer("users", table(), "both")
        .addVertex("user", new UnstackVertex(0, 2), "users")
        .addVertex("friends", new UnstackVertex(1, 2), "users")
        .addLayer("items", table(), "hot2")
        .addVertex(input, new MergeVertex(), "numbers", "user", "friends", "items");
    inner
        .getVertices()
        .forEach(
            (name, vertex) -> {
              String[] sources = inner.getVertexInputs().get(name).toArray(new String[0]);
              if (vertex instanceof LayerVertex layer) {
                graph.addLayer(name, layer.getLayerConf().getLayer().clone(), sources);
              } else {
                graph.addVertex(name, vertex.clone(), sources);
              }
            });
    graph.setOutputs(inner.getNetworkOutputs().toArray(new String[0]));
    ComputationGraph whole = new ComputationGraph(graph.build());
    whole.init();
    network.paramTable().forEach((name, values) -> whole.setParam(name, values.dup()));
    return whole;
  }

  private static List<IdLists> all() {
    List<IdLists> all = new ArrayList<>();
    for (long key = 2; key < 2 + IDS; key++) {
      all.add(IdLists.single(key, key, key));
    }
    return all;
  }

  /** Rows of a table, one for each id. */
  private static float[] rows(RowBatch rows, int feature) {
    float[] values = new float[IDS * DIM];
    float[] columns = new float[FEATURES * DIM];
    for (int id = 0; id < IDS; id++) {
      Arrays.fill(columns, 0);
      rows.fill(all().get(id), columns, 0);
      System.arraycopy(columns, feature * DIM, values, id * DIM, DIM);
    }
    return values;
  }

  private static IdLists ids(SplittableRandom random) {
    long[] keys = new long[2 + random.nextInt(1, 5)];
    for (int i = 0; i < keys.length; i++) {
      // The first ids come often, and more than once in a list.
      keys[i] = 2 + (long) (IDS * Math.pow(random.nextDouble(), 2));
    }
    return new IdLists(keys, new int[] {1, keys.length - 1, keys.length});
  }

  private static void hot(IdLists ids, INDArray into, int row) {
    for (int feature = 0; feature < FEATURES; feature++) {
      int count = ids.to(feature) - ids.from(feature);
      for (int use = ids.from(feature); use < ids.to(feature); use++) {
        int column = feature * IDS + (int) ids.key(use) - 2;
        into.putScalar(row, column, into.getFloat(row, column) + 1f / count);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"SGD,true", "SGD,false", "ADAM,true", "ADAM,false"})
  @Timeout(120)
  void dlrm_hundredStepsWithItsRows_giveWhatDeeplearning4jGives(
      ModelSpec.Updater updater, boolean oneDnn) throws Exception {
    ModelSpec spec = spec(updater);
    RowTables tables =
        new RowTables(
            EmbeddingPlans.of(spec),
            EmbeddingPlans.rule(spec, SEED),
            RowSettings.DEFAULT,
            new InMemoryRowStore());
    RowBatch rows = tables.gatherToTrain(all(), List.of());
    float[] usersBefore = rows(rows, 0);
    SplittableRandom random = new SplittableRandom(SEED);
    int numbers = spec.vectorColumns();
    int width = spec.inputWidth();
    KernelLibrary kernels = oneDnn ? new OneDnnKernels() : new JavaKernels();
    try (TapeEngine engine = new TapeEngine(spec, kernels);
        TrainableNetwork ours = engine.create(SEED);
        GraphNetwork same = (GraphNetwork) Trainings.initialised(spec, SEED)) {
      ComputationGraph theirs = whole(spec, same.layers());
      theirs.setParam("users_W", Nd4j.createFromArray(usersBefore).reshape(IDS, DIM));
      theirs.setParam("items_W", Nd4j.createFromArray(rows(rows, 2)).reshape(IDS, DIM));
      try (TrainingSteps steps = ours.steps(1)) {
        for (int step = 0; step < STEPS; step++) {
          List<IdLists> batch = new ArrayList<>();
          float[] features = Parity.features(random, ROWS * width, 1);
          INDArray dense = Nd4j.create(ROWS, numbers);
          INDArray hot = Nd4j.create(ROWS, FEATURES * IDS);
          for (int row = 0; row < ROWS; row++) {
            IdLists ids = ids(random);
            batch.add(ids);
            Arrays.fill(features, row * width + numbers, (row + 1) * width, 0);
            rows.fill(ids, features, row * width + numbers);
            for (int i = 0; i < numbers; i++) {
              dense.putScalar(row, i, features[row * width + i]);
            }
            hot(ids, hot, row);
          }
          float[] labels = Parity.labels(random, ROWS, spec.outputWidth());
          float[] errors = new float[ROWS * (width - numbers)];
          steps.fit(features, labels, ROWS, null, errors, null);
          rows.update(batch, errors);
          INDArray wanted = Nd4j.createFromArray(labels).reshape(ROWS, spec.outputWidth());
          theirs.fit(new INDArray[] {dense, hot}, new INDArray[] {wanted});
        }
      }
      for (String name : same.layers().paramTable().keySet()) {
        same.layers().setParam(name, theirs.getParam(name).dup());
      }
      try (Restored restored = Restored.of(ours.encode())) {
        assertThat(
                Parity.distance(restored.parameterValues(), same.layers().params().toFloatVector()))
            .as("network")
            .isLessThan(Parity.TOLERANCE);
      }
      float[] users = theirs.getParam("users_W").dup('c').data().asFloat();
      float[] items = theirs.getParam("items_W").dup('c').data().asFloat();
      assertThat(Parity.distance(rows(rows, 0), users)).as("users").isLessThan(Parity.TOLERANCE);
      assertThat(Parity.distance(rows(rows, 2), items)).as("items").isLessThan(Parity.TOLERANCE);
      assertThat(Parity.distance(users, usersBefore)).as("they have learned").isGreaterThan(0.03);
      theirs.close();
    }
  }
}
