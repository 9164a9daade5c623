package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartedNetworks.predict;
import static io.idlalayer.modelcontroller.training.StartedNetworks.trained;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import ai.onnxruntime.platform.Fp16Conversions;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Networks that PyTorch, Keras and scikit-learn's converter wrote as ONNX: each is imported,
 * trained and written again, and ONNX Runtime predicts from both files what the product predicts.
 * {@code dev/networks} makes the files. Others are tried with {@code -Didlalayer.networks=FOLDER}.
 */
@ExtendWith(OnnxRuntime.class)
final class NetworksFromElsewhereTest {
  private static final double CLOSE = 1e-5;
  private static final int ROWS = 12;

  /** What cannot be trained, by network, and a part of the message. */
  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("cnn_dilation", "has dilations"),
          Map.entry("cnn_groups", "has groups"),
          Map.entry("lstm_bi", "direction"),
          Map.entry("gru", "(GRU) is not known; LSTM layers can be trained"),
          Map.entry("keras_gru", "of recurrent layers the operator LSTM is known"),
          Map.entry("keras_lstm", "of recurrent layers the operator LSTM is known"),
          Map.entry("cnn_vgg_fused", "leave it out of the application's network"),
          Map.entry("embedding_bag", "not known"),
          Map.entry("quantized", "a quantized network cannot be trained"));

  private static Path folder() {
    return Path.of(System.getProperty("idlalayer.networks", "src/test/resources/networks"));
  }

  private static Stream<String> files(boolean refused) throws IOException {
    try (Stream<Path> all = Files.list(folder())) {
      return all
          .map(each -> String.valueOf(each.getFileName()))
          .filter(name -> name.endsWith(".onnx") && !ElsewhereNetworks.hasTables(name))
          .filter(name -> REFUSED.containsKey(network(name)) == refused)
          .sorted()
          .toList()
          .stream();
    }
  }

  static Stream<String> known() throws IOException {
    return files(false);
  }

  static Stream<String> unknown() throws IOException {
    return files(true);
  }

  private static String network(String file) {
    return file.substring(0, file.indexOf('.'));
  }

  @Tag("natives")
  @ParameterizedTest
  @MethodSource("known")
  void read_networksOfOthers_predictAndReturn(String name) throws Exception {
    ModelSpec spec = ElsewhereNetworks.spec(network(name));
    Path file = folder().resolve(name);
    List<Sample> samples = ElsewhereNetworks.samples(spec, ROWS);
    StartingNetwork start = StartingNetwork.read(file, spec);
    double before = difference(predict(start.artifact(), samples), run(file, samples, spec));
    ModelArtifact trained = trained(start, spec, List.of(samples, samples));
    double moved = difference(predict(trained, samples), predict(start.artifact(), samples));
    byte[] onnx = OnnxModel.of(trained, "app");
    Path written = Files.createTempFile("written", ".onnx");
    double after;
    double plain;
    double returned;
    try {
      Files.write(written, onnx);
      double[][] expected = run(written, samples, spec);
      after = difference(predict(trained, samples), expected);
      plain = difference(new PlainModelLoader().load(trained).predict(samples), expected);
      StartingNetwork again = StartingNetwork.read(written, spec);
      returned = difference(predict(again.artifact(), samples), expected);
    } finally {
      Files.delete(written);
    }
    if (System.getProperty("idlalayer.networks") != null) {
      System.out.printf(
          Locale.ROOT,
          "| `%s` | %s | %.1e | %.1e | %.1e | %.1e |%n",
          name,
          start.layers().length() > 90 ? start.layers().substring(0, 90) + "…" : start.layers(),
          before,
          moved,
          after,
          returned);
    }
    // ONNX Runtime computes with numbers of 16 bits, and the product with 32.
    double close = network(name).equals("mlp_half") ? 1e-3 : CLOSE;
    assertThat(before).describedAs("before the first update").isLessThan(close);
    assertThat(moved).describedAs("what training changed").isGreaterThan(1e-6);
    assertThat(after).describedAs("as ONNX again").isLessThan(CLOSE);
    assertThat(plain).describedAs("predicted in plain Java").isLessThan(CLOSE);
    assertThat(returned).describedAs("imported again").isLessThan(CLOSE);
  }

  /** What PyTorch 2.13 predicts after ten steps of its own SGD, with these rows and labels. */
  private static final double[][] TRAINED_BY_PYTORCH = {
    {0.44676363, 0.16210942, 0.39112693},
    {0.11472496, 0.65170813, 0.23356692},
    {0.44679546, 0.36319217, 0.19001235},
    {0.34595379, 0.16614242, 0.4879038},
    {0.12847616, 0.71621341, 0.15531038},
    {0.50696772, 0.23924145, 0.25379083}
  };

  @Tag("natives")
  @Test
  void training_tenStepsOfABlock_predictsWhatPyTorchDoes() throws Exception {
    ModelSpec spec = ElsewhereNetworks.spec("mlp_block");
    Path file = Path.of("src/test/resources/networks/mlp_block.script13.onnx");
    StartingNetwork start = StartingNetwork.read(file, spec);
    int rows = TRAINED_BY_PYTORCH.length;
    float[] features = new float[rows * 4];
    float[] labels = new float[rows * 3];
    List<Sample> samples = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      double[] x = new double[4];
      for (int i = 0; i < x.length; i++) {
        x[i] = 2 * Math.sin(4 * row + i + 1);
        features[4 * row + i] = (float) x[i];
      }
      labels[3 * row + row % 3] = 1;
      samples.add(new Sample("s" + row, x, new int[0], row % 3));
    }
    for (KernelLibrary kernels : MachineKernels.all()) {
      TreeMap<String, byte[]> files = new TreeMap<>(start.artifact().files());
      try (TapeEngine engine = new TapeEngine(spec, kernels);
          TrainableNetwork network =
              engine.decode(start.artifact().file(ModelArtifact.NETWORK_FILE))) {
        try (TrainingSteps steps = network.steps(1)) {
          for (int step = 0; step < 10; step++) {
            steps.fit(features, labels, rows, null);
          }
        }
        files.put(ModelArtifact.NETWORK_FILE, network.encode());
      }
      double[][] found = predict(new ModelArtifact(files), samples);
      assertThat(difference(found, TRAINED_BY_PYTORCH)).as(kernels.name()).isLessThan(1e-5);
    }
  }

  @Tag("natives")
  @ParameterizedTest
  @MethodSource("unknown")
  void read_networksThatCannotBeTrained_areRefusedByName(String name) {
    ModelSpec spec = ElsewhereNetworks.spec(network(name));
    assertThatThrownBy(() -> StartingNetwork.read(folder().resolve(name), spec))
        .isInstanceOf(IOException.class)
        .satisfies(
            refused -> {
              if (System.getProperty("idlalayer.networks") != null) {
                System.out.println("| `" + name + "` | " + refused.getMessage() + " |");
              }
            })
        .hasMessageContaining(REFUSED.get(network(name)));
  }

  @Test
  void files_areThere_soThatTheTestsSayWhatTheySeem() throws IOException {
    assertThat(known().count()).isGreaterThanOrEqualTo(20);
    assertThat(unknown().count()).isGreaterThanOrEqualTo(4);
  }

  private static double difference(double[][] found, double[][] expected) {
    double most = 0;
    for (int i = 0; i < expected.length; i++) {
      assertThat(found[i]).hasSameSizeAs(expected[i]);
      for (int k = 0; k < expected[i].length; k++) {
        double unit = Math.max(1, Math.abs(expected[i][k]));
        double difference = Math.abs(found[i][k] - expected[i][k]) / unit;
        most = Double.isNaN(difference) ? Double.NaN : Math.max(most, difference);
      }
    }
    return most;
  }

  // ---- ONNX Runtime ---------------------------------------------------------------------------

  /** Returns the predictions of a file, in the application's terms. */
  private static double[][] run(Path file, List<Sample> samples, ModelSpec spec) throws Exception {
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
      double[][] rows = new double[samples.size()][];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = run(session, String.valueOf(file.getFileName()), samples.get(i), spec);
      }
      return rows;
    }
  }

  private static double[] run(OrtSession session, String file, Sample sample, ModelSpec spec)
      throws OrtException {
    Map<String, OnnxTensor> given = new HashMap<>();
    int from = 0;
    try {
      for (Map.Entry<String, NodeInfo> each : session.getInputInfo().entrySet()) {
        TensorInfo info = (TensorInfo) each.getValue().getInfo();
        long[] shape = info.getShape().clone();
        int length = sample.dense().length;
        if (session.getInputInfo().size() > 1) {
          length = (int) Arrays.stream(shape).skip(1).reduce(1, (a, b) -> a * b);
        }
        shape[0] = 1;
        double[] values = Arrays.copyOfRange(sample.dense(), from, from + length);
        from += length;
        given.put(each.getKey(), tensor(info.type, values, shape));
      }
      try (OrtSession.Result result = session.run(given)) {
        String name = session.getOutputNames().iterator().next();
        for (String output : session.getOutputNames()) {
          name = output.contains("probabilit") ? output : name;
        }
        double[] values = numbers((OnnxTensor) result.get(name).orElseThrow());
        return predictions(network(file), values, spec.outputWidth());
      }
    } finally {
      given.values().forEach(OnnxTensor::close);
    }
  }

  private static OnnxTensor tensor(OnnxJavaType type, double[] values, long[] shape)
      throws OrtException {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    if (type == OnnxJavaType.DOUBLE) {
      return OnnxTensor.createTensor(environment, DoubleBuffer.wrap(values), shape);
    } else if (type == OnnxJavaType.FLOAT16) {
      ByteBuffer raw = ByteBuffer.allocateDirect(2 * values.length).order(ByteOrder.nativeOrder());
      for (double each : values) {
        raw.putShort(Fp16Conversions.floatToFp16((float) each));
      }
      return OnnxTensor.createTensor(environment, raw.rewind(), shape, type);
    }
    FloatBuffer floats = FloatBuffer.allocate(values.length);
    for (double each : values) {
      floats.put((float) each);
    }
    return OnnxTensor.createTensor(environment, floats.rewind(), shape);
  }

  private static double[] numbers(OnnxTensor tensor) {
    List<Double> numbers = new ArrayList<>();
    if (tensor.getInfo().type == OnnxJavaType.DOUBLE) {
      DoubleBuffer doubles = tensor.getDoubleBuffer();
      while (doubles.hasRemaining()) {
        numbers.add(doubles.get());
      }
    } else {
      FloatBuffer floats = tensor.getFloatBuffer();
      while (floats.hasRemaining()) {
        numbers.add((double) floats.get());
      }
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static double[] predictions(String network, double[] values, int outputs) {
    if (outputs == 2 && values.length == 1) {
      double second = network.contains("logit") ? 1 / (1 + Math.exp(-values[0])) : values[0];
      return new double[] {1 - second, second};
    } else if (outputs == 1 || Math.abs(Arrays.stream(values).sum() - 1) < 1e-5) {
      return values;
    }
    return StartedNetworks.softmax(values);
  }
}
