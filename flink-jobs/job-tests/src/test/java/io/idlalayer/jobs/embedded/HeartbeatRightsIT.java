package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import io.idlalayer.middleware.models.kafka.Heartbeats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics of heartbeats that may not be read, beside one that may. */
final class HeartbeatRightsIT {
  @TempDir Path folder;

  /** A broker that everybody may use as no rule forbids. */
  private EmbeddedBroker start() throws IOException {
    return ConfiguredBroker.start(
        folder.resolve("kafka"),
        Map.of(
            "authorizer.class.name",
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "allow.everyone.if.no.acl.found",
            "true"));
  }

  private static AclBinding denied(String topic, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:ANONYMOUS", "*", operation, AclPermissionType.DENY));
  }

  private static AclBinding allowed(String topic, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:ANONYMOUS", "*", operation, AclPermissionType.ALLOW));
  }

  @Test
  void topicsThatMayNotBeRead_areLeftOutAndSaid() throws Exception {
    try (EmbeddedBroker broker = start()) {
      Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (Admin admin = Admin.create(client)) {
        admin
            .createTopics(
                List.of(
                    new NewTopic("a-described", 1, (short) 1),
                    new NewTopic("b-hidden", 1, (short) 1),
                    new NewTopic("c-open", 1, (short) 1)))
            .all()
            .get(1, TimeUnit.MINUTES);
        admin
            .createAcls(
                List.of(
                    allowed("a-described", AclOperation.DESCRIBE),
                    denied("b-hidden", AclOperation.DESCRIBE)))
            .all()
            .get(1, TimeUnit.MINUTES);
      }
      try (KafkaProducer<byte[], byte[]> producer = TopicBytes.producer(client)) {
        var heartbeat = Heartbeats.of("web-1", 5);
        byte[] key = heartbeat.key().getBytes(StandardCharsets.UTF_8);
        producer
            .send(new ProducerRecord<>("c-open", key, Heartbeats.encoded(heartbeat)))
            .get(1, TimeUnit.MINUTES);
      }
      try (HeartbeatSource source =
          new HeartbeatSource(client, List.of("a-described", "b-hidden", "c-open", "d-absent"))) {
        List<HeartbeatSource.Heard> heard = new ArrayList<>();
        for (int i = 0; i < 300 && (heard.isEmpty() || source.problems().size() < 3); i++) {
          heard.addAll(source.poll(Duration.ofMillis(100)));
        }
        source.check();
        assertThat(heard).hasSize(1);
        assertThat(source.caughtUp()).isTrue();
        assertThat(source.problems())
            .containsOnlyKeys("a-described", "b-hidden", "d-absent")
            .containsEntry(
                "b-hidden",
                "topic b-hidden may not be read: grant the rights to read and to describe it")
            .hasEntrySatisfying("d-absent", it -> assertThat(it).contains("there is no topic"));
      }
      assertThatThrownBy(() -> new HeartbeatSource(client, List.of("b-hidden")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("topic b-hidden may not be read");
    }
  }
}
