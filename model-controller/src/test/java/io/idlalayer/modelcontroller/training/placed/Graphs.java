package io.idlalayer.modelcontroller.training.placed;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Conv2DConfig;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.PaddingMode;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Pooling2DConfig;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.ScheduleType;

/** Small SameDiff graphs and their data. */
final class Graphs {
  private Graphs() {}

  enum Graph {
    DENSE_ADAM(() -> dense(new Adam(0.01), DataType.FLOAT), Graphs::flat),
    DENSE_SGD(() -> dense(new Sgd(0.1), DataType.FLOAT), Graphs::flat),
    DENSE_DOUBLE(() -> dense(new Nesterovs(0.05, 0.9), DataType.DOUBLE), Graphs::flat),
    CONVOLUTION_ADAM(() -> convolution(new Adam(0.01)), Graphs::images),
    CONVOLUTION_SGD(() -> convolution(new Sgd(0.1)), Graphs::images),
    DROPOUT(Graphs::dropout, Graphs::flat),
    WORDS(Graphs::words, Graphs::sentences);

    final Supplier<SameDiff> graph;
    final IntFunction<DataSet> batches;

    Graph(Supplier<SameDiff> graph, IntFunction<DataSet> batches) {
      this.graph = graph;
      this.batches = batches;
    }

    Map<String, INDArray> placeholders(int step) {
      DataSet batch = batches.apply(step);
      return Map.of("in", batch.getFeatures(), "labels", batch.getLabels());
    }
  }

  static TrainingConfig.Builder training(IUpdater updater) {
    return new TrainingConfig.Builder()
        .updater(updater)
        .dataSetFeatureMapping("in")
        .dataSetLabelMapping("labels");
  }

  private static SDVariable variable(SameDiff graph, DataType type, String name, long... shape) {
    return graph.var(name, Nets.values(name.hashCode(), shape).muli(0.3).castTo(type));
  }

  /** Two layers, of which the second shares the first's bias, with decay. */
  static SameDiff dense(IUpdater updater, DataType type) {
    SameDiff graph = SameDiff.create();
    SDVariable in = graph.placeHolder("in", type, -1, 12);
    SDVariable labels = graph.placeHolder("labels", type, -1, Nets.CLASSES);
    SDVariable shared = variable(graph, type, "b", 1, 16);
    SDVariable first = graph.nn.tanh(in.mmul(variable(graph, type, "w1", 12, 16)).add(shared));
    SDVariable second =
        graph.nn.relu(first.mmul(variable(graph, type, "w2", 16, 16)).add(shared), 0).add(first);
    SDVariable logits = second.mmul(variable(graph, type, "w3", 16, Nets.CLASSES));
    graph.loss.softmaxCrossEntropy("loss", labels, logits, null).markAsLoss();
    graph.setTrainingConfig(training(updater).l2(1e-3).build());
    return graph;
  }

  /** Random numbers, an identity, and a variable that the loss does not need. */
  static SameDiff dropout() {
    SameDiff graph = SameDiff.create();
    DataType type = DataType.FLOAT;
    SDVariable in = graph.placeHolder("in", type, -1, 12);
    SDVariable labels = graph.placeHolder("labels", type, -1, Nets.CLASSES);
    variable(graph, type, "idle", 4);
    SDVariable kept = graph.nn.dropout(in, 0.5);
    SDVariable hidden = graph.nn.sigmoid(kept.mmul(variable(graph, type, "w1", 12, 16)));
    SDVariable normal = graph.nn.layerNorm(hidden, variable(graph, type, "gain", 16), false, 1);
    SDVariable out = normal.mmul(variable(graph, type, "w2", 16, Nets.CLASSES));
    SDVariable identity = graph.identity(out);
    graph.loss.meanSquaredError("loss", labels, identity, null).markAsLoss();
    graph.setTrainingConfig(training(new Adam(0.01)).weightDecay(1e-3, true).build());
    return graph;
  }

