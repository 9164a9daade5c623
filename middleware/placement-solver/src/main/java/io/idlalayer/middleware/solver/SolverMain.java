package io.idlalayer.middleware.solver;

import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
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
  private static final int ABANDONED = 3;

  private SolverMain() {}

  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      throw new IllegalArgumentException("arguments: REQUEST-FILE ANSWER-FILE");
    }
    Thread parent = new Thread(() -> endWith(System.in), "parent");
    parent.setDaemon(true);
    parent.start();
    SolverAnswer answer = answer(Files.readAllBytes(Path.of(args[0])));
    Files.write(Path.of(args[1]), answer.encoded());
    // Not exit: threads of native code must not keep this process.
    Runtime.getRuntime().halt(0);
  }

  private static SolverAnswer answer(byte[] request) {
    String digest = SolverAnswer.digest(request);
    try {
      SolverRequest decoded = SolverRequest.decode(request);
      LinearSolver.load();
      return LinearSolver.solve(decoded, digest, List.of(LinearSolver.values()), System::nanoTime);
    } catch (IOException | RuntimeException | Error failed) {
      return SolverAnswer.without(digest, "", State.FAILED, String.valueOf(failed));
    }
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
