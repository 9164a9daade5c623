package io.idlalayer.benchmarks.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Repeats an experiment in processes of their own, with the JVM, options and class path of this
 * one. What a process measured is the line of its output that begins with {@code RESULT}.
 */
public final class OwnProcess {
  private static final Pattern RESULT = Pattern.compile("(?m)^RESULT((?: [\\d.]+)+)$");

  private OwnProcess() {}

  /**
   * Runs the main class of this process again, to its end.
   *
   * @param main the main class of this process
   * @param output file for what the new process prints
   * @return the numbers of its result
   * @throws IOException if it takes longer than the limit, or prints no result
   */
  public static double[] run(Class<?> main, Path output, int limitSeconds, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
        throw new IOException(
            "%s took longer than %d s: see %s".formatted(main.getName(), limitSeconds, output));
      }
    } finally {
      process.destroyForcibly();
    }
    Matcher found = RESULT.matcher(Files.readString(output));
    if (!found.find()) {
      throw new IOException("%s has no result: see %s".formatted(main.getName(), output));
    }
    return Arrays.stream(found.group(1).strip().split(" ", -1))
        .mapToDouble(Double::parseDouble)
        .toArray();
  }
}
