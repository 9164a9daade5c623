package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bits of trainings whose kernels have more than one thread. */
@Tag("natives")
final class ThreadsIT {
  private static final String STARTED = "STARTED ";
  private static final String BITS = "BITS ";

  /** Trainings of each network in a process. */
  private static final int TRAININGS = 3;

  @TempDir Path folder;

  /** Returns the lines that a process with a number of threads prints. */
  private List<String> lines(int threads) throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/proc/self/task")), "needs Linux");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The virtual machine starts no threads of its own later, so that those of kernels are seen.
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:-UseDynamicNumberOfCompilerThreads"));
    command.addAll(List.of("-Djava.io.tmpdir=" + folder, "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(ThreadsMain.class.getName());
    File output = folder.resolve("output.txt").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
    builder.environment().put("OMP_NUM_THREADS", Integer.toString(threads));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(output.toPath());
    assertThat(process.exitValue()).as(said).isZero();
    return said.lines().filter(l -> l.startsWith(STARTED) || l.startsWith(BITS)).toList();
  }

  private static List<String> bits(List<String> lines) {
    return lines.stream().filter(line -> line.startsWith(BITS)).toList();
  }

  @Test
  void train_withTwoThreads_givesTheSameBitsAgain() throws Exception {
    List<String> one = lines(2);
    assertThat(one).contains(STARTED + 1);
    List<String> bits = bits(one);
    long networks = bits.stream().distinct().count();
    assertThat(networks).isEqualTo(8);
    assertThat(bits).hasSize(TRAININGS * 8);
    assertThat(bits(lines(2))).isEqualTo(bits);
  }

  /** So that the number of threads above says something. */
  @Test
  void train_withOneThread_startsNone() throws Exception {
    assertThat(lines(1)).contains(STARTED + 0);
  }
}
