package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.WIDTH;
import static io.idlalayer.modelcontroller.training.StartFiles.mlp;
import static io.idlalayer.modelcontroller.training.StartFiles.pytorch;
import static io.idlalayer.modelcontroller.training.StartFiles.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that an application cannot begin with are refused, with the reason. */
final class StartingNetworkRefusalsTest {
  @TempDir Path folder;

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private void refused(byte[] content, ModelSpec spec, String... why) {
    assertThatThrownBy(() -> StartingNetwork.read(file("bad.onnx", content), spec))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("bad.onnx")
        .hasMessageContainingAll(why);
  }

  @Test
  void read_anotherShape_namesBoth() {
    refused(
        pytorch(3),
        mlp(List.of(16), "a", "b", "c"),
        "8 numbers in place of 16",
        "the file has 3 inputs, dense 8, relu, dense 3",
        "the application asks for 3 inputs, dense 16 relu, output 3 softmax; say 'hidden: [8]'");
    refused(pytorch(3), mlp(List.of(8), "a", "b"), "3 numbers in place of 2");
    refused(pytorch(3), mlp(List.of(8, 8), "a", "b", "c"), "more layers before it");
    refused(pytorch(3), mlp(List.of(8, 3), "a", "b", "c"), "8 numbers in place of 3");
    refused(pytorch(3), mlp(List.of(), "a", "b", "c"), "8 numbers in place of 3");
    refused(pytorch(3), mlp(List.of()), "8 numbers in place of 3");
  }

  @Test
  void read_unknownOperators_namesThem() {
    ModelSpec spec = mlp(List.of(8), "a", "b", "c");
    OnnxBuilder swish =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("w", new long[] {WIDTH, 3}, random(9, 1))
            .node("MatMul", List.of("x", "w"), "m")
            .node("Celu", List.of("m"), "y");
    refused(
        swish.build("pytorch"), spec, "node '/Celu/y' (Celu) is not known", "known are Abs, Add");
    OnnxBuilder trees =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("l", OnnxBuilder.INT64, -1)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .node(OnnxBuilder.LEARNING, "TreeEnsembleClassifier", List.of("x"), List.of("l", "y"));
    refused(trees.build("skl2onnx"), spec, "ai.onnx.ml.TreeEnsembleClassifier");
    OnnxBuilder branch =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("w", new long[] {WIDTH, 3}, random(9, 1))
            .node("MatMul", List.of("x", "w"), "m")
            .node("Add", List.of("m", "x"), "y");
    refused(
        branch.build("pytorch"),
        spec,
        "a dense layer is expected where the file has node '/Add/y' (Add)");
  }

  @Test
  void read_damagedFiles_saysWhere() throws Exception {
    ModelSpec spec = mlp(List.of(8), "a", "b", "c");
    byte[] whole = pytorch(3);
    refused(new byte[0], spec, "is empty");
    refused(Arrays.copyOf(whole, whole.length / 2), spec, "at byte");
    refused("<html>not found</html>".getBytes(StandardCharsets.UTF_8), spec, "at byte");
    byte[] huge = {0x3A, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x07, 1, 2};
    refused(huge, spec, "at byte 6", "2147483647 bytes, and 2 are left");
    assertThatThrownBy(() -> StartingNetwork.read(folder, spec))
        .hasMessageContaining("is a folder");
    assertThatThrownBy(() -> StartingNetwork.read(folder.resolve("gone.onnx"), spec))
        .hasMessageContaining("does not exist");
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 600; i++) {
      byte[] damaged = whole.clone();
      for (int k = 0; k <= i % 3; k++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      Path file = file("bad.onnx", Arrays.copyOf(damaged, damaged.length - i % 7));
      try {
        assertThat(StartingNetwork.read(file, spec).layers()).isNotEmpty();
      } catch (IOException refused) {
        assertThat(refused).hasMessageContaining("bad.onnx");
      }
    }
  }

  private static OnnxBuilder linear() {
    return new OnnxBuilder()
        .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
        .output("y", OnnxBuilder.FLOAT, -1, 1)
        .floats("w", new long[] {WIDTH, 1}, random(3, 1))
        .floats("b", new long[] {1}, 0.5)
        .node("Gemm", List.of("x", "w", "b"), "g");
  }

