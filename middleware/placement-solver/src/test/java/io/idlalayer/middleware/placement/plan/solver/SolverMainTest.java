package io.idlalayer.middleware.placement.plan.solver;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main class of the solver, without its natives. */
class SolverMainTest {
  private static final long MOST_SECONDS = 120;

  @TempDir Path folder;

  private Process start(Path request) throws IOException {
    List<String> command =
        new ArrayList<>(SolverProcess.java(System.getProperty("java.class.path")));
    command.replaceAll(word -> word.replace(SolverProcess.FOLDER, folder.toString()));
    command.add(request.toString());
    command.add(folder.resolve("answer").toString());
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static int status(Process process) throws InterruptedException {
    assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  /** A request that never comes keeps the solver waiting. */
  @Test
  void main_processThatStartedItIsGone_ends() throws Exception {
    Path request = folder.resolve("request");
    assertThat(status(new ProcessBuilder("mkfifo", request.toString()).start())).isZero();
    Process solver = start(request);
    solver.getOutputStream().close();
    assertThat(status(solver)).isEqualTo(3);
  }

  @Test
  void main_damagedRequest_answersWhatIsWrong() throws Exception {
    byte[] damaged = new byte[30];
    assertThat(status(start(Files.write(folder.resolve("request"), damaged)))).isZero();
    SolverAnswer answer = SolverAnswer.decode(Files.readAllBytes(folder.resolve("answer")));
    assertThat(answer.state()).isEqualTo(State.FAILED);
    assertThat(answer.request()).isEqualTo(SolverAnswer.digest(damaged));
    assertThat(answer.message())
        .isEqualTo("java.io.IOException: it does not begin as such a file does");
  }

  @Test
  void main_missingRequest_fails() throws Exception {
    Process solver = start(folder.resolve("missing"));
    String said = new String(solver.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(status(solver)).isEqualTo(1);
    assertThat(said).contains("NoSuchFileException");
    assertThat(folder.resolve("answer")).doesNotExist();
  }
}
