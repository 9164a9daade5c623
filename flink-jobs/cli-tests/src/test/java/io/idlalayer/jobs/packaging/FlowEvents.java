package io.idlalayer.jobs.packaging;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Events of the application {@code flow} that a test sends, and what was learned of them. */
final class FlowEvents {
  private final Path models;
  private int sent;

  /**
   * @param models folder of its models
   */
  FlowEvents(Path models) {
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
    try (ModelStore store = new ModelStore(models, InstantSource.system())) {
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
}
