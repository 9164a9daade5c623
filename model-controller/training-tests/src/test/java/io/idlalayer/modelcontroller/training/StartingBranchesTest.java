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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Networks with branches begin only with files whose branches are the same. */
@Tag("natives")
@ExtendWith(OnnxRuntime.class)
final class StartingBranchesTest {
  private static final int WIDTH = 4;
  private static final int HIDDEN = 8;

  @TempDir Path folder;

  /** A file of two hidden layers, whose sum or difference goes to the output. */
  private Path file(String secondTakes, String operator, String... combined) throws IOException {
    int second = secondTakes.equals("x") ? WIDTH : HIDDEN;
    byte[] onnx =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("wa", new long[] {WIDTH, HIDDEN}, random(WIDTH * HIDDEN, 1))
            .floats("ba", new long[] {HIDDEN}, random(HIDDEN, 2))
            .floats("wb", new long[] {second, HIDDEN}, random(second * HIDDEN, 3))
            .floats("bb", new long[] {HIDDEN}, random(HIDDEN, 4))
            .floats("wo", new long[] {HIDDEN, 3}, random(HIDDEN * 3, 5))
            .floats("bo", new long[] {3}, random(3, 6))
            .node("Gemm", List.of("x", "wa", "ba"), "a")
            .node("Relu", List.of("a"), "ra")
            .node("Gemm", List.of(secondTakes, "wb", "bb"), "b")
            .node("Relu", List.of("b"), "rb")
            .node(operator, List.of(combined), "s")
            .node("Gemm", List.of("s", "wo", "bo"), "y")
            .build("pytorch");
    return Files.write(folder.resolve("net.onnx"), onnx);
  }

  private static void refused(Path file, ModelSpec spec, String reason) {
    assertThatThrownBy(() -> StartingNetwork.read(file, spec))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void read_aSumInEitherOrder_predictsAsOnnxRuntime() throws Exception {
    ModelSpec spec = ElsewhereNetworks.spec("mlp_skip");
    List<Sample> samples = ElsewhereNetworks.samples(spec, 20);
    for (List<String> order : List.of(List.of("ra", "rb"), List.of("rb", "ra"))) {
      Path file = file("ra", "Add", order.toArray(String[]::new));
      StartingNetwork start = StartingNetwork.read(file, spec);
      double[][] expected = OnnxRuntime.run(Files.readAllBytes(file), samples, "y");
      StartedNetworks.close(
          StartedNetworks.predict(start.artifact(), samples),
          Arrays.stream(expected).map(StartedNetworks::softmax).toArray(double[][]::new));
    }
  }

  @Test
  void read_otherBranches_areRefused() throws Exception {
    ModelSpec spec = ElsewhereNetworks.spec("mlp_skip");
    refused(file("x", "Add", "ra", "rb"), spec, "more layers before it");
    refused(file("ra", "Sub", "ra", "rb"), spec, "a sum of 2 layers is expected");
    refused(file("ra", "Mul", "ra", "rb"), spec, "a sum of 2 layers is expected");
    refused(file("ra", "Sum", "ra", "rb", "ra"), spec, "a sum of 2 layers is expected");
    refused(file("ra", "Add", "ra", "ra"), spec, "more layers before it");
    refused(file("ra", "Identity", "rb"), spec, "a sum of 2 layers is expected");
    refused(file("ra", "Concat", "ra", "rb"), spec, "has weights of shape");
  }

  /** The scale of inputs cannot become a part of what is no dense layer. */
  @Test
  void read_inputsBesideALayer_areNotScaled() throws Exception {
    ModelSpec plain = ElsewhereNetworks.spec("mlp_skip_input");
    ModelSpec scaled =
        new ModelSpec(plain.schema(), plain.network(), plain.fit(), !plain.standardize());
    Path file = Path.of("src/test/resources/networks/mlp_skip_input.script13.onnx");
    assertThat(StartingNetwork.read(file, plain).layers()).contains("concatenation 12");
    refused(file, scaled, "say 'standardize: false'");
  }
}
