package io.idlalayer.benchmarks.campaign.process;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** A process under test. Its output goes to a log that later starts of the same name continue. */
public final class Victim implements AutoCloseable {
  private static final long LOOK_MILLIS = 20;
  private static final int TAIL_BYTES = 4_000;

  private final Process process;
  private final Path log;
  private final long logStart;
  private final long startNanos = System.nanoTime();

  private Victim(Process process, Path log, long logStart) {
    this.process = process;
    this.log = log;
    this.logStart = logStart;
  }

  static Victim start(List<String> command, Map<String, String> environment, Path log)
      throws IOException {
    long begin = Files.exists(log) ? Files.size(log) : 0;
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().putAll(environment);
    Path folder = log.toAbsolutePath().getParent();
    if (folder != null) {
      // Where a JVM that crashes leaves its notes.
      builder.directory(folder.toFile());
    }
    return new Victim(builder.start(), log, begin);
  }

  public long pid() {
    return process.pid();
  }

  public boolean runs() {
    return process.isAlive();
  }

  public double seconds() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** What this process has written so far. */
  public String output() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      long length = Math.max(0, file.length() - logStart);
      long skip = Math.max(0, length - (4 << 20));
      byte[] bytes = new byte[(int) (length - skip)];
      file.seek(logStart + skip);
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** The last words. */
  public String tail() throws IOException {
    String all = output().strip();
    return all.substring(Math.max(0, all.length() - TAIL_BYTES));
  }

  /** Waits until the output has the pattern; false if it ends or the time is over before. */
  public boolean awaitText(Pattern pattern, long millis) throws IOException, InterruptedException {
    return await(
        () -> {
          try {
            return pattern.matcher(output()).find();
          } catch (IOException unreadable) {
            return false;
          }
        },
        millis);
  }

  /** Waits until a condition holds; false if the process ends or the time is over before. */
  public boolean await(BooleanSupplier condition, long millis) throws InterruptedException {
    long deadline = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < deadline) {
      if (condition.getAsBoolean()) {
        return true;
      }
      if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        return condition.getAsBoolean();
      }
    }
    return false;
  }

  /** The exit code, or nothing if it still runs. */
  public OptionalInt awaitExit(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS)
        ? OptionalInt.of(process.exitValue())
        : OptionalInt.empty();
  }

  /** kill -9. Returns whether there was something to kill. */
  public boolean kill() throws InterruptedException {
    boolean alive = process.isAlive();
    process.destroyForcibly();
    process.waitFor();
    return alive;
  }

  /** Stops the process for a while, as a swapping or suspended machine would. */
  public boolean pause(long millis) throws IOException, InterruptedException {
    return process.isAlive() && pause(process.pid(), millis);
  }

  /** Asks it to end. */
  public void terminate() {
    process.destroy();
  }

  public static boolean pause(long pid, long millis) throws IOException, InterruptedException {
    if (!signal("STOP", pid)) {
      return false;
    }
    try {
      Thread.sleep(millis);
    } finally {
      signal("CONT", pid);
    }
    return true;
  }

  public static boolean signal(String name, long pid) throws IOException, InterruptedException {
    return new ProcessBuilder("kill", "-" + name, Long.toString(pid))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
