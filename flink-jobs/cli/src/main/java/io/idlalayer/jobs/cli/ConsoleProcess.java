package io.idlalayer.jobs.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The console of a run: a process of its own, so that a failure of the console does not affect the
 * run. The console process ends when its standard input ends: when this process ends, in any way.
 */
final class ConsoleProcess implements AutoCloseable {
  /**
   * Name of the system property with the console's class path, which precedes the class path of the
   * product.
   */
  static final String LIB = "idla.console.lib";

  private static final String MAIN = "io.idlalayer.console.ConsoleMain";
  private static final String ADDRESS = "console at ";
  private static final long PATIENCE_MILLIS = 2_000;
  private static final int LONGEST_MESSAGE = 500;
  private static final long MOST_LOGGED_BYTES = 1 << 20;

  private final String lib;
  private final @Nullable Integer port;
  private @Nullable Process process;
  private volatile boolean closing;

  /**
   * @param port the port; null for the default port, or a free port if the default port is in use
   */
  ConsoleProcess(String lib, @Nullable Integer port) {
    this.lib = lib;
    this.port = port;
  }

  /**
   * Starts the console, without waiting for it. If the start fails, the run goes on without a
   * console.
   *
   * @param files application files
   * @param work work directory of the run
   * @param line takes a readable line, on any thread: the address of the console, or why it did not
   *     start
   */
  void start(List<Path> files, Path work, String servers, Consumer<String> line) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The console shares the machine with the run.
    command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-XX:+ExitOnOutOfMemoryError");
    // The class path also has Flink's binding, which is for an older SLF4J than this process uses.
    command.addAll(List.of("-Dslf4j.internal.verbosity=ERROR", "-cp", lib, MAIN));
    files.forEach(file -> command.add(file.toAbsolutePath().toString()));
    command.addAll(List.of("--bootstrap-servers", servers));
    command.addAll(List.of("--work-dir", work.toAbsolutePath().toString()));
    command.add("--until-input-ends");
    if (port != null) {
      command.addAll(List.of("--port", port.toString()));
    }
    try {
      Process started = start(command);
      process = started;
      Path log = work.toAbsolutePath().normalize().resolve("logs").resolve("console-output.log");
      Thread reader = new Thread(() -> read(started, log, line), "console-output");
      reader.setDaemon(true);
      reader.start();
    } catch (IOException failed) {
      line.accept("no console: " + failed.getMessage());
    }
  }

  /**
   * Starts the command at a low priority, if the system allows it, so that the run gets processor
   * time first.
   */
  private static Process start(List<String> command) throws IOException {
    List<String> low = new ArrayList<>(List.of("nice", "-n", "15"));
    low.addAll(command);
    try {
      return new ProcessBuilder(low).redirectErrorStream(true).start();
    } catch (IOException noNice) {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
  }

  /**
   * Reads the output of the console process, and reports its address or, if it ended without one,
   * its output. Later output goes to the log.
   */
  private void read(Process started, Path log, Consumer<String> line) {
    String last = "it ended without a message";
    boolean running = false;
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8))) {
      long logged = 0;
      for (String text = out.readLine(); text != null; text = out.readLine()) {
        if (text.startsWith(ADDRESS)) {
          running = true;
          line.accept(text);
        } else if (!text.isBlank()) {
          last = text.substring(0, Math.min(text.length(), LONGEST_MESSAGE));
          if (logged < MOST_LOGGED_BYTES) {
            logged += log(log, text, logged == 0);
          }
        }
      }
    } catch (IOException closed) {
      // Then only the end of the process is known.
      last = String.valueOf(closed.getMessage());
    }
    if (!closing) {
      line.accept(
          running
              ? "the console has ended; the run goes on (its log: %s)".formatted(log)
              : "no console: " + last);
    }
  }

  /**
   * Appends a line to the console's log file; the first line of a run replaces the file, so that it
   * does not grow from run to run.
   */
  private static int log(Path file, String text, boolean first) {
    byte[] bytes = (text + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    try {
      Files.createDirectories(file.resolveSibling("."));
      Files.write(
          file,
          bytes,
          StandardOpenOption.CREATE,
          first ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND,
          StandardOpenOption.WRITE);
    } catch (IOException full) {
      // The run does not depend on this log, and a full disk is reported elsewhere.
      return bytes.length;
    }
    return bytes.length;
  }

  @Override
  public void close() {
    closing = true;
    Process running = process;
    if (running == null) {
      return;
    }
    try {
      running.getOutputStream().close();
      if (!running.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        running.destroyForcibly();
      }
    } catch (IOException gone) {
      running.destroyForcibly();
    } catch (InterruptedException stopped) {
      running.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
