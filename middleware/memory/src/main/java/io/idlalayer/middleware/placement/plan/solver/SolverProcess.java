package io.idlalayer.middleware.placement.plan.solver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a program solved by a child process. The process may take a bounded time and a bounded part
 * of the address space, runs at a low priority, is the first that the operating system ends when
 * memory is short, and ends with this process. Request and answer are files in a folder of its own,
 * which is deleted with it. Any thread.
 *
 * <p>An answer is accepted only if it is complete and belongs to this request, its values keep
 * every constraint, and their cost is the one that it claims.
 */
public final class SolverProcess {
  /** Main class of the solver's jar. */
  static final String MAIN = "io.idlalayer.middleware.solver.SolverMain";

  /** Exit status of the shell if it cannot limit the memory of a process. */
  private static final int NO_LIMIT = 97;

  /** What the folder of the process takes the place of in a command. */
  static final String FOLDER = "{folder}";

  private static final int TAIL_BYTES = 2048;
  private static final double COST_TOLERANCE = 1e-4;
  private static final Duration END = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(SolverProcess.class);

  /** Arguments: KiB of address space, the niceness, then the command. */
  private static final String SHELL =
      "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; "
          + "ulimit -v \"$1\" 2>/dev/null || exit "
          + NO_LIMIT
          + "; n=$2; shift 2; exec nice -n \"$n\" \"$@\"";

  private final List<String> command;
  private final SolverLimits limits;
  private final Path temporary;

  /**
   * @param command command of the process, to which the files of the request and of the answer are
   *     added
   * @param temporary folder for the folders of processes
   */
  SolverProcess(List<String> command, SolverLimits limits, Path temporary) {
    this.command = List.copyOf(command);
    this.limits = limits;
    this.temporary = temporary;
  }

  /**
   * Returns a process of the jars in a folder.
   *
   * @param folder with {@code idlalayer-placement-solver} and what it needs
   */
  public static SolverProcess of(Path folder, SolverLimits limits) {
    return new SolverProcess(
        java(folder + "/*"), limits, Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** Returns the command of the solver's main class. */
  static List<String> java(String classPath) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:ReservedCodeCacheSize=32m",
        "-XX:CompressedClassSpaceSize=32m",
        // What it unpacks goes with its folder.
        "-Djava.io.tmpdir=" + FOLDER,
        "-cp",
        classPath,
        MAIN);
  }

  /**
   * Solves a program.
   *
   * @throws SolverFailedException if there is no answer that can be used
   * @throws InterruptedException if the thread is interrupted; the process has ended then, too
   */
  public SolverAnswer solve(SolverRequest request)
      throws SolverFailedException, InterruptedException {
    try (SolverWorkspace workspace = SolverWorkspace.create(temporary)) {
      byte[] bytes = request.encoded();
      Files.write(workspace.request(), bytes);
      run(request, workspace);
      SolverAnswer answer = read(request, workspace.answer());
      check(answer, request.program(), SolverAnswer.digest(bytes));
      return answer;
    } catch (IOException failed) {
      throw new SolverFailedException("the solver's files: " + failed, failed);
    }
  }

  private void run(SolverRequest request, SolverWorkspace workspace)
      throws IOException, SolverFailedException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", SHELL, "sh"));
    line.add(Long.toString(limits.memoryBytes() >> 10));
    line.add(Integer.toString(limits.niceness()));
    command.forEach(word -> line.add(word.replace(FOLDER, workspace.folder().toString())));
    line.add(workspace.request().toString());
    line.add(workspace.answer().toString());
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    // Options for this process, such as a port for a debugger, are not for that one.
    builder.environment().keySet().removeIf(name -> name.matches("(JAVA_TOOL|JDK_JAVA|_JAVA).*"));
    builder.environment().put("MALLOC_ARENA_MAX", "2");
    builder.directory(workspace.folder().toFile());
    Process process;
    try {
      process = builder.start();
    } catch (IOException failed) {
      throw new SolverFailedException("the solver could not be started: " + failed, failed);
    }
    Tail tail = new Tail(process.getInputStream());
    tail.start();
    boolean ended = false;
    double most = request.seconds() + limits.grace().toMillis() / 1e3;
    try {
      ended = process.waitFor((long) (most * 1e3), TimeUnit.MILLISECONDS);
    } finally {
      if (!ended) {
        end(process);
      }
    }
    if (!ended) {
      throw new SolverFailedException(
          String.format(Locale.ROOT, "the solver did not end within %.0f s", most) + tail.said());
    }
    if (process.exitValue() != 0) {
      throw new SolverFailedException(exit(process.exitValue()) + tail.said());
    }
  }

  private String exit(int status) {
    if (status == NO_LIMIT) {
      return "this system cannot limit the memory of the solver's process";
    }
    return "the solver ended with exit status %d; it may use %,d MiB of addresses"
        .formatted(status, limits.memoryBytes() >> 20);
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    boolean interrupted = Thread.interrupted();
    try {
      if (!process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the solver's process {} does not end", process.pid());
      }
    } catch (InterruptedException again) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static SolverAnswer read(SolverRequest request, Path file) throws SolverFailedException {
    try {
      long bytes = Files.size(file);
      if (bytes > SolverAnswer.mostBytes(request.program())) {
        throw new IOException("it has %,d bytes, too many".formatted(bytes));
      }
      return SolverAnswer.decode(Files.readAllBytes(file));
    } catch (java.nio.file.NoSuchFileException missing) {
      throw new SolverFailedException("the solver ended without an answer", missing);
    } catch (IOException damaged) {
      throw new SolverFailedException(
          "the solver's answer cannot be used: " + damaged.getMessage(), damaged);
    }
  }

  private static void check(SolverAnswer answer, IntegerProgram program, String digest)
      throws SolverFailedException {
    if (!answer.request().equals(digest)) {
      throw new SolverFailedException("the solver's answer is for another request");
    }
    if (!answer.solved()) {
      return;
    }
    String violation = program.violation(answer.values());
    if (violation != null) {
      throw new SolverFailedException("the solver's answer is no solution: " + violation);
    }
    double cost = program.cost(answer.values());
    if (!(Math.abs(cost - answer.cost()) <= COST_TOLERANCE * Math.max(1, Math.abs(cost)))) {
      throw new SolverFailedException(
          "the solver's answer costs %s, not %s as it says".formatted(cost, answer.cost()));
    }
  }

  /** The end of what a process prints. */
  private static final class Tail extends Thread {
    private final InputStream from;
    private final byte[] last = new byte[TAIL_BYTES];
    private int used;

    Tail(InputStream from) {
      super("solver-output");
      this.from = from;
      setDaemon(true);
    }

    @Override
    public void run() {
      byte[] read = new byte[TAIL_BYTES];
      try (from) {
        for (int count = from.read(read); count >= 0; count = from.read(read)) {
          add(read, count);
        }
      } catch (IOException ended) {
        LOG.debug("the solver's output ends", ended);
      }
    }

    private synchronized void add(byte[] read, int count) {
      int keep = Math.min(used, last.length - count);
      System.arraycopy(last, used - keep, last, 0, keep);
      System.arraycopy(read, 0, last, keep, count);
      used = keep + count;
    }

    /** Returns what was printed, for the end of a message; "" if nothing was. */
    String said() throws InterruptedException {
      join(END.toMillis());
      synchronized (this) {
        String text = new String(Arrays.copyOf(last, used), StandardCharsets.UTF_8).strip();
        String line = text.substring(text.lastIndexOf('\n') + 1);
        return line.isEmpty() ? "" : "; it said: " + line;
      }
    }
  }
}
