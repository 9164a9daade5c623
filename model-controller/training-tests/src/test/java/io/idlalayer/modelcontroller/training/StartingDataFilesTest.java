package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.WIDTH;
import static io.idlalayer.modelcontroller.training.StartFiles.mlp;
import static io.idlalayer.modelcontroller.training.StartFiles.samples;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ONNX files whose arrays are in other files, as PyTorch writes them by default. */
final class StartingDataFilesTest {
  private static final ModelSpec SPEC = mlp(List.of());

  @TempDir Path folder;

  private Path onnx(String dataFile) throws IOException {
    byte[] content =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 1)
            .external("w", dataFile, WIDTH, 1)
            .node("MatMul", List.of("x", "w"), "y")
            .build("pytorch");
    return Files.write(folder.resolve("net.onnx"), content);
  }

  private void data(String name, double... values) throws IOException {
    ByteBuffer raw = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double each : values) {
      raw.putFloat((float) each);
    }
    Files.write(folder.resolve(name), raw.array());
  }

  @Test
  void read_arraysInAnotherFile_areThoseNumbers() throws Exception {
    data("net.onnx.data", 3, -2, 0.5);
    StartingNetwork start = StartingNetwork.read(onnx("net.onnx.data"), SPEC);
    List<Sample> samples = samples(10, true, 5);
    double[][] found = StartedNetworks.predict(start.artifact(), samples);
    for (int i = 0; i < found.length; i++) {
      double[] x = samples.get(i).dense();
      double expected = 3 * x[0] - 2 * x[1] + 0.5 * x[2];
      assertThat(found[i][0] / expected).isCloseTo(1, StartedNetworks.CLOSE);
    }
  }

  /** A start is another one too if only the file with its arrays is. */
  @Test
  void changed_onlyTheNumbers_saysSo() throws Exception {
    data("net.onnx.data", 3, -2, 0.5);
    Path file = onnx("net.onnx.data");
    ModelStart start = StartingNetwork.read(file, SPEC).start();
    assertThat(start.bytes()).isEqualTo(Files.size(file) + 12);
    assertThat(StartingNetwork.changed(file, start)).isFalse();
    data("net.onnx.data", 3, -2, 0.25);
    assertThat(StartingNetwork.changed(file, start)).isTrue();
    assertThat(StartingNetwork.read(file, SPEC).start().sha256()).isNotEqualTo(start.sha256());
    Files.write(file, "no ONNX".getBytes(StandardCharsets.UTF_8));
    assertThat(StartingNetwork.changed(file, start)).isTrue();
  }

  @Test
  void read_otherPlaces_areRefused() throws Exception {
    refused(onnx("net.onnx.data"), "'net.onnx.data', which is not beside it");
    data("net.onnx.data", 3, -2);
    refused(onnx("net.onnx.data"), "array 'w'");
    Path inside = Files.createDirectory(folder.resolve("inside"));
    data("secret", 3, -2, 0.5);
    refused(
        Files.copy(onnx("../secret"), inside.resolve("net.onnx")),
        "it must be in the folder of the ONNX file");
    refused(
        onnx(folder.resolve("secret").toAbsolutePath().toString()),
        "it must be in the folder of the ONNX file");
    refused(onnx(""), "it must be in the folder of the ONNX file");
    refused(onnx("a\0b"), "no name of a file");
  }

  private static void refused(Path file, String reason) {
    assertThatThrownBy(() -> StartingNetwork.read(file, SPEC))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(reason);
  }
}
