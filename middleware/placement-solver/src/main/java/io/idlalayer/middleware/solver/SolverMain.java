package io.idlalayer.middleware.solver;

import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads a request, solves it, and writes the answer. Arguments: the file of the request, and the
 * file of the answer. Ends when the process that started it ends, whose pipe is its standard input.
 *
 * <p>Exit codes: 0 if there is an answer, also one that says why there is no solution; 1 if not; 3
 * if the other process has ended.
 */
public final class SolverMain {
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int ABANDONED = 3;

  private SolverMain() {}

  public static void main(String[] args) {
    if (args.length != 2) {
      System.err.println("arguments: REQUEST-FILE ANSWER-FILE");
      System.exit(USAGE);
    }
    Thread parent = new Thread(() -> endWith(System.in), "parent");
    parent.setDaemon(true);
    parent.start();
    int status = 0;
    try {
      byte[] request = Files.readAllBytes(Path.of(args[0]));
      SolverRequest decoded = SolverRequest.decode(request);
      LinearSolver.load();
      SolverAnswer answer =
          LinearSolver.solve(
              decoded,
              SolverAnswer.digest(request),
              List.of(LinearSolver.values()),
              System::nanoTime);
      Files.write(Path.of(args[1]), answer.encoded());
    } catch (IOException | RuntimeException | Error failed) {
      System.err.println("the request could not be solved: " + failed);
      status = FAILED;
    }
    // Not exit: threads of native code must not keep this process.
    Runtime.getRuntime().halt(status);
  }

  private static void endWith(InputStream pipe) {
    try {
      while (pipe.read() >= 0) {
        // The other process writes nothing.
      }
    } catch (IOException ended) {
      // As at the end of the pipe.
    }
    Runtime.getRuntime().halt(ABANDONED);
  }
}
