package io.idlalayer.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs programs and returns the processor time that they took, with all processes that they started
 * and waited for. One thread at a time. Linux only: the times come from {@code /proc}.
 */
public final class EndedProcesses {
  private static final int LIMIT_MINUTES = 30;

  /** Clock ticks a second of {@code /proc}, on all processors of Linux. */
  private static final double TICKS_PER_SECOND = 100;

  /** Fields of {@code /proc/self/stat} after the name: user and system time of ended children. */
  private static final int CHILDREN_USER = 13;

  private static final int CHILDREN_SYSTEM = 14;

  private EndedProcesses() {}

  /**
   * Runs a program to its end.
   *
   * @param terminal file for what it prints
   * @return its processor time in seconds
   * @throws IOException with its output, if it does not end with 0 or not in half an hour
   */
  public static double cpuSecondsOf(List<String> command, Path terminal)
      throws IOException, InterruptedException {
    double before = cpuSeconds();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(terminal.toFile())
            .start();
    if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException("%s did not end in %d minutes".formatted(command, LIMIT_MINUTES));
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "%s ended with %d: %s"
              .formatted(command, process.exitValue(), Files.readString(terminal)));
    }
    return cpuSeconds() - before;
  }

  private static double cpuSeconds() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    // The name of the program may have blanks and is in brackets.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[CHILDREN_USER]) + Long.parseLong(fields[CHILDREN_SYSTEM]))
        / TICKS_PER_SECOND;
  }
}
