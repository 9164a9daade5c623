package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.testkit.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that ends its process, in a process of its own. */
final class BrokerEndIT {
  @TempDir Path folder;

  /** A process with a broker that runs until the broker ends it. */
  static final class Broker {
    private Broker() {}

    public static void main(String[] args) throws Exception {
      EmbeddedBroker broker = EmbeddedBroker.start(Path.of(args[0]), 0);
      System.out.println("at " + broker.bootstrapServers());
      new CountDownLatch(1).await();
    }
  }

  @Test
  void halt_aFileInPlaceOfTheLogFolder_isOneSentenceAndExitCode1() throws Exception {
    Path log = folder.resolve("kafka");
    try (ChildProcess child = ChildProcess.start(Broker.class, log.toString())) {
      String servers = child.line();
      while (!servers.startsWith("at ")) {
        servers = child.line();
      }
      Files.move(log, folder.resolve("away"));
      Files.writeString(log, "a file in its place");
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers.substring(3)))) {
        admin.createTopics(List.of(new NewTopic("new", Optional.of(1), Optional.empty())));
        assertThat(child.end().lines().filter(line -> line.startsWith("error: ")))
            .singleElement()
            .asString()
            .startsWith(
                "error: the embedded broker has ended this process, because its log folder "
                    + log
                    + " cannot be used: it is not there; bring it back or mount it");
        assertThat(child.exitCode()).isOne();
      }
    }
  }
}