  /** Integers in and as labels, constants, a schedule, and batches of several sizes. */
  static SameDiff words() {
    SameDiff graph = SameDiff.create();
    DataType type = DataType.FLOAT;
    SDVariable in = graph.placeHolder("in", DataType.INT32, -1, Nets.TIME);
    SDVariable labels = graph.placeHolder("labels", DataType.INT32, -1);
    SDVariable counts = graph.sum(graph.oneHot(in, 20, -1, 1, 0, type), false, 1);
    SDVariable mean = counts.mmul(variable(graph, type, "words", 20, 8));
    SDVariable scaled = mean.mul(graph.constant("scale", Nets.values(7, 1, 8)));
    SDVariable both = graph.concat(1, scaled, graph.math.square(mean));
    SDVariable attended =
        graph.nn.softmax(both.mmul(variable(graph, type, "mix", 16, 16)), 1).mul(both);
    SDVariable matched = attended.mmul(variable(graph, type, "out", 16, Nets.CLASSES));
    graph.loss.sparseSoftmaxCrossEntropy("loss", matched, labels).markAsLoss();
    graph.setTrainingConfig(
        training(new Adam(new ExponentialSchedule(ScheduleType.ITERATION, 0.05, 0.9))).build());
    return graph;
  }

  static DataSet sentences(int step) {
    SplittableRandom random = new SplittableRandom(step);
    int rows = 3 + step;
    int[] words = random.ints((long) rows * Nets.TIME, 0, 20).toArray();
    int[] labels = random.ints(rows, 0, Nets.CLASSES).toArray();
    return new DataSet(
        Nd4j.createFromArray(words).reshape(rows, Nets.TIME), Nd4j.createFromArray(labels));
  }

  static SameDiff convolution(IUpdater updater) {
    SameDiff graph = SameDiff.create();
    DataType type = DataType.FLOAT;
    SDVariable in = graph.placeHolder("in", type, Nets.ROWS, 1, Nets.SIDE, Nets.SIDE);
    SDVariable labels = graph.placeHolder("labels", type, Nets.ROWS, Nets.CLASSES);
    Conv2DConfig same =
        Conv2DConfig.builder().kH(3).kW(3).sH(1).sW(1).paddingMode(PaddingMode.SAME).build();
    SDVariable convolved =
        graph.cnn.conv2d(
            in,
            variable(graph, type, "kernel", 3, 3, 1, 6),
            variable(graph, type, "offset", 6),
            same);
    SDVariable pooled =
        graph.cnn.maxPooling2d(
            graph.nn.relu(convolved, 0), Pooling2DConfig.builder().kH(2).kW(2).sH(2).sW(2).build());
    long width = 6L * (Nets.SIDE / 2) * (Nets.SIDE / 2);
    SDVariable flat = pooled.reshape(Nets.ROWS, width);
    SDVariable hidden =
        graph.nn.tanh(
            flat.mmul(variable(graph, type, "w1", width, 10)).add(variable(graph, type, "b1", 10)));
    SDVariable logits =
        hidden
            .mmul(variable(graph, type, "w2", 10, Nets.CLASSES))
            .add(variable(graph, type, "b2", Nets.CLASSES));
    SDVariable probabilities = graph.nn.softmax("probabilities", logits, 1);
    graph.loss.logLoss("loss", labels, probabilities).markAsLoss();
    graph.setTrainingConfig(training(updater).build());
    return graph;
  }

  static DataSet flat(int step) {
    return new DataSet(Nets.values(step, Nets.ROWS, 12), Nets.classes(step));
  }

  static DataSet images(int step) {
    return new DataSet(Nets.values(step, Nets.ROWS, 1, Nets.SIDE, Nets.SIDE), Nets.classes(step));
  }

  /** Values of all variables and of the updaters' state, by name. */
  static Map<String, List<Double>> values(SameDiff graph) {
    Map<String, List<Double>> all = new TreeMap<>();
    for (SDVariable variable : graph.variables()) {
      if (variable.getVariableType() == VariableType.VARIABLE) {
        all.put(variable.name(), values(variable.getArr()));
      }
    }
    if (graph.getUpdaterMap() != null) {
      graph.getUpdaterMap().forEach((name, updater) -> putState(all, name, updater));
    }
    return all;
  }

  private static void putState(
      Map<String, List<Double>> all, String name, GradientUpdater<?> updater) {
    updater.getState().forEach((key, array) -> all.put(name + " " + key, values(array)));
  }

  /** No two floats become the same double. */
  private static List<Double> values(INDArray array) {
    return Arrays.stream(array.dup().data().asDouble()).boxed().toList();
  }
}