  @Test
  void read_endsThatChangeNumbers_areRefused() {
    ModelSpec spec = mlp(List.of());
    refused(
        linear().node("Clip", List.of("g"), "y", OnnxBuilder.number("min", -1)).build("pytorch"),
        spec,
        "Clip",
        "bounds what a layer gives by -1.0");
    refused(
        linear()
            .node(
                "HardSigmoid",
                List.of("g"),
                "y",
                OnnxBuilder.number("alpha", 0.5),
                OnnxBuilder.number("beta", 0.25))
            .build("pytorch"),
        spec,
        "HardSigmoid",
        "has beta 0.25; known is 0.5");
    refused(
        linear().node("Cast", List.of("g"), "y", OnnxBuilder.integer("to", 7)).build("pytorch"),
        spec,
        "Cast",
        "makes whole numbers");
    refused(
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 1)
            .floats("w", new long[] {WIDTH, 1}, random(3, 1))
            .floats("b", new long[] {1}, 0.5)
            .node("Cast", List.of("x"), "i", OnnxBuilder.integer("to", 7))
            .node("Cast", List.of("i"), "f", OnnxBuilder.integer("to", 1))
            .node("Gemm", List.of("f", "w", "b"), "y")
            .build("pytorch"),
        spec,
        "makes whole numbers");
  }

  @Test
  void read_operatorsOfOldSets_areRefused() throws Exception {
    // Until set 7 an array was stretched along the dimension that an attribute names.
    for (long old : new long[] {0, 1, 6}) {
      refused(
          linear()
              .operators(old)
              .node("Add", List.of("g", "b"), "y", OnnxBuilder.integer("broadcast", 1))
              .build("pytorch"),
          mlp(List.of()),
          "operators of set " + old,
          "known are those of set 7 and newer");
    }
    byte[] oldest = linear().operators(7).node("Add", List.of("g", "b"), "y").build("pytorch");
    assertThat(StartingNetwork.read(file("good.onnx", oldest), mlp(List.of())).layers())
        .isNotEmpty();
  }

  @Test
  void read_wholeNumbersAsInput_saysWhatIsExpected() {
    OnnxBuilder counted =
        new OnnxBuilder()
            .input("x", OnnxBuilder.INT64, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 1)
            .floats("w", new long[] {WIDTH, 1}, random(3, 1))
            .node("Cast", List.of("x"), "f", OnnxBuilder.integer("to", 1))
            .node("MatMul", List.of("f", "w"), "y");
    refused(
        counted.build("pytorch"),
        mlp(List.of()),
        "its input 'x' is of whole numbers, which are ids",
        "numbers need an input of type float");
  }

  @Test
  void read_normalizationOfNegativeVariance_isRefused() {
    OnnxBuilder normalized =
        linear()
            .floats("one", new long[] {1}, 1)
            .floats("less", new long[] {1}, -1)
            .node("BatchNormalization", List.of("g", "one", "b", "b", "less"), "y");
    refused(normalized.build("pytorch"), mlp(List.of()), "it has the weight NaN");
  }

  @Test
  void read_arraysThatLie_areRefused() {
    ModelSpec spec = mlp(List.of(), "a", "b", "c");
    OnnxBuilder gigantic =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("w", new long[] {1L << 31, 1L << 31}, 1, 2)
            .node("MatMul", List.of("x", "w"), "y");
    refused(gigantic.build("other"), spec, "array 'w' has the shape");
    OnnxBuilder large =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("w", new long[] {WIDTH, 500_000_000}, 1, 2)
            .node("MatMul", List.of("x", "w"), "y");
    refused(large.build("other"), spec, "array 'w' has the shape [3, 500000000], and 2 numbers");
    OnnxBuilder nan =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .floats("w", new long[] {WIDTH, 3}, 1, 2, 3, 4, Double.NaN, 6, 7, 8, 9)
            .node("MatMul", List.of("x", "w"), "y");
    refused(nan.build("other"), spec, "has the weight NaN");
    OnnxBuilder external =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 3)
            .external("w", "net.onnx.data", WIDTH, 3)
            .node("MatMul", List.of("x", "w"), "y");
    refused(
        external.build("pytorch"),
        spec,
        "array 'w' is in the file 'net.onnx.data', which is not beside it");
  }
}
