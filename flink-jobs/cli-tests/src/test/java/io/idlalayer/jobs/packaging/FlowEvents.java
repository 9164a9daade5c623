package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Events of the application {@code flow} that a test sends, and what was learned of them. */
final class FlowEvents {
  private final String models;
  private int sent;

  /**
   * @param models folder of its models
   */
  FlowEvents(Path models) {
    this(models.toString());
  }

  /**
   * @param models where its models are published
   */
  FlowEvents(String models) {
    this.models = models;
  }

  int sent() {
    return sent;
  }

  /** Sends some more events to its topic. */
  void send(String servers, int count) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int end = sent + count; sent < end; sent++) {
        String event =
            String.format(
                Locale.ROOT, "{\"a\": %d, \"b\": %d, \"y\": \"%d\"}", sent, sent % 7, sent % 2);
        producer
            .send(new ProducerRecord<>("flow-samples", event.getBytes(StandardCharsets.UTF_8)))
            .get();
      }
    }
  }

  List<ModelManifest> manifests() throws IOException {
    try (ModelStore store =
        ModelStore.open(models, InstantSource.system(), PublisherIdentity.ofThisProcess())) {
      return store.list("flow", 0).stream().map(it -> it.manifest()).toList();
    }
  }

  /** Returns how many events the newest version has learned. */
  long trained() throws IOException {
    List<ModelManifest> all = manifests();
    return all.isEmpty()
        ? 0
        : all.get(all.size() - 1).counts().getOrDefault("trainedNewSamples", 0L);
  }

  /** Returns whether a checkpoint has all events that were sent. */
  boolean checkpointed(String servers) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      Map<TopicPartition, OffsetAndMetadata> committed =
          admin.listConsumerGroupOffsets("idla-flow").partitionsToOffsetAndMetadata().get();
      return committed.entrySet().stream()
              .filter(it -> it.getKey().topic().equals("flow-samples"))
              .mapToLong(it -> it.getValue().offset())
              .sum()
          == sent;
    }
  }

  /** Checks that each version continues the one before, and that each event was learned once. */
  void checkOneLine() throws IOException {
    long version = 0;
    for (ModelManifest manifest : manifests()) {
      assertThat(manifest.version()).isEqualTo(version + 1);
      assertThat(manifest.parentVersion()).isEqualTo(version);
      assertThat(manifest.attributes()).doesNotContainKey("branch");
      version = manifest.version();
    }
    assertThat(trained()).as("events learned").isEqualTo(sent);
  }

  /**
   * Checks that each event was learned once along the newest version and those before it. A kill
   * may leave versions beside them: what was trained since the last checkpoint is trained again.
   */
  void checkNewestLine() throws IOException {
    List<ModelManifest> all = manifests();
    assertThat(trained()).as("events learned").isEqualTo(sent);
    long learned = 0;
    Optional<ModelManifest> next = Optional.of(all.get(all.size() - 1));
    while (next.isPresent()) {
      ModelManifest each = next.get();
      learned += each.counts().getOrDefault("newSamples", 0L);
      next = all.stream().filter(other -> other.version() == each.parentVersion()).findFirst();
    }
    assertThat(learned).as("new events of all updates up to the newest version").isEqualTo(sent);
  }
}
