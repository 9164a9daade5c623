package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trains in a process for whose platform there is no native library, and in one that has them. */
final class WithoutNativesIT {
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+\\.[0-9]+(E-?[0-9]+)?");

  @TempDir Path folder;

  private List<String> lines(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Djava.io.tmpdir=" + folder);
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(WithoutNativesMain.class.getName());
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
    return said.lines().toList();
  }

  private static List<String> startingWith(String start, List<String> lines) {
    return lines.stream().filter(line -> line.startsWith(start)).sorted().toList();
  }

  private static double[] numbers(String start, List<String> lines) {
    return NUMBER
        .matcher(String.join("\n", startingWith(start, lines)))
        .results()
        .map(MatchResult::group)
        .mapToDouble(Double::parseDouble)
        .toArray();
  }

  @Tag("natives")
  @Test
  void train_withoutNativeLibraries_isTheSameUpToRounding() throws Exception {
    List<String> with = lines();
    List<String> without = lines("-Dorg.bytedeco.javacpp.platform=none");
    assertThat(startingWith(WithoutNativesMain.ENGINE, with))
        .hasSize(3)
        .allSatisfy(line -> assertThat(line).contains("onednn"));
    assertThat(startingWith(WithoutNativesMain.ENGINE, without))
        .hasSize(3)
        .allSatisfy(line -> assertThat(line).contains("java oneDNN cannot be loaded"));
    assertThat(startingWith(WithoutNativesMain.LIBRARY, with))
        .hasSize(3)
        .allSatisfy(line -> assertThat(line).contains("deeplearning4j 1."));
    assertThat(startingWith(WithoutNativesMain.LIBRARY, without))
        .hasSize(3)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("Deeplearning4j is on the class path, but its native code")
                    .contains(". Add the jars of ND4J for this platform, see docs/training.md")
                    .doesNotContain(".."));
    for (String each : List.of(WithoutNativesMain.PREDICTED, WithoutNativesMain.SERVED)) {
      assertClose(numbers(each, without), numbers(each, with));
    }
  }

  private static void assertClose(double[] got, double[] expected) {
    assertThat(expected).hasSizeGreaterThan(3 * 96);
    assertThat(got).hasSameSizeAs(expected);
    for (int i = 0; i < expected.length; i++) {
      assertThat(got[i]).isCloseTo(expected[i], within(1e-3));
    }
  }

  @Test
  void train_nativeLibrariesCannotBeUnpacked_goesOnWithoutThem() throws Exception {
    Path file = Files.createFile(folder.resolve("no folder"));
    List<String> lines =
        lines(
            "-Dorg.bytedeco.javacpp.cachedir=" + file,
            "-Duser.home=" + file,
            "-Djava.io.tmpdir=" + file);
    assertThat(startingWith(WithoutNativesMain.ENGINE, lines))
        .hasSize(3)
        .allSatisfy(line -> assertThat(line).contains("java oneDNN cannot be loaded"));
    assertThat(numbers(WithoutNativesMain.SERVED, lines)).hasSizeGreaterThan(3 * 96);
  }
}
