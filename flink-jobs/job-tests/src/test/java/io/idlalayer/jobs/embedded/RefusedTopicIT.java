package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.CreateTopicPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that refuses to make some of the topics. */
final class RefusedTopicIT {
  @TempDir Path folder;

  /** Refuses topics of which the names say so. */
  public static final class FewTopics implements CreateTopicPolicy {
    @Override
    public void validate(RequestMetadata request) {
      if (request.topic().endsWith("subscribers") || request.topic().startsWith("refused")) {
        throw new PolicyViolationException("no topic " + request.topic() + " here");
      }
    }

    @Override
    public void configure(Map<String, ?> settings) {
      // There is nothing to settle.
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }

  private EmbeddedBroker start() throws IOException {
    return ConfiguredBroker.start(
        folder.resolve("kafka"),
        Map.of("create.topic.policy.class.name", FewTopics.class.getName()));
  }

  private List<ApplicationSettings> application(String name) throws Exception {
    return List.of(
        ApplicationFiles.read(
            folder.resolve(name + ".yaml"),
            """
            name: %s
            input: {format: csv, columns: [a, label], features: [a], label: label, classes: 2}
            """
                .formatted(name)));
  }

  @Test
  void ensure_topicOfHeartbeatsRefused_makesTheOthers() throws Exception {
    try (EmbeddedBroker broker = start()) {
      String servers = broker.bootstrapServers();
      Topics.ensure(application("app"), servers);
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
        Set<String> made = admin.listTopics().names().get(1, TimeUnit.MINUTES);
        assertThat(made).contains("app-models", "app-status").doesNotContain("app-subscribers");
      }
      assertThatThrownBy(() -> Topics.ensure(application("refused"), servers))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("here");
    }
  }
}
