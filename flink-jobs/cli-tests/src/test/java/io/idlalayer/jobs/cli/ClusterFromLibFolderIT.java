package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster that starts from the lib folder, from which the build removes what it takes for unused.
 * Other tests start clusters with the class path of the tests, which has everything.
 */
final class ClusterFromLibFolderIT {
  private static final long SECONDS = 120;

  @TempDir Path folder;

  private void run(String... arguments) throws Exception {
    Path log = folder.resolve(arguments[1] + ".log");
    Process command = ChildRun.startFromLibFolder(log, arguments);
    assertThat(command.waitFor(SECONDS, TimeUnit.SECONDS)).as(ChildRun.tail(log)).isTrue();
    assertThat(command.exitValue()).as(ChildRun.tail(log)).isZero();
  }

  @AfterEach
  void stop() throws Exception {
    run("cluster", "stop", "--work-dir", folder.resolve("work").toString());
  }

  @Test
  void start_brokerAndFlink_areConnected() throws Exception {
    run("cluster", "start", "--work-dir", folder.resolve("work").toString());
    assertThat(folder.resolve("start.log")).content().contains("next: idla cluster submit");
  }
}
