package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.EventHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** How far an input is in its topic already, read from the last record of each partition. */
final class InputProgress {
  /** Most requests to train that may follow the last record. */
  private static final int REQUESTS = 64;

  private static final String ENDED = "end";
  private static final Duration WAIT = Duration.ofSeconds(15);
  private static final int POLLS = 5;

  private final String name;
  private final long[] lastSent;
  private final boolean[] ended;

  private InputProgress(String name, int partitions) {
    this.name = name;
    lastSent = new long[partitions];
    ended = new boolean[partitions];
  }

  static InputProgress of(ApplicationSettings application, String servers, String name)
      throws IOException {
    String topic = application.input().topic();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            KafkaClients.consumer(application.kafka(), servers),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      int partitions = consumer.partitionsFor(topic, WAIT).size();
      if (partitions == 0) {
        throw new IOException("topic " + topic + " does not exist at " + servers);
      }
      InputProgress progress = new InputProgress(name, partitions);
      List<TopicPartition> all =
          IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList();
      Map<TopicPartition, Long> ends = consumer.endOffsets(all, WAIT);
      for (TopicPartition partition : all) {
        progress.readLast(consumer, partition, ends.getOrDefault(partition, 0L));
      }
      return progress;
    } catch (KafkaException refused) {
      throw new IOException(
          "cannot read how far topic %s at %s is: %s"
              .formatted(topic, servers, refused.getMessage()),
          refused);
    }
  }

  private void readLast(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long end) {
    if (end == 0) {
      return;
    }
    consumer.assign(List.of(partition));
    consumer.seek(partition, Math.max(0, end - REQUESTS));
    for (int i = 0; i < POLLS && consumer.position(partition) < end; i++) {
      for (ConsumerRecord<byte[], byte[]> record :
          consumer.poll(WAIT.dividedBy(POLLS)).records(partition)) {
        // A request to train is not a record of any input.
        if (record.headers().lastHeader(EventHeaders.TRAIN) == null) {
          take(partition.partition(), record);
        }
      }
    }
  }

  private void take(int partition, ConsumerRecord<byte[], byte[]> last) {
    ended[partition] = false;
    lastSent[partition] = 0;
    Header source = last.headers().lastHeader(EventHeaders.SOURCE);
    if (source == null) {
      return;
    }
    String text = new String(source.value(), StandardCharsets.UTF_8);
    int at = text.lastIndexOf('#');
    if (at < 0 || !text.substring(0, at).equals(name)) {
      return;
    }
    String number = text.substring(at + 1);
    ended[partition] = number.equals(ENDED);
    lastSent[partition] = ended[partition] ? Long.MAX_VALUE : Long.parseLong(number);
  }

  String name() {
    return name;
  }

  int partitions() {
    return lastSent.length;
  }

  /** Number of the last record of this input in a partition; 0 for none, all if it has ended. */
  long lastSent(int partition) {
    return lastSent[partition];
  }

  List<Integer> partitionsWithoutEnd() {
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < ended.length; i++) {
      if (!ended[i]) {
        open.add(i);
      }
    }
    return open;
  }
}
