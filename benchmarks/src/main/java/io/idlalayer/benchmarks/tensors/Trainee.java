package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.trace.ProfileKey;
import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import io.idlalayer.modelloader.network.Dl4jRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.commons.codec.binary.Hex;
import org.apache.commons.codec.digest.DigestUtils;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A network before its first step, and the mini-batch that it is trained on again and again. */
final class Trainee {
  private static final int SEED = 7;

  private final Model model;
  private final INDArray features;
  private final INDArray labels;

  private Trainee(Model model, INDArray features, INDArray labels) {
    this.model = model;
    this.features = features;
    this.labels = labels;
  }

  /** Always the same parameters and the same normally distributed batch. */
  static Trainee of(ReferenceNet net, NetScale scale, int batch) {
    Nd4j.getRandom().setSeed(SEED);
    long[] shape =
        switch (net) {
          case VGG_S, RESNET_S, DENSENET_S, INCEPTION_S ->
              new long[] {
                batch,
                StackedNets.COLOURS,
                scale.image(StackedNets.IMAGE),
                scale.image(StackedNets.IMAGE)
              };
          case LSTM_S -> new long[] {batch, StackedNets.LSTM_INPUTS, StackedNets.LSTM_STEPS};
          case MLP -> new long[] {batch, StackedNets.MLP_INPUTS};
        };
    INDArray features = Nd4j.randn(DataType.FLOAT, shape);
    return new Trainee(net.build(scale), features, labels(net, batch));
  }

  private static INDArray labels(ReferenceNet net, int batch) {
    if (net != ReferenceNet.LSTM_S) {
      INDArray labels = Nd4j.zeros(DataType.FLOAT, batch, StackedNets.CLASSES);
      for (int i = 0; i < batch; i++) {
        labels.putScalar(i, i % StackedNets.CLASSES, 1);
      }
      return labels;
    }
    int steps = StackedNets.LSTM_STEPS;
    INDArray labels = Nd4j.zeros(DataType.FLOAT, batch, StackedNets.CLASSES, steps);
    for (int i = 0; i < batch; i++) {
      for (int step = 0; step < steps; step++) {
        labels.putScalar(new int[] {i, (i + step) % StackedNets.CLASSES, step}, 1);
      }
    }
    return labels;
  }

  /** A step as DL4J does it. */
  void fit() {
    if (model instanceof MultiLayerNetwork network) {
      network.fit(features, labels);
    } else {
      ((ComputationGraph) model).fit(new INDArray[] {features}, new INDArray[] {labels});
    }
  }

  /** Takes the network into a memory. */
  PlacedNetwork place(PlacedMemory memory) throws InterruptedException {
    return model instanceof MultiLayerNetwork network
        ? PlacedNetwork.of(network, memory)
        : PlacedNetwork.of((ComputationGraph) model, memory);
  }

  /** A step in a memory. */
  void fit(PlacedNetwork placed) throws InterruptedException {
    placed.fit(new INDArray[] {features}, new INDArray[] {labels}, null, null);
  }

  /** Bytes that hold the parameters once. */
  long parameterBytes() {
    return model.numParams() * Float.BYTES;
  }

  /** SHA-256 of the parameters' and the updater state's bytes. */
  String digest() {
    var digest = DigestUtils.getSha256Digest();
    INDArray state =
        model instanceof MultiLayerNetwork network
            ? network.getUpdater().getStateViewArray()
            : ((ComputationGraph) model).getUpdater().getStateViewArray();
    digest.update(bytes(model.params()));
    if (state != null) {
      digest.update(bytes(state));
    }
    return Hex.encodeHexString(digest.digest());
  }

  private static byte[] bytes(@Nullable INDArray array) {
    if (array == null) {
      return new byte[0];
    }
    float[] values = array.dup().data().asFloat();
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES);
    bytes.asFloatBuffer().put(values);
    return bytes.array();
  }

  /** What its kernels and their times depend on. */
  ProfileKey key() throws IOException {
    List<List<Long>> shapes = new ArrayList<>();
    for (INDArray array : List.of(features, labels)) {
      shapes.add(LongStream.of(array.shape()).boxed().toList());
    }
    String configuration =
        model instanceof MultiLayerNetwork network
            ? network.getLayerWiseConfigurations().toJson()
            : ((ComputationGraph) model).getConfiguration().toJson();
    return new ProfileKey(
        configuration,
        shapes,
        model.params().dataType().name(),
        Dl4jRuntime.describe(),
        Dl4jRuntime.threads(),
        processor());
  }

  private static String processor() throws IOException {
    Path file = Path.of("/proc/cpuinfo");
    if (Files.isReadable(file)) {
      for (String line : Files.readString(file, StandardCharsets.UTF_8).split("\n", -1)) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).trim();
        }
      }
    }
    return System.getProperty("os.arch");
  }
}
