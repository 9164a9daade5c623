package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the operating system says of a process that trains. */
@Tag("natives")
@Tag("stress")
final class ResidentMemoryIT {
  private static final long FAST_BYTES = 8L << 20;

  /** The reserve that docs/memory.md states. */
  private static final long RESERVE_BYTES = 32L << 20;

  /** Size of the parameters of the trained network. */
  private static final long PARAMETER_BYTES =
      Float.BYTES * (257L * 2048 + 2 * 2049L * 2048 + 2049 * 2);

  /** With its updater state, twice as large as its parameters. */
  private static final long FILE_BYTES = 3 * PARAMETER_BYTES;

  private static final long LARGEST_TENSOR_BYTES = Float.BYTES * 2048L * 2048;

  /** Less than half of the parameters, so that another copy of them has no room. */
  private static final long HEAP_RESERVE_BYTES = 16L << 20;

  /** Beside the part of the heap for what is old, where large arrays are. */
  private static final long YOUNG_BYTES = 32L << 20;

  private static final List<String> LARGE_HEAP =
      List.of("-Xms1536m", "-Xmx1536m", "-XX:+AlwaysPreTouch");

  private static final Pattern MORE = Pattern.compile("^MORE (-?\\d+)$", Pattern.MULTILINE);

  /** At least two models were loaded. */
  private static final Pattern SCORED = Pattern.compile("^SCORED \\d{4,}$", Pattern.MULTILINE);

  @TempDir Path folder;

  /** Anonymous bytes above those at rest. The heap is resident from the start. */
  private long more(ResidentMain.Net net, int learners, long fastBytes, boolean tested)
      throws Exception {
    return more(net, learners, fastBytes, tested, LARGE_HEAP);
  }

  private long more(
      ResidentMain.Net net, int learners, long fastBytes, boolean tested, List<String> heap)
      throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "needs Linux");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(heap);
    command.addAll(
        List.of(
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder, "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.addAll(
        List.of(
            ResidentMain.class.getName(),
            net.name(),
            Integer.toString(learners),
            Long.toString(fastBytes),
            folder.toString(),
            Boolean.toString(tested)));
    File output = folder.resolve("output.txt").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    boolean ended;
    try {
      ended = process.waitFor(5, TimeUnit.MINUTES);
      if (!ended) {
        dumpThreads(process, output);
      }
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(output.toPath());
    assertThat(ended).as("ended in time; its output and its threads: %s", said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(SCORED.matcher(said).find()).as(said).isEqualTo(tested);
    Matcher more = MORE.matcher(said);
    assertThat(more.find()).as(said).isTrue();
    return Long.parseLong(more.group(1));
  }

  /** Appends what each thread of a process does. */
  private static void dumpThreads(Process process, File output) throws Exception {
    Process dump =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process.pid()),
                "Thread.print",
                "-l")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output))
            .start();
    try {
      var unused = dump.waitFor(1, TimeUnit.MINUTES);
    } finally {
      dump.destroyForcibly();
    }
  }

  @ParameterizedTest
  @EnumSource(ResidentMain.Net.class)
  void training_withPlacedTensors_staysWithinTheBudgetAndTheReserve(ResidentMain.Net net)
      throws Exception {
    assertThat(more(net, 1, FAST_BYTES, false)).isBetween(FAST_BYTES, FAST_BYTES + RESERVE_BYTES);
  }

  /** They share the budget, and the reserve is one of the process. */
  @Test
  void twoLearners_trainAtTheSameTime_stayWithinOneBudgetAndOneReserve() throws Exception {
    assertThat(more(ResidentMain.Net.DENSE, 2, FAST_BYTES, false))
        .isBetween(FAST_BYTES, FAST_BYTES + RESERVE_BYTES);
  }

  /** The scorer has the parameters once more. */
  @Test
  void training_besideAScorer_staysWithinThemAndTheParameters() throws Exception {
    assertThat(more(ResidentMain.Net.DENSE, 1, FAST_BYTES, true))
        .isBetween(FAST_BYTES + PARAMETER_BYTES, FAST_BYTES + RESERVE_BYTES + PARAMETER_BYTES);
  }

  /** The heap has the files of two versions, and of the tensors one at a time. */
  @Test
  void training_inASmallHeap_copiesNoNetwork() throws Exception {
    long bytes = YOUNG_BYTES + 2 * FILE_BYTES + LARGEST_TENSOR_BYTES + HEAP_RESERVE_BYTES;
    List<String> heap = List.of("-Xmx" + bytes, "-Xmn" + YOUNG_BYTES);
    assertThat(more(ResidentMain.Net.DENSE, 1, FAST_BYTES, false, heap)).isPositive();
  }

  /** So that the bounds above say something. */
  @ParameterizedTest
  @EnumSource(ResidentMain.Net.class)
  void training_withoutPlacement_exceedsThem(ResidentMain.Net net) throws Exception {
    assertThat(more(net, 1, 0, false)).isGreaterThan(2 * (FAST_BYTES + RESERVE_BYTES));
  }
}
