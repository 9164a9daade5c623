package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.embedded.EmbeddedBroker.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process takes a port between its choice and the start of the broker. */
final class EmbeddedBrokerIT {
  @TempDir Path folder;

  @Test
  void start_portsThatAnotherTakesFirst_choosesOthersAndAnswers() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int taken = other.getLocalPort();
      Ports free = Ports.free(0);
      Deque<Ports> choices =
          new ArrayDeque<>(
              List.of(new Ports(taken, free.controller()), new Ports(free.broker(), taken), free));
      try (EmbeddedBroker broker = EmbeddedBroker.start(folder, "127.0.0.1", choices::remove);
          Admin admin =
              Admin.create(
                  Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers()))) {
        admin
            .createTopics(List.of(new NewTopic("events", 1, (short) 1)))
            .all()
            .get(30, TimeUnit.SECONDS);
        assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS)).contains("events");
      }
      assertThat(choices).isEmpty();
    }
  }

  @Test
  void start_eachPortIsTaken_endsAfterFiveChoicesAndNamesTheLast() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int taken = other.getLocalPort();
      AtomicInteger choices = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  EmbeddedBroker.start(
                          folder,
                          "127.0.0.1",
                          () -> {
                            choices.incrementAndGet();
                            return new Ports(taken, Ports.free(0).controller());
                          })
                      .close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("127.0.0.1:" + taken);
      assertThat(choices).hasValue(5);
    }
  }

  @Test
  void start_aFileInPlaceOfTheFolder_saysWhatIsWrongWithIt() throws Exception {
    Path log = Files.writeString(folder.resolve("kafka"), "a file in its place");
    assertThatThrownBy(() -> EmbeddedBroker.start(log, 0).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its log folder " + log + " cannot be used: ")
        .hasMessageContaining("start it again with the same command");
  }
}
