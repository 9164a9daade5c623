package io.idlalayer.benchmarks.serving;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.ModelNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import io.idlalayer.modelruntime.network.InputColumns;
import io.idlalayer.modelruntime.network.InputRows;
import io.idlalayer.modelruntime.network.PlainNetwork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.nd4j.linalg.activations.Activation;

/**
 * Microseconds of a prediction in plain Java, by kind of network: one row at a time, and as many as
 * are computed at once. The network alone, on one thread.
 */
public final class PlainCostExperiment {
  private static final int BUCKETS = 2_600;
  private static final int REPEATS = 11;
  private static final double WARM_UP_SECONDS = 2;
  private static final double SECONDS = 0.3;

  private PlainCostExperiment() {}

  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    System.out.println(
        "| REAL | one row, us | low | high | rows at once | a row of them, us | low | high |");
    System.out.println("|---|---|---|---|---|---|---|---|");
    for (Map.Entry<String, ModelSpec> each : specs().entrySet()) {
      try (ModelNetwork network = NetworkFactory.create(each.getValue(), 1)) {
        PlainNetwork plain =
            PlainNetwork.decode(each.getValue(), network.encode(), ZipEntries.LARGEST_BYTES);
        List<Double> one = micros(plain, rows(each.getValue(), 1));
        int rows = plain.rowsAtOnce();
        List<Double> many = micros(plain, rows(each.getValue(), rows));
        System.out.printf(
            "| %s | %.1f | %.1f | %.1f | %d | %.1f | %.1f | %.1f |%n",
            each.getKey(),
            one.get(REPEATS / 2),
            one.get(0),
            one.get(REPEATS - 1),
            rows,
            many.get(REPEATS / 2),
            many.get(0),
            many.get(REPEATS - 1));
      }
    }
    System.exit(0);
  }

  private static Map<String, ModelSpec> specs() {
    Map<String, ModelSpec> specs = new LinkedHashMap<>();
    specs.put("mlp 32-64-32-2", spec(32, 0, new ModelSpec.Network.Mlp(List.of(64, 32))));
    specs.put(
        "cnn of 28x28, 16 and 32 filters, 64",
        spec(784, 0, new ModelSpec.Network.Cnn(28, 28, 1, List.of(16, 32), 64)));
    specs.put(
        "dlrm, 13 numbers, 26 ids of 16",
        spec(13, 26, new ModelSpec.Network.Dlrm(List.of(64), List.of(128, 64))));
    specs.put(
        "mlp 32-64-32-2 and 4 features of 2,600 buckets",
        spec(
            32,
            List.of(BUCKETS, BUCKETS, BUCKETS, BUCKETS),
            0,
            new ModelSpec.Network.Mlp(List.of(64, 32))));
    specs.put(
        "LSTM of 32, 50 steps of 8",
        spec(
            400,
            0,
            new ModelSpec.Network.Dl4jJson(
                new NeuralNetConfiguration.Builder()
                    .graphBuilder()
                    .addInputs("in")
                    .addVertex("series", new ReshapeVertex(-1, 8, 50), "in")
                    .addLayer(
                        "lstm",
                        new LSTM.Builder().nIn(8).nOut(32).activation(Activation.TANH).build(),
                        "series")
                    .addVertex("end", new LastTimeStepVertex("in"), "lstm")
                    .addLayer(
                        "out",
                        new OutputLayer.Builder()
                            .nIn(32)
                            .nOut(2)
                            .activation(Activation.SOFTMAX)
                            .build(),
                        "end")
                    .setOutputs("out")
                    .build()
                    .toJson())));
    return specs;
  }

  private static ModelSpec spec(int numbers, int tables, ModelSpec.Network network) {
    return spec(numbers, List.of(), tables, network);
  }

  private static ModelSpec spec(
      int numbers, List<Integer> buckets, int tables, ModelSpec.Network network) {
    List<SampleSchema.CategoricalFeature> categorical = new ArrayList<>();
    for (int each : buckets) {
      categorical.add(new SampleSchema.CategoricalFeature("c" + categorical.size(), each));
    }
    SampleSchema.Label label =
        new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1"));
    List<SampleSchema.DenseFeature> dense = List.of(new SampleSchema.DenseFeature("x", numbers, 1));
    ModelSpec.Fit fit = new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0);
    if (tables == 0) {
      return new ModelSpec(
          new SampleSchema(List.of(), dense, categorical, label, null), network, fit, true);
    }
    List<SampleSchema.IdFeature> ids = new ArrayList<>();
    List<ModelSpec.Table> shapes = new ArrayList<>();
    List<ModelSpec.Use> uses = new ArrayList<>();
    for (int i = 0; i < tables; i++) {
      ids.add(new SampleSchema.IdFeature("i" + i, 1));
      shapes.add(new ModelSpec.Table("t" + i, 16));
      uses.add(new ModelSpec.Use(i, IdPooling.SUM));
    }
    return new ModelSpec(
        new SampleSchema(List.of(), dense, categorical, ids, label, null),
        network,
        fit,
        true,
        new ModelSpec.Embeddings(shapes, uses, new ModelSpec.RowFit(RowUpdater.SGD, 0.1, 0.1)));
  }

  private static InputRows rows(ModelSpec spec, int rows) {
    SplittableRandom random = new SplittableRandom(1);
    InputColumns columns = InputColumns.of(spec);
    float[] numbers = new float[rows * columns.numbers()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (float) random.nextDouble(-1, 1);
    }
    int[] ones = new int[rows * columns.categorical()];
    for (int i = 0; i < ones.length; i++) {
      int feature = i % columns.categorical();
      ones[i] = columns.oneHotFrom() + feature * BUCKETS + random.nextInt(BUCKETS);
    }
    return new InputRows(columns, rows, numbers, ones);
  }

  /** Measures the times of a row, sorted. */
  private static List<Double> micros(PlainNetwork network, InputRows rows) {
    run(network, rows, WARM_UP_SECONDS);
    List<Double> micros = new ArrayList<>();
    for (int i = 0; i < REPEATS; i++) {
      micros.add(run(network, rows, SECONDS));
    }
    micros.sort(null);
    return micros;
  }

  private static double run(PlainNetwork network, InputRows rows, double seconds) {
    long calls = 0;
    double sum = 0;
    long began = System.nanoTime();
    long end = began + (long) (seconds * 1e9);
    while (System.nanoTime() < end) {
      sum += network.output(rows)[0];
      calls++;
    }
    long nanos = System.nanoTime() - began;
    if (Double.isNaN(sum)) {
      throw new IllegalStateException("a prediction is no number");
    }
    return nanos / 1e3 / calls / rows.rows();
  }
}
