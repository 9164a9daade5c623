package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.random;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.network.Elu;
import io.idlalayer.modelloader.network.HardSigmoid;
import io.idlalayer.modelloader.network.HardSwish;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.activations.impl.ActivationHardSigmoid;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU6;
import org.nd4j.linalg.activations.impl.ActivationThresholdedReLU;

/** Activations with a number come from ONNX files, are trained, and go back with the number. */
@Tag("natives")
@ExtendWith(OnnxRuntime.class)
final class StartingActivationsTest {
  private static final int WIDTH = 4;
  private static final int HIDDEN = 8;

  @TempDir Path folder;

  /** The nodes that compute {@code "r"} of {@code "h"} in a file. */
  private interface Nodes {
    OnnxBuilder addTo(OnnxBuilder file);
  }

  private static Nodes node(String operator, byte[]... attributes) {
    return file -> file.node(operator, List.of("h"), "r", attributes);
  }

  private static Nodes clip(double least, double most) {
    return file ->
        file.floats("least", new long[0], least)
            .floats("most", new long[0], most)
            .node("Clip", List.of("h", "least", "most"), "r");
  }

  /** Adds hard Swish as exporters write it for operators before set 14. */
  private static OnnxBuilder hardSwish(OnnxBuilder file) {
    return file.node(
            "HardSigmoid",
            List.of("h"),
            "s",
            OnnxBuilder.number("alpha", 1.0 / 6),
            OnnxBuilder.number("beta", 0.5))
        .node("Mul", List.of("h", "s"), "r");
  }

  /** Adds hard Swish as networks of TensorFlow have it. */
  private static OnnxBuilder boundedSwish(OnnxBuilder file) {
    return file.floats("three", new long[0], 3)
        .floats("six", new long[0], 6)
        .floats("zero", new long[0], 0)
        .node("Add", List.of("h", "three"), "p")
        .node("Clip", List.of("p", "zero", "six"), "c")
        .node("Mul", List.of("h", "c"), "m")
        .node("Div", List.of("m", "six"), "r");
  }

  static Stream<Arguments> known() {
    return Stream.of(
        Arguments.of("ReLU6", clip(0, 6), new ActivationReLU6()),
        Arguments.of("bounded ReLU", clip(0, 0.75), new ActivationReLU(0.75, null, null)),
        Arguments.of("Clip at 0 alone", clip(0, 3.4e38), new ActivationReLU()),
        Arguments.of(
            "LeakyRelu",
            node("LeakyRelu", OnnxBuilder.number("alpha", 0.3)),
            new ActivationLReLU(0.3)),
        Arguments.of("Elu of alpha 1", node("Elu"), new ActivationELU()),
        Arguments.of("Elu", node("Elu", OnnxBuilder.number("alpha", 0.4)), new Elu(0.4)),
        Arguments.of("ThresholdedRelu", node("ThresholdedRelu"), new ActivationThresholdedReLU()),
        Arguments.of(
            "ThresholdedRelu of alpha",
            node("ThresholdedRelu", OnnxBuilder.number("alpha", 0.25)),
            new ActivationThresholdedReLU(0.25)),
        Arguments.of("HardSigmoid", node("HardSigmoid"), new ActivationHardSigmoid()),
        Arguments.of(
            "HardSigmoid of alpha",
            node("HardSigmoid", OnnxBuilder.number("alpha", 0.4)),
            new HardSigmoid(0.4)),
        Arguments.of("HardSwish", node("HardSwish"), new HardSwish()),
        Arguments.of(
            "HardSwish in two", (Nodes) StartingActivationsTest::hardSwish, new HardSwish()),
        Arguments.of(
            "HardSwish in four", (Nodes) StartingActivationsTest::boundedSwish, new HardSwish()));
  }

  private Path file(Nodes activation) throws IOException {
    OnnxBuilder begun =
        new OnnxBuilder()
            .operators(14)
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("wa", new long[] {WIDTH, HIDDEN}, random(WIDTH * HIDDEN, 1))
            .floats("ba", new long[] {HIDDEN}, random(HIDDEN, 2))
            .floats("wo", new long[] {HIDDEN, 3}, random(HIDDEN * 3, 5))
            .floats("bo", new long[] {3}, random(3, 6))
            .node("Gemm", List.of("x", "wa", "ba"), "h");
    byte[] onnx = activation.addTo(begun).node("Gemm", List.of("r", "wo", "bo"), "y").build("tf");
    return Files.write(folder.resolve("net.onnx"), onnx);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("known")
  void read_activationWithANumber_predictsTrainsAndReturns(
      String name, Nodes activation, IActivation expected) throws Exception {
    ModelSpec spec = ElsewhereNetworks.function(expected);
    List<Sample> samples = ElsewhereNetworks.samples(spec, 24);
    Path file = file(activation);
    StartingNetwork start = StartingNetwork.read(file, spec);
    double[][] runtime = OnnxRuntime.run(Files.readAllBytes(file), samples, "y");
    StartedNetworks.close(
        StartedNetworks.predict(start.artifact(), samples),
        Arrays.stream(runtime).map(StartedNetworks::softmax).toArray(double[][]::new));
    StartedNetworks.returns(start, spec, List.of(samples, samples), samples);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("known")
  void read_applicationWithAnotherNumber_isRefused(
      String name, Nodes activation, IActivation expected) throws Exception {
    Path file = file(activation);
    ModelSpec spec = ElsewhereNetworks.function(new Elu(0.9));
    assertThatThrownBy(() -> StartingNetwork.read(file, spec))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("net.onnx")
        .hasMessageContaining("elu 0.9");
  }
}
