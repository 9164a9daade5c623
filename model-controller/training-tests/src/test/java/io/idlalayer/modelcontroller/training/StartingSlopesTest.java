package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rectifiers with learned slopes come from ONNX files, are trained, and go back. */
@Tag("natives")
@ExtendWith(OnnxRuntime.class)
final class StartingSlopesTest {
  private static final int WIDTH = 4;
  private static final int HIDDEN = 8;
  private static final int FILTERS = 4;
  private static final int SIDE = 8;
  private static final int PIXELS = SIDE * SIDE;

  @TempDir Path folder;

  private static long[] shape(long... sizes) {
    return sizes;
  }

  private static PReLULayer.Builder rows() {
    return new PReLULayer.Builder().inputShape(HIDDEN);
  }

  private static PReLULayer.Builder images() {
    return new PReLULayer.Builder().inputShape(FILTERS, SIDE, SIDE);
  }

  static Stream<Arguments> known() {
    return Stream.of(
        Arguments.of("single", shape(1), ElsewhereNetworks.rectified(one())),
        Arguments.of("single, no dimension", shape(), ElsewhereNetworks.rectified(one())),
        Arguments.of("each", shape(HIDDEN), ElsewhereNetworks.rectified(rows().build())),
        Arguments.of(
            "each of a row", shape(1, HIDDEN), ElsewhereNetworks.rectified(rows().build())),
        Arguments.of("channels", shape(FILTERS, 1, 1), channels()),
        Arguments.of("channels of a row", shape(1, FILTERS, 1, 1), channels()),
        Arguments.of(
            "single of images",
            shape(1, 1, 1),
            ElsewhereNetworks.rectifiedImages(images().sharedAxes(1, 2, 3).build())),
        Arguments.of("channels last", shape(1, 1, FILTERS), channels()));
  }

  private static PReLULayer one() {
    return rows().sharedAxes(1).build();
  }

  private static ModelSpec channels() {
    return ElsewhereNetworks.rectifiedImages(images().sharedAxes(2, 3).build());
  }

  private static int numbers(long... shape) {
    return (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
  }

  private static OnnxBuilder begun(long[] shape, int inputs, int last) {
    return new OnnxBuilder()
        .operators(16)
        .input("x", OnnxBuilder.FLOAT, -1, inputs)
        .output("y", OnnxBuilder.FLOAT, -1, 3)
        .floats("slopes", shape, random(numbers(shape), 4))
        .floats("wo", new long[] {last, 3}, random(last * 3, 5))
        .floats("bo", new long[] {3}, random(3, 6));
  }

  private static byte[] ofRows(long... shape) {
    return begun(shape, WIDTH, HIDDEN)
        .floats("wa", new long[] {WIDTH, HIDDEN}, random(WIDTH * HIDDEN, 1))
        .floats("ba", new long[] {HIDDEN}, random(HIDDEN, 2))
        .node("Gemm", List.of("x", "wa", "ba"), "h")
        .node("PRelu", List.of("h", "slopes"), "r")
        .node("Gemm", List.of("r", "wo", "bo"), "y")
        .build("hand");
  }

  /**
   * @param last whether the slopes see the channels of the images as the last dimension
   */
  private static byte[] ofImages(boolean last, long... shape) {
    OnnxBuilder file =
        begun(shape, PIXELS, FILTERS * PIXELS)
            .floats("wa", new long[] {FILTERS, 1, 3, 3}, random(FILTERS * 9, 1))
            .floats("ba", new long[] {FILTERS}, random(FILTERS, 2))
            .longs("image", -1, 1, SIDE, SIDE)
            .node("Reshape", List.of("x", "image"), "i")
            .node("Conv", List.of("i", "wa", "ba"), "h", OnnxBuilder.integers("pads", 1, 1, 1, 1));
    if (last) {
      file.node("Transpose", List.of("h"), "t", OnnxBuilder.integers("perm", 0, 2, 3, 1));
    }
    return file.node("PRelu", List.of(last ? "t" : "h", "slopes"), "r")
        .node("Flatten", List.of("r"), "f")
        .node("Gemm", List.of("f", "wo", "bo"), "y")
        .build("hand");
  }

  private Path file(ModelSpec spec, long... shape) throws IOException {
    boolean images = spec.schema().denseWidth() == PIXELS;
    boolean last = images && shape.length == 3 && shape[0] == 1 && shape[2] == FILTERS;
    return Files.write(folder.resolve("net.onnx"), images ? ofImages(last, shape) : ofRows(shape));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("known")
  void read_slopes_predictsTrainsAndReturns(String name, long[] shape, ModelSpec spec)
      throws Exception {
    List<Sample> samples = ElsewhereNetworks.samples(spec, 24);
    Path file = file(spec, shape);
    StartingNetwork start = StartingNetwork.read(file, spec);
    double[][] runtime = OnnxRuntime.run(Files.readAllBytes(file), samples, "y");
    StartedNetworks.close(
        StartedNetworks.predict(start.artifact(), samples),
        Arrays.stream(runtime).map(StartedNetworks::softmax).toArray(double[][]::new));
    assertThat(start.layers())
        .contains(numbers(shape) == 1 ? "prelu with one slope" : numbers(shape) + " slopes");
    StartedNetworks.returns(start, spec, List.of(samples, samples), samples);
  }

  @Test
  void read_slopesThatChannelsShare_isRefused() throws Exception {
    Path file = file(channels(), 1, SIDE, SIDE);
    assertThatThrownBy(() -> StartingNetwork.read(file, channels()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("PRelu")
        .hasMessageContaining("has slopes of shape [1, 8, 8] for rows of [4, 8, 8]")
        .hasMessageContaining("one for each channel");
  }

  @Test
  void read_slopeForEachPixel_isRefused() throws Exception {
    Path file = file(channels(), FILTERS, SIDE, SIDE);
    assertThatThrownBy(() -> StartingNetwork.read(file, channels()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a prelu with 4 slopes is expected where the file has")
        .hasMessageContaining("prelu with 256 slopes");
  }

  @Test
  void read_anotherNumberOfSlopes_isRefused() throws Exception {
    ModelSpec spec = ElsewhereNetworks.rectified(one());
    Path file = file(spec, HIDDEN);
    assertThatThrownBy(() -> StartingNetwork.read(file, spec))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a prelu with one slope is expected where the file has")
        .hasMessageContaining("prelu with 8 slopes");
  }
}
