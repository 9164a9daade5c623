package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three jobs run side by side on one Kafka: the first two share all topics but the input, the first
 * and the third read one input topic.
 */
final class JobsSharingTopicsIT {
  private static final int ROWS = 60;

  @TempDir Path folder;

  private ApplicationSettings application(String name, String topic, String prefix)
      throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        input: {topic: %s, format: csv, columns: [a, b, y], features: [a, b], label: y, classes: 2}
        model: {hidden: [4]}
        update: {rule: count, count: 20}
        kafka: {topic-prefix: %s}
        """
            .formatted(name, topic, prefix));
  }

  private Path rows(int from) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < from + ROWS; i++) {
      text.append(i).append(",1,").append(i % 2).append('\n');
    }
    return Files.writeString(folder.resolve("rows-" + from + ".csv"), text);
  }

  private Callable<RunView> job(
      ApplicationSettings application, Path file, String servers, FakeMonitor heard) {
    Path work = folder.resolve("work-" + application.name());
    return () -> FileRun.run(application, work, servers, file, Long.MAX_VALUE, heard).view();
  }

  @Test
  void run_jobsThatShareTopics_doNotDisturbOneAnother() throws Exception {
    ApplicationSettings first = application("first", "rows", "team-");
    ApplicationSettings samePrefix = application("same-prefix", "others", "team-");
    ApplicationSettings sameInput = application("same-input", "rows", "guests-");
    List<ApplicationSettings> all = List.of(first, samePrefix, sameInput);
    FakeMonitor heard = new FakeMonitor();
    ExecutorService threads = Executors.newFixedThreadPool(all.size());
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      List<Future<RunView>> runs = new ArrayList<>();
      for (ApplicationSettings each : all) {
        Path file = rows(1_000 * all.indexOf(each));
        runs.add(threads.submit(job(each, file, broker.bootstrapServers(), heard)));
      }
      for (int i = 0; i < all.size(); i++) {
        assertWhole(all.get(i), runs.get(i).get(5, TimeUnit.MINUTES));
      }
      assertThat(heard.of(DecisionEvent.Type.INPUT))
          .as("nothing was refused, nothing was lost")
          .isEmpty();
      assertNoDeadLetters(first, broker.bootstrapServers());
      assertNoDeadLetters(sameInput, broker.bootstrapServers());
    } finally {
      threads.shutdownNow();
    }
  }

  private void assertWhole(ApplicationSettings application, RunView view) throws Exception {
    String name = application.name();
    Status status = view.learners().get(0).status();
    assertThat(view.learners()).as(name).hasSize(1);
    assertThat(status.input().refusedControls()).as(name).isZero();
    assertThat(status.input().reread()).as(name).isZero();
    assertThat(status.samples().received())
        .as("%s has learned its own input, and may have seen another one", name)
        .isBetween((long) ROWS, name.equals("same-prefix") ? ROWS : 2L * ROWS);
    JsonNode balance = RunReport.of(view, 1).get("balance");
    assertThat(balance.get("lostOffsets").asLong()).as(name).isZero();
    assertThat(balance.get("accounted").asLong())
        .as("%s has its own events; some of another job's may still wait", name)
        .isBetween((long) ROWS, status.samples().received());
    ModelStore models =
        new ModelStore(folder.resolve("work-" + name).resolve("models"), InstantSource.system());
    assertThat(models.applications().keySet()).containsExactly(name);
    Map<String, Long> counts = models.current(name, 0).orElseThrow().manifest().counts();
    // Between its end and its stop a job may have trained on more events of another one.
    assertThat(counts.get("trainedNewSamples"))
        .as("%s has published what it says it has trained", name)
        .isBetween(status.trainedNewSamples(), 2L * ROWS);
  }

  private static void assertNoDeadLetters(ApplicationSettings application, String servers)
      throws Exception {
    TopicPartition letters = new TopicPartition(application.kafka().deadLettersTopic(), 0);
    try (Admin admin = Admin.create(KafkaClients.admin(application.kafka(), servers))) {
      assertThat(
              admin
                  .listOffsets(Map.of(letters, OffsetSpec.latest()))
                  .partitionResult(letters)
                  .get()
                  .offset())
          .isZero();
    }
  }
}
