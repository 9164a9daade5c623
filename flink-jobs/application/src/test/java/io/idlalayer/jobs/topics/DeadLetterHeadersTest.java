package io.idlalayer.jobs.topics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

final class DeadLetterHeadersTest {
  private static final DeadLetter LETTER =
      new DeadLetter("clicks", "events", 3, 17, "price: missing", "in.csv#4", new byte[] {1}, 9);

  private static ConsumerRecord<byte[], byte[]> record(Map<String, String> headers) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>("letters", 0, 0, null, new byte[] {1});
    headers.forEach(
        (name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    return record;
  }

  @Test
  void letter_writtenAndRead_isEqual() {
    ConsumerRecord<byte[], byte[]> record = record(Map.of());
    DeadLetterHeaders.add(record.headers(), LETTER);
    assertThat(DeadLetterHeaders.read(record)).usingRecursiveComparison().isEqualTo(LETTER);
    assertThat(EventHeaders.text(record.headers(), "__connect.errors.topic")).isEqualTo("events");
    assertThat(EventHeaders.text(record.headers(), "__connect.errors.exception.message"))
        .isEqualTo("price: missing");
    assertThat(EventHeaders.text(record.headers(), "__streams.errors.offset")).isEqualTo("17");
    assertThat(EventHeaders.text(record.headers(), "__streams.errors.exception"))
        .endsWith("MalformedSampleException");
  }

  @Test
  void letter_ofConnectOrStreams_isRead() {
    for (String prefix : new String[] {"__connect.errors.", "__streams.errors."}) {
      String message = prefix.contains("connect") ? "exception.message" : "message";
      DeadLetter read =
          DeadLetterHeaders.read(
              record(
                  Map.of(
                      prefix + "topic",
                      "theirs",
                      prefix + "partition",
                      "2",
                      prefix + "offset",
                      "5",
                      prefix + message,
                      "no JSON",
                      "__connect.errors.connector.name",
                      "sink")));
      assertThat(read.topic()).isEqualTo("theirs");
      assertThat(read.partition()).isEqualTo(2);
      assertThat(read.offset()).isEqualTo(5);
      assertThat(read.reason()).isEqualTo("no JSON");
      assertThat(read.application()).as("a connector is no application").isEmpty();
    }
  }

  @Test
  void letter_withDamagedHeaders_isReadWithoutThem() {
    DeadLetter read = DeadLetterHeaders.read(record(Map.of("idla-offset", "many")));
    assertThat(read.offset()).isEqualTo(-1);
    assertThat(read.topic()).isEmpty();
  }
}
