package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class KafkaClientsTest {
  private static ApplicationSettings.Kafka kafka(Map<String, String> properties) {
    return new ApplicationSettings.Kafka("app-", properties);
  }

  @Test
  void eventsOfAbortedTransactionsAreNotRead_unlessTheFileSaysSo() {
    assertThat(KafkaClients.consumer(kafka(Map.of()), "s"))
        .containsEntry("isolation.level", "read_committed");
    assertThat(KafkaClients.consumer(kafka(Map.of("isolation.level", "read_uncommitted")), "s"))
        .containsEntry("isolation.level", "read_uncommitted");
  }

  @Test
  void aProducerOfLargeValues_takesThemWhateverTheFileSays() {
    Map<String, String> small = Map.of("max.request.size", "1000", "buffer.memory", "soon");
    Map<String, Object> properties = KafkaClients.producer(kafka(small), "s", 50 << 20);
    assertThat((int) properties.get("max.request.size")).isGreaterThan(50 << 20);
    assertThat((long) properties.get("buffer.memory")).isGreaterThan(100 << 20);
    // A buffer below one batch would refuse every record.
    Map<String, String> tiny = Map.of("buffer.memory", "200000");
    assertThat((long) KafkaClients.producer(kafka(tiny), "s", 1_000).get("buffer.memory"))
        .isGreaterThan(262_144);
    Map<String, String> large = Map.of("max.request.size", "200000000");
    assertThat(KafkaClients.producer(kafka(large), "s", 10))
        .containsEntry("max.request.size", 200_000_000);
  }

  @Test
  void requestsAreLargeAndWaitBriefly_unlessTheFileSaysOtherwise() {
    assertThat(KafkaClients.producer(kafka(Map.of()), "s"))
        .containsEntry("linger.ms", 10)
        .containsEntry("batch.size", 262_144);
    assertThat(KafkaClients.inputConsumer(kafka(Map.of()), "s"))
        .containsEntry("fetch.max.wait.ms", 20)
        .containsEntry("fetch.min.bytes", 65_536)
        .containsEntry("isolation.level", "read_committed");
    assertThat(KafkaClients.consumer(kafka(Map.of()), "s")).doesNotContainKey("fetch.min.bytes");
    Map<String, String> own =
        Map.of("linger.ms", "0", "fetch.max.wait.ms", "1", "max.poll.records", "7");
    assertThat(KafkaClients.producer(kafka(own), "s")).containsEntry("linger.ms", "0");
    assertThat(KafkaClients.eventProducer(kafka(own), "s", 9)).containsEntry("linger.ms", "0");
    assertThat(KafkaClients.eventProducer(kafka(Map.of()), "s", 9)).containsEntry("linger.ms", 250);
    assertThat(KafkaClients.inputConsumer(kafka(own), "s"))
        .containsEntry("fetch.max.wait.ms", "1")
        .containsEntry("max.poll.records", "7");
  }

  @Test
  void controlTopic_hasThePrefixOfTheOthers() {
    assertThat(kafka(Map.of()).controlTopic()).isEqualTo("app-control");
  }
}
