package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The end of a run that is asked to end while Flink and the embedded broker start. The request is
 * SIGTERM, which a run takes as it takes Ctrl-C: shells let some of their children ignore SIGINT.
 */
final class StopDuringStartIT {
  @TempDir Path folder;

  @Test
  void demo_endedWhileItStarts_leavesASavepoint() throws Exception {
    Path log = folder.resolve("demo.log");
    Path work = folder.resolve("work");
    Process demo = ChildRun.start(log, "demo", "--no-console", "--work-dir", work.toString());
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> Files.readString(log).contains("starting Flink and the embedded broker"));
      demo.destroy();
      assertThat(demo.waitFor(2, TimeUnit.MINUTES)).as(ChildRun.tail(log)).isTrue();
    } finally {
      demo.destroyForcibly().waitFor();
    }
    assertThat(demo.exitValue()).as(ChildRun.tail(log)).isZero();
    assertThat(Files.readString(log)).contains("stopped").doesNotContain("error");
    Path savepoints = work.resolve("checkpoints/demo/run-000001/savepoints");
    try (Stream<Path> found = Files.list(savepoints)) {
      assertThat(found).hasSize(1);
    }
  }
}
