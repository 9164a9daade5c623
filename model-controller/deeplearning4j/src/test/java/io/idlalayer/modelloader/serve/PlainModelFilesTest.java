package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.GaussianNoise;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.misc.ElementWiseMultiplicationLayer;
import org.deeplearning4j.nn.conf.weightnoise.DropConnect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** What plain Java accepts as a model's files, and what it refuses. */
@Tag("natives")
final class PlainModelFilesTest {
  private static final long MOST_BYTES = 1 << 20;
  private static final int FLIPS = 1_500;
  private final PlainModelLoader loader = new PlainModelLoader(MOST_BYTES);

  private static SampleSchema schema() {
    return SmallModels.schema(List.of(), List.of("x", "y"), List.of("0", "1"));
  }

  private static SortedMap<String, byte[]> files(ModelSpec.Network network) throws IOException {
    return SmallModels.files(SmallModels.spec(schema(), network, true), 1);
  }

  private static SortedMap<String, byte[]> files(DenseLayer.Builder layer) throws IOException {
    return json(
        new NeuralNetConfiguration.Builder()
            .list()
            .layer(layer.nIn(2).nOut(3).build())
            .layer(output())
            .build()
            .toJson());
  }

  private static OutputLayer output() {
    return output(3);
  }

  /**
   * @param inputs 0 if the type of the network's input says it
   */
  private static OutputLayer output(int inputs) {
    return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
        .activation(Activation.SOFTMAX)
        .nIn(inputs)
        .nOut(2)
        .build();
  }

  private static SortedMap<String, byte[]> json(String configuration) throws IOException {
    return files(new ModelSpec.Network.Dl4jJson(configuration));
  }

  /** The files with another text in the network's configuration. */
  private static SortedMap<String, byte[]> replaced(String old, String by) throws IOException {
    return replaced(files(new ModelSpec.Network.Mlp(List.of(4))), old, by);
  }

