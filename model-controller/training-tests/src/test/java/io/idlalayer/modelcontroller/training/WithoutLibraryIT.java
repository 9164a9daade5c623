package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.weights.WeightInit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;

/** Trains in a process without Deeplearning4j and ND4J, and in one with them. */
@Tag("natives")
final class WithoutLibraryIT {
  @TempDir Path folder;

  private static String network(Activation activation) {
    return new NeuralNetConfiguration.Builder()
        .updater(new Adam(0.01))
        .weightInit(WeightInit.VAR_SCALING_NORMAL_FAN_AVG)
        .list()
        .layer(new DenseLayer.Builder().nIn(64).nOut(9).activation(activation).build())
        .layer(new OutputLayer.Builder().nIn(9).nOut(3).activation(Activation.SOFTMAX).build())
        .build()
        .toJson();
  }

  /** Returns the lines that a process prints. */
  private List<String> lines(String classPath) throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + folder,
            "-cp",
            classPath,
            WithoutLibraryMain.class.getName(),
            folder.toString());
    File output = folder.resolve("output.txt").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
    builder.environment().put("OMP_NUM_THREADS", "1");
    Process process = builder.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(output.toPath());
    assertThat(process.exitValue()).as(said).isZero();
    return said.lines().filter(line -> line.matches("(LIBRARY|BITS|REFUSED) .*")).toList();
  }

  @Test
  void train_withoutDeeplearning4j_givesTheSameBits() throws Exception {
    Files.writeString(folder.resolve("known.json"), network(Activation.TANH));
    Files.writeString(folder.resolve("unknown.json"), network(Activation.GELU));
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String none =
        Arrays.stream(all.split(File.pathSeparator, -1))
            .filter(entry -> !entry.matches(".*(nd4j|deeplearning4j|openblas)[^/]*\\.jar"))
            .filter(entry -> !entry.matches(".*/deeplearning4j/target/.*"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> with = lines(all);
    List<String> without = lines(none);
    assertThat(with).contains("LIBRARY true");
    assertThat(without).contains("LIBRARY false");
    assertThat(bits(without)).hasSize(12).doesNotHaveDuplicates().isEqualTo(bits(with));
    assertThat(with).contains("REFUSED Optional.empty");
    assertThat(without)
        .last()
        .asString()
        .startsWith("REFUSED Optional[")
        .contains("GELU")
        .contains("Deeplearning4j is not on the class path; add idlalayer-deeplearning4j");
  }

  private static List<String> bits(List<String> lines) {
    return lines.stream().filter(line -> line.startsWith(WithoutLibraryMain.BITS)).toList();
  }
}
