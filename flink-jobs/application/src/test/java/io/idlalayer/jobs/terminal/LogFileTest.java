package io.idlalayer.jobs.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.testkit.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Log lines of a process of its own, since a process configures its loggers once. */
final class LogFileTest {
  @TempDir Path folder;

  /** Logs as libraries and our own classes do: first without a work directory, then with one. */
  static final class Logging {
    private Logging() {}

    public static void main(String[] args) {
      if (args.length > 0) {
        LogFile.begin(null);
        say("before the work directory is known");
        LogFile.in(Path.of(args[0]));
      }
      say("after");
    }

    private static void say(String when) {
      LoggerFactory.getLogger("org.apache.kafka.controller.QuorumController")
          .error("processExpiredBrokerHeartbeat {}", when);
      LoggerFactory.getLogger("org.apache.flink.runtime.taskmanager.Task")
          .warn("a task failed {}", when);
      LoggerFactory.getLogger("io.idlalayer.jobs.Ours").warn("the cache stays smaller {}", when);
    }
  }

  @Test
  void in_aWorkDirectory_librariesLogToItsFileAndWeToTheConsole() throws Exception {
    ChildProcess child = ChildProcess.start(Logging.class, folder.toString());
    String console = child.end();
    assertThat(console).contains("the cache stays smaller after").doesNotContain("Heartbeat");
    assertThat(Files.readString(folder.resolve("logs/idla.log")))
        .contains("processExpiredBrokerHeartbeat after")
        .contains("a task failed after")
        .doesNotContain("before", "cache");
  }

  @Test
  void withoutAFile_everythingIsOnTheConsole_asInAClustersProcesses() throws Exception {
    ChildProcess child = ChildProcess.start(Logging.class);
    assertThat(child.end())
        .contains("processExpiredBrokerHeartbeat after", "a task failed after", "stays smaller");
  }

  /** Logs many lines to a file that cannot be made. */
  static final class Unwritable {
    private Unwritable() {}

    public static void main(String[] args) {
      LogFile.begin(args[0]);
      for (int i = 0; i < 20; i++) {
        Logging.say("line " + i);
      }
    }
  }

  @Test
  void begin_aLogThatCannotBeWritten_isOneSentenceInsteadOfStackTraces() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "no folder").resolve("idla.log");
    ChildProcess child = ChildProcess.start(Unwritable.class, file.toString());
    String console = child.end();
    assertThat(console.lines().filter(line -> line.startsWith("warning: the log of Kafka")))
        .singleElement()
        .asString()
        .contains(file.toString(), "goes on without it");
    assertThat(console).doesNotContain("\tat ", "Exception:", "ERROR ");
    assertThat(console.lines().filter(line -> line.contains("the cache stays smaller")))
        .hasSize(20);
  }
}
