package io.idlalayer.middleware.placement.plan.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.plan.solver.IntegerProgram.Sum;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Solvers that fail in every way: shell scripts whose arguments are the request and the answer. */
class SolverProcessTest {
  private static final SolverLimits LIMITS = new SolverLimits(1L << 30, Duration.ofSeconds(30), 0);

  @TempDir Path prepared;
  @TempDir Path temporary;

  /** The least of 2 x + 3 y with x + y of at least 1, and whole numbers: x is 1. */
  private static SolverRequest request(double seconds) {
    IntegerProgram.Builder builder = new IntegerProgram.Builder();
    int x = builder.choice(2);
    int y = builder.choice(3);
    builder.row(1, new Sum().plus(1, x).plus(1, y), Double.POSITIVE_INFINITY);
    return new SolverRequest(builder.build(), new double[0], seconds, 0, 1);
  }

  private static SolverAnswer answer(double cost, double... values) throws IOException {
    String digest = SolverAnswer.digest(request(1).encoded());
    return new SolverAnswer(digest, "fake", State.OPTIMAL, "", cost, cost, values);
  }

  private SolverProcess process(SolverLimits limits, String script) {
    List<String> command = List.of("/bin/sh", "-c", script, "fake");
    return new SolverProcess(command, limits, temporary);
  }

  private SolverProcess answering(byte[] answer, String then) throws IOException {
    Path file = Files.write(prepared.resolve("answer"), answer);
    return process(LIMITS, "cat '%s' > \"$2\"; %s".formatted(file, then));
  }

  private SolverAnswer solve(SolverProcess process)
      throws SolverFailedException, InterruptedException {
    return process.solve(request(1));
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void solve_soundAnswer_isReturned() throws Exception {
    SolverAnswer answer = solve(answering(answer(2, 1, 0).encoded(), "exit 0"));
    assertThat(answer.solver()).isEqualTo("fake");
    assertThat(answer.values()).containsExactly(1, 0);
  }

  @Test
  void solve_processThatIsKilledWithinItsAnswer_saysHowItEnded() throws Exception {
    byte[] whole = answer(2, 1, 0).encoded();
    for (int bytes : new int[] {0, 1, 19, 20, 60, whole.length - 1, whole.length}) {
      Path file = Files.write(prepared.resolve("whole"), whole);
      String script = "head -c %d '%s' > \"$2\"; kill -9 $$".formatted(bytes, file);
      assertThatThrownBy(() -> solve(process(LIMITS, script)))
          .isInstanceOf(SolverFailedException.class)
          .hasMessageContaining("exit status 137");
    }
  }

  @Test
  void solve_partOfAnAnswer_isRefused() throws Exception {
    byte[] whole = answer(2, 1, 0).encoded();
    byte[] part = Arrays.copyOf(whole, whole.length - 1);
    assertThatThrownBy(() -> solve(answering(part, "exit 0")))
        .hasMessageContaining("answer cannot be used: it has");
  }

  @Test
  void solve_garbage_isRefused() throws Exception {
    assertThatThrownBy(() -> solve(answering(new byte[64], "exit 0")))
        .hasMessageContaining("it does not begin as such a file does");
  }

  @Test
  void solve_endlessAnswer_isRefused() {
    String script = "head -c 3000000 /dev/zero > \"$2\"";
    assertThatThrownBy(() -> solve(process(LIMITS, script))).hasMessageContaining("too many");
  }

  @Test
  void solve_noAnswer_isRefused() {
    assertThatThrownBy(() -> solve(process(LIMITS, "echo nothing")))
        .hasMessage("the solver ended without an answer");
  }

  @Test
  void solve_answerForAnotherRequest_isRefused() throws Exception {
    SolverProcess process = answering(answer(2, 1, 0).encoded(), "exit 0");
    assertThatThrownBy(() -> process.solve(request(2)))
        .hasMessage("the solver's answer is for another request");
  }

  @Test
  void solve_valuesThatBreakARow_areRefused() throws Exception {
    assertThatThrownBy(() -> solve(answering(answer(0, 0, 0).encoded(), "exit 0")))
        .hasMessageContaining("no solution: row 0 is 0.0");
    assertThatThrownBy(() -> solve(answering(answer(2.5, 0.5, 0.5).encoded(), "exit 0")))
        .hasMessageContaining("variable 0 is 0.5, which is no whole number");
    assertThatThrownBy(() -> solve(answering(answer(4, 2, 0).encoded(), "exit 0")))
        .hasMessageContaining("variable 0 is 2.0, not within 0.0 and 1.0");
    assertThatThrownBy(() -> solve(answering(answer(2, Double.NaN, 1).encoded(), "exit 0")))
        .hasMessageContaining("variable 0 is NaN");
    assertThatThrownBy(() -> solve(answering(answer(2, 1).encoded(), "exit 0")))
        .hasMessageContaining("there are 1 values for 2 variables");
  }

  @Test
  void solve_costThatIsNotThatOfTheValues_isRefused() throws Exception {
    assertThatThrownBy(() -> solve(answering(answer(1, 1, 0).encoded(), "exit 0")))
        .hasMessageContaining("costs 2.0, not 1.0 as it says");
  }

  @Test
  void solve_processThatHangs_isEnded() {
    SolverLimits little = new SolverLimits(1L << 30, Duration.ofMillis(100), 0);
    SolverProcess process = process(little, "echo $$ > '%s/pid'; sleep 600".formatted(prepared));
    assertThatThrownBy(() -> process.solve(request(0.2)))
        .hasMessageContaining("the solver did not end within");
  }

  @Test
  void solve_processWithoutEnoughMemory_saysWhatItMayUse() {
    SolverLimits little = new SolverLimits(64L << 20, Duration.ofSeconds(30), 0);
    assertThatThrownBy(() -> solve(process(little, "dd if=/dev/zero of=/dev/null bs=200M count=1")))
        .hasMessageContaining("it may use 64 MiB of addresses");
  }

  @Test
  void solve_missingProgram_isSaid() {
    SolverProcess missing = new SolverProcess(List.of("/does/not/exist"), LIMITS, temporary);
    assertThatThrownBy(() -> solve(missing))
        .hasMessageContaining("exit status 127")
        .hasMessageContaining("/does/not/exist");
  }

  @Test
  void solve_muchOutput_endsWithItsLastLine() {
    String script = "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo the last line; exit 5";
    assertThatThrownBy(() -> solve(process(LIMITS, script)))
        .hasMessageContaining("exit status 5")
        .hasMessageEndingWith("; it said: the last line");
  }

  @Test
  void solve_interruptedThread_endsTheProcess() throws Exception {
    Path pid = prepared.resolve("pid");
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                solve(process(LIMITS, "echo $$ > '%s'; exec sleep 600".formatted(pid)));
              } catch (SolverFailedException | InterruptedException ended) {
                thrown.set(ended);
              }
            });
    thread.start();
    Awaitility.await().until(() -> Files.exists(pid) && Files.size(pid) > 1);
    ProcessHandle child = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).get();
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(child.onExit().get(30, TimeUnit.SECONDS).isAlive()).isFalse();
  }

  @Test
  void solve_environmentForThisProcess_isNotPassedOn() throws Exception {
    String script = "env | grep -c -E '^(JAVA_TOOL|JDK_JAVA)_OPTIONS=' ; exit 4";
    assertThatThrownBy(() -> solve(process(LIMITS, script))).hasMessageEndingWith("it said: 0");
  }
}
