package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.DoubleBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import onnx.Onnx;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.preprocessor.CnnToFeedForwardPreProcessor;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** ONNX Runtime predicts what plain Java predicts, from the numbers that an event has. */
@Tag("natives")
final class OnnxModelPropertyTest {
  private static final double RELATIVE = 1e-5;

  private Path folder = Path.of("");

  @AfterContainer
  static void deleteNativeCode() throws IOException {
    OnnxRuntimeFolders.deleteOwn();
  }

  private static void delete(Path top) throws IOException {
    try (var files = Files.walk(top)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  @BeforeTry
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("onnx-model");
  }

  @AfterTry
  void deleteFolder() throws IOException {
    delete(folder);
  }

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void predictions_ofRandomModels_areThoseOfOnnxRuntime(
      @ForAll RandomModel.Kind kind,
      @ForAll boolean regression,
      @ForAll boolean standardize,
      @ForAll boolean extreme,
      @ForAll long seed)
      throws Exception {
    RandomModel random = new RandomModel(kind, regression, standardize, seed);
    ModelArtifact artifact = new ModelArtifact(random.files());
    if (!random.spec().schema().ids().isEmpty()) {
      assertThatThrownBy(() -> OnnxModel.of(artifact, "app"))
          .isInstanceOf(UnsupportedModelException.class)
          .hasMessageContaining("tables");
      return;
    }
    ModelStore models = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint version = random.publish(models, folder);
    PlainModel plain;
    byte[] onnx;
    try {
      plain = new PlainModelLoader().load(models, version);
      onnx = OnnxModel.of(new ModelArtifact(models.load(version)), "app");
      // The classes that were made of ONNX's own description write the same bytes.
      assertThat(Onnx.ModelProto.parseFrom(onnx).toByteArray()).isEqualTo(onnx);
    } catch (UnsupportedModelException | MalformedModelException refused) {
      // Filters that leave out the edge, and activations that ONNX has not in an LSTM.
      Assume.that(kind == RandomModel.Kind.IMAGES || kind == RandomModel.Kind.SERIES);
      assertThat(refused.getMessage()).containsAnyOf("LSTM", "windows", "strides");
      return;
    }
    // An ONNX file predicts without context.
    List<Sample> samples =
        random.samples(70, extreme).stream()
            .map(sample -> sample.withContext(KeyContext.NONE))
            .toList();
    double[][] expected = plain.predict(samples);
    FeatureScaler scaler =
        FeatureScaler.decode(models.load(version).get(ModelArtifact.SCALER_FILE));
    double unit =
        regression ? Math.max(1, scaler.target().unscaled(1) - scaler.target().unscaled(0)) : 1;
    NetworkInput inputs = new NetworkInput(random.spec());
    SampleSchema schema = random.spec().schema();
    Answer found = onnxRuntime(onnx, samples, schema);
    Answer alone = onnxRuntime(onnx, samples.subList(0, 1), schema);
    assertThat(alone.rows()).hasDimensions(1, expected[0].length);
    for (int i = 0; i < expected.length; i++) {
      double given =
          largest(doubles(inputs.features(samples.subList(i, i + 1), scaler, IdVectors.NONE)));
      double most = Math.max(given * unit, largest(expected[i]));
      for (int k = 0; k < expected[i].length; k++) {
        assertThat(found.rows()[i][k])
            .as("%s of seed %d, row %d", kind, seed, i)
            .isCloseTo(expected[i][k], within(RELATIVE * most));
      }
      if (!regression) {
        int chosen = (int) found.classes()[i];
        assertThat(expected[i][chosen]).isCloseTo(greatest(expected[i]), within(RELATIVE * most));
      }
    }
  }

  /** ONNX Runtime's own sigmoid is off by 0.3 % where no class is probable. */
  @Example
  void predictions_whereNoClassIsProbable_areThoseOfOnnxRuntime() throws Exception {
    predictions_ofRandomModels_areThoseOfOnnxRuntime(
        RandomModel.Kind.HISTORY, false, true, true, 5071801);
  }

  /** The logarithm of a rate is what the network computes, so errors are those of the logarithm. */
  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void predictions_ofRates_areThoseOfAllReaders(
      @ForAll("networks") RandomModel.Kind kind, @ForAll boolean standardize, @ForAll long seed)
      throws Exception {
    RandomModel random = new RandomModel(kind, TargetLoss.POISSON, standardize, seed);
    ModelStore models = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint version = random.publish(models, folder);
    List<Sample> samples = random.samples(70, false);
    double[][] expected = new PlainModelLoader().load(models, version).predict(samples);
    double[][] onnx =
        random.spec().schema().ids().isEmpty()
            ? onnxRuntime(
                    OnnxModel.of(new ModelArtifact(models.load(version)), "app"),
                    samples,
                    random.spec().schema())
                .rows()
            : expected;
    try (Dl4jModel other = new Dl4jModelLoader().load(models, version)) {
      double[][] found = other.predict(samples);
      for (int i = 0; i < expected.length; i++) {
        double logarithm = floatLogarithm(expected[i][0]);
        double most = Math.max(10, Math.max(largest(samples.get(i).dense()), Math.abs(logarithm)));
        assertThat(floatLogarithm(found[i][0])).isCloseTo(logarithm, within(RELATIVE * most));
        assertThat(floatLogarithm(onnx[i][0])).isCloseTo(logarithm, within(RELATIVE * most));
      }
    }
  }

  /**
   * Returns the logarithm of a rate, at the edge of what a float holds for a rate beyond it: the
   * network may give any logarithm for features that are not scaled.
   */
  private static double floatLogarithm(double rate) {
    assertThat(rate).isNotNegative().isNotNaN();
    return Math.log(Math.max(Float.MIN_NORMAL, Math.min(Float.MAX_VALUE, rate)));
  }

  @Provide
  Arbitrary<RandomModel.Kind> networks() {
    return Arbitraries.of(
        RandomModel.Kind.MLP,
        RandomModel.Kind.MEMBERS,
        RandomModel.Kind.CNN,
        RandomModel.Kind.DLRM,
        RandomModel.Kind.WIDE_AND_DEEP);
  }

  /** The numbers of the event that a sample was decoded from. */
  private static double[] ofEvent(Sample sample, SampleSchema schema) {
    double[] values = sample.dense().clone();
    int at = 0;
    for (SampleSchema.DenseFeature feature : schema.dense()) {
      for (int i = 0; i < feature.width(); i++) {
        values[at++] /= feature.scale();
      }
    }
    return values;
  }

  /** Softmax is of rows also where the step before gives images. */
  @Example
  void softmax_ofAFlattenedImage_isOfAllPixels() throws Exception {
    MultiLayerConfiguration network =
        new NeuralNetConfiguration.Builder()
            .list()
            .layer(new ConvolutionLayer.Builder(1, 1).nOut(1).build())
            .layer(
                new LossLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .build())
            .setInputType(InputType.convolutionalFlat(2, 2, 1))
            .inputPreProcessor(1, new CnnToFeedForwardPreProcessor(2, 2, 1))
            .build();
    RandomModel random =
        new RandomModel(
            new ModelSpec.Network.Dl4jJson(network.toJson()), 4, List.of("a", "b", "c", "d"), 3);
    ModelStore models = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint version = random.publish(models, folder);
    List<Sample> samples = random.samples(5, false);
    double[][] expected = new PlainModelLoader().load(models, version).predict(samples);
    byte[] onnx = OnnxModel.of(new ModelArtifact(models.load(version)), "app");
    Answer found = onnxRuntime(onnx, samples, random.spec().schema());
    for (int i = 0; i < expected.length; i++) {
      assertThat(found.rows()[i]).containsExactly(expected[i], within(1e-6));
      assertThat(expected[i][0] + expected[i][1] + expected[i][2] + expected[i][3])
          .isCloseTo(1, within(1e-5));
    }
  }

  private static double[] doubles(float[] values) {
    return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
  }

  private static double largest(double[] values) {
    double largest = 1;
    for (double value : values) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  private static double greatest(double[] values) {
    double greatest = Double.NEGATIVE_INFINITY;
    for (double value : values) {
      greatest = Math.max(greatest, value);
    }
    return greatest;
  }

  /**
   * @param rows probabilities, or targets
   * @param classes none for targets
   */
  private record Answer(double[][] rows, long[] classes) {}

  private static Answer onnxRuntime(byte[] model, List<Sample> samples, SampleSchema schema)
      throws OrtException {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    Map<String, OnnxTensor> inputs = new HashMap<>();
    try (OrtSession session = environment.createSession(model)) {
      int width = schema.denseWidth();
      if (width > 0) {
        DoubleBuffer features = DoubleBuffer.allocate(samples.size() * width);
        samples.forEach(sample -> features.put(ofEvent(sample, schema)));
        inputs.put(
            OnnxModel.FEATURES,
            OnnxTensor.createTensor(
                environment, features.rewind(), new long[] {samples.size(), width}));
      }
      int count = schema.categorical().size();
      if (count > 0) {
        LongBuffer buckets = LongBuffer.allocate(samples.size() * count);
        for (Sample sample : samples) {
          for (int bucket : sample.categorical()) {
            buckets.put(bucket);
          }
        }
        inputs.put(
            OnnxModel.CATEGORIES,
            OnnxTensor.createTensor(
                environment, buckets.rewind(), new long[] {samples.size(), count}));
      }
      assertThat(session.getInputNames()).isEqualTo(inputs.keySet());
      try (OrtSession.Result result = session.run(inputs)) {
        if (schema.label().task() == SampleSchema.Task.REGRESSION) {
          double[] targets = (double[]) result.get(OnnxModel.PREDICTION).orElseThrow().getValue();
          double[][] rows = new double[targets.length][];
          for (int i = 0; i < rows.length; i++) {
            rows[i] = new double[] {targets[i]};
          }
          return new Answer(rows, new long[0]);
        }
        assertThat(session.getMetadata().getCustomMetadata().get("classes"))
            .isEqualTo(String.join("\n", schema.label().classes()));
        float[][] probabilities =
            (float[][]) result.get(OnnxModel.PROBABILITIES).orElseThrow().getValue();
        return new Answer(
            Arrays.stream(probabilities)
                .map(OnnxModelPropertyTest::doubles)
                .toArray(double[][]::new),
            (long[]) result.get(OnnxModel.CLASS).orElseThrow().getValue());
      }
    } finally {
      inputs.values().forEach(OnnxTensor::close);
    }
  }
}