  private static SortedMap<String, byte[]> replaced(
      SortedMap<String, byte[]> original, String old, String by) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>(original);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean found = false;
    try (ZipInputStream in =
            new ZipInputStream(new ByteArrayInputStream(files.get(ModelArtifact.NETWORK_FILE)));
        ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        byte[] content = in.readAllBytes();
        if (entry.getName().equals(ModelArtifact.CONFIGURATION_ENTRY)) {
          String text = new String(content, StandardCharsets.UTF_8);
          found = text.contains(old);
          content = text.replace(old, by).getBytes(StandardCharsets.UTF_8);
        }
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(content);
      }
    }
    assertThat(found).as(old).isTrue();
    files.put(ModelArtifact.NETWORK_FILE, bytes.toByteArray());
    return files;
  }

  @ParameterizedTest
  @EnumSource(
      value = Activation.class,
      names = {"IDENTITY", "RELU", "LEAKYRELU", "ELU", "TANH", "SIGMOID", "SOFTMAX"})
  void activation_thatIsKnown_isThatOfDeeplearning4j(Activation activation) throws IOException {
    SortedMap<String, byte[]> files =
        files(new DenseLayer.Builder().activation(activation).dropOut(0.5));
    PlainModel plain = loader.load(new ModelArtifact(files));
    try (Dl4jModel reference = Dl4jModel.load(new ModelArtifact(files))) {
      for (float x : new float[] {-7, -0.5f, 0, 0.3f, 6}) {
        Sample sample = Sample.of(new double[] {x, 1 - x}, 0);
        double[] expected = reference.predict(List.of(sample))[0];
        assertThat(plain.predict(sample))
            .containsExactly(expected, org.assertj.core.data.Offset.offset(1e-6));
      }
    }
  }

  @Test
  void somethingUnknown_isRefusedByName() throws IOException {
    assertUnsupported(
        files(new DenseLayer.Builder().activation(Activation.CUBE)), "ActivationCube");
    assertUnsupported(
        files(new DenseLayer.Builder().activation(Activation.HARDTANH)), "ActivationHardTanH");
    assertUnsupported(
        files(new DenseLayer.Builder().weightNoise(new DropConnect(0.5))), "DropConnect");
    assertUnsupported(
        files(new DenseLayer.Builder().dropOut(new GaussianNoise(0.5))), "GaussianNoise");
    assertUnsupported(files(new DenseLayer.Builder().hasLayerNorm(true)), "layer normalization");
    assertUnsupported(
        json(
            new NeuralNetConfiguration.Builder()
                .list()
                .layer(new DenseLayer.Builder().nIn(2).nOut(3).build())
                .layer(new ElementWiseMultiplicationLayer.Builder().nIn(3).nOut(3).build())
                .layer(output())
                .build()
                .toJson()),
        "ElementWiseMultiplicationLayer");
    assertUnsupported(replaced("\"hasBias\" : true", "\"hasBias\" : true, \"new\" : 1"), "'new'");
    assertUnsupported(
        replaced("\"epochCount\" : 0", "\"epochCount\" : 0, \"inner\" : { }"), "'inner'");
    assertUnsupported(replaced("\"threshold\" : null", "\"threshold\" : 6.0"), "threshold");
    assertUnsupported(
        replaced(
            "\"inputPreProcessors\" : { }",
            "\"inputPreProcessors\" : { \"0\" : { \"@class\" : \"some.PreProcessor\" } }"),
        "some.PreProcessor");
  }

  /** Over images of one line of two pixels. */
  private static SortedMap<String, byte[]> images() throws IOException {
    return json(
        new NeuralNetConfiguration.Builder()
            .list()
            .layer(new ConvolutionLayer.Builder(1, 1).nOut(2).build())
            .layer(new SubsamplingLayer.Builder().kernelSize(1, 1).stride(1, 1).build())
            .layer(new BatchNormalization.Builder().build())
            .layer(output(0))
            .setInputType(InputType.convolutionalFlat(1, 2, 1))
            .build()
            .toJson());
  }

  @Test
  void layersOfImages_withSomethingUnknown_areRefusedByName() throws IOException {
    SortedMap<String, byte[]> files = images();
    assertThat(loader.load(new ModelArtifact(files)).predict(Sample.of(new double[2], 0)))
        .hasSize(2);
    assertUnsupported(
        replaced(files, "\"convolutionMode\" : \"Truncate\"", "\"convolutionMode\" : \"Causal\""),
        "Causal");
    assertUnsupported(
        replaced(files, "\"dilation\" : [ 1, 1 ]", "\"dilation\" : [ 2, 1 ]"), "dilation");
    assertUnsupported(
        replaced(files, "\"poolingType\" : \"MAX\"", "\"poolingType\" : \"PNORM\""), "PNORM");
    assertUnsupported(
        replaced(files, "\"cnn2dDataFormat\" : \"NCHW\"", "\"cnn2dDataFormat\" : \"NHWC\""),
        "NHWC");
    assertUnsupported(
        replaced(files, "\"lockGammaBeta\" : false", "\"lockGammaBeta\" : true"), "fixed scale");
    assertUnsupported(
        replaced(files, "ActivationSigmoid", "ActivationSoftmax"), "softmax of layer 0 over Image");
  }

  @Test
  void layersOfImages_thatCannotBe_areRefused() throws IOException {
    SortedMap<String, byte[]> files = images();
    assertThat(loader.load(new ModelArtifact(files)).predict(Sample.of(new double[2], 0)))
        .hasSize(2);
    for (List<String> wrong :
        List.of(
            List.of("\"kernelSize\" : [ 1, 1 ]", "\"kernelSize\" : [ 2000000000, 2000000000 ]"),
            List.of("\"kernelSize\" : [ 1, 1 ]", "\"kernelSize\" : [ 4000000, 4000000 ]"),
            List.of("\"kernelSize\" : [ 1, 1 ]", "\"kernelSize\" : [ 0, 1 ]"),
            List.of("\"kernelSize\" : [ 1, 1 ]", "\"kernelSize\" : [ 1 ]"),
            List.of("\"kernelSize\" : [ 1, 1 ]", "\"kernelSize\" : 1"),
            List.of("\"kernelSize\" : [ 1, 1 ]", "\"kernelSize\" : [ 1, 2 ]"),
            List.of("\"stride\" : [ 1, 1 ]", "\"stride\" : [ 0, 1 ]"),
            List.of("\"stride\" : [ 1, 1 ]", "\"stride\" : [ 1, -1 ]"),
            List.of("\"padding\" : [ 0, 0 ]", "\"padding\" : [ -1, 0 ]"),
            List.of("\"padding\" : [ 0, 0 ]", "\"padding\" : [ 0, 2147483647 ]"),
            List.of("\"inputHeight\" : 1", "\"inputHeight\" : 65536"),
            List.of("\"inputWidth\" : 2", "\"inputWidth\" : -2"),
            List.of("\"numChannels\" : 1", "\"numChannels\" : 0"),
            List.of("FeedForwardToCnn", "CnnToFeedForward"))) {
      assertThatThrownBy(
              () -> loader.load(new ModelArtifact(replaced(files, wrong.get(0), wrong.get(1)))))
          .as(wrong.get(1))
          .isInstanceOfAny(MalformedModelException.class, UnsupportedModelException.class)
          .hasMessageNotContaining("Exception");
    }
  }

  private void assertUnsupported(SortedMap<String, byte[]> files, String what) {
    assertThatThrownBy(() -> loader.load(new ModelArtifact(files)))
        .isInstanceOf(UnsupportedModelException.class)
        .hasMessageContaining(what)
        .hasMessageContaining("idlalayer-model-loader");
  }

  @Test
  void configuration_thatDoesNotFit_isRefused() throws IOException {
    for (String width : List.of("3", "0", "-1", "2000000000", "4.5", "\"4\"", "null")) {
      assertThatThrownBy(
              () -> loader.load(new ModelArtifact(replaced("\"nout\" : 4", "\"nout\" : " + width))))
          .as(width)
          .isInstanceOf(MalformedModelException.class);
    }
    assertThatThrownBy(() -> loader.load(new ModelArtifact(replaced("{", "[".repeat(5000)))))
        .isInstanceOf(MalformedModelException.class);
  }

  /** The zip has a check sum of each entry: what is changed is refused, or was not read. */
  @Test
  void networkFile_withAnyBitFlipped_isRefusedOrPredictsTheSame() throws IOException {
    SortedMap<String, byte[]> files = files(new ModelSpec.Network.Mlp(List.of(8)));
    Sample sample = Sample.of(new double[] {0.3f, -2}, 0);
    double[] expected = loader.load(new ModelArtifact(files)).predict(sample);
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < FLIPS; i++) {
      byte[] damaged = files.get(ModelArtifact.NETWORK_FILE).clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      SortedMap<String, byte[]> changed = new TreeMap<>(files);
      changed.put(ModelArtifact.NETWORK_FILE, damaged);
      try {
        assertThat(loader.load(new ModelArtifact(changed)).predict(sample)).isEqualTo(expected);
      } catch (MalformedModelException | UnsupportedModelException expectedRefusal) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(FLIPS / 2);
  }

  /** Nothing in these files tells a changed number from another one; it must stay a number. */
  @Test
  void otherFiles_withAnyBitFlipped_areRefusedOrPredict() throws IOException {
    SortedMap<String, byte[]> files = files(new ModelSpec.Network.Mlp(List.of(8)));
    Sample sample = Sample.of(new double[] {0.3f, -2}, 0);
    Random random = new Random(2);
    for (String name : List.of(ModelArtifact.SPEC_FILE, ModelArtifact.SCALER_FILE)) {
      for (int i = 0; i < FLIPS; i++) {
        byte[] damaged = files.get(name).clone();
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        SortedMap<String, byte[]> changed = new TreeMap<>(files);
        changed.put(name, damaged);
        try {
          double[] predicted = loader.load(new ModelArtifact(changed)).predict(sample);
          assertThat(predicted).hasSize(2);
          assertThat(predicted[0] + predicted[1])
              .isCloseTo(1, org.assertj.core.data.Offset.offset(1e-6));
        } catch (MalformedModelException | UnsupportedModelException expectedRefusal) {
          assertThat(expectedRefusal).hasMessageNotContaining("OutOfMemoryError");
        }
      }
    }
  }
}
