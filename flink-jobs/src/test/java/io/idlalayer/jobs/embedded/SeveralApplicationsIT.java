package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.checkpoint.ModelStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One job, a broker of its own, two applications: a regression, and a classifier of two partitions.
 */
final class SeveralApplicationsIT {
  @TempDir Path folder;

  private ApplicationSettings application(String name, String rest, String tensors)
      throws Exception {
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(
        file,
        """
        name: %s
        input: {format: csv, columns: [a, b, y], features: [a, b], label: y, %s
        training: {epochs: 8, learning-rate: 0.01}
        update: {rule: count, count: 300}
        memory: {hot-bytes: 128MiB, hot-plan: on, tensors: {fast-bytes: %s}}
        selection: {newborns: open}
        """
            .formatted(name, rest, tensors));
    return ApplicationFileReader.read(file, variable -> null);
  }

  private Path rows(String name, int count, boolean regression) throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      double a = random.nextDouble() * 10;
      double b = random.nextDouble() * 10;
      String y =
          regression ? String.format(Locale.ROOT, "%.4f", 100 + 3 * a - b) : a > b ? "1" : "0";
      text.append(String.format(Locale.ROOT, "%.6f,%.6f,%s%n", a, b, y));
    }
    Path file = folder.resolve(name + ".csv");
    Files.writeString(file, text.append("1,2\n"));
    return file;
  }

  private static void produce(ApplicationSettings application, Path file, String servers)
      throws Exception {
    try (var reader = Inputs.open(file, application)) {
      new InputProducer(application, servers)
          .send(reader, new InputProducer.Request("rows", Long.MAX_VALUE, 0, true));
    }
  }

  @Test
  void eachLearnsItsOwn() throws Exception {
    ApplicationSettings regression = application("slope", "task: regression}", "0");
    ApplicationSettings classes = application("side", "classes: 2}\npartitions: 2", "1MiB");
    List<ApplicationSettings> both = List.of(regression, classes);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(both, servers);
      produce(regression, rows("slope", 2_000, true), servers);
      produce(classes, rows("side", 2_000, false), servers);
      boolean[] done = {false};
      RunMonitor monitor =
          new RunMonitor() {
            @Override
            public void phase(String text) {}

            @Override
            public void event(RunView view, DecisionEvent event) {
              done[0] = view.allFinished(3);
            }

            @Override
            public void tick(RunView view) {}
          };
      Path work = folder.resolve("work");
      EmbeddedRun.Outcome outcome =
          new EmbeddedRun(new EmbeddedRun.Plan(both, work, servers, null), monitor)
              .run(() -> done[0]);
      var report = RunReport.of(outcome.view(), 1);
      assertThat(report.get("balance").get("holds").asBoolean()).as(report.toString()).isTrue();
      assertThat(report.get("samples").get("received").asLong()).isEqualTo(4_002);
      assertThat(report.get("samples").get("malformed").asLong()).isEqualTo(2);
      assertThat(report.get("applications")).hasSize(2);
      for (RunView.Learner learner : outcome.view().learners()) {
        boolean placed = learner.application().equals("side");
        assertThat(learner.updates())
            .isNotEmpty()
            .allMatch(update -> (update.tensors() != null) == placed)
            .allMatch(update -> !placed || update.tensors().hits() > 0);
      }
      ModelStore models = new ModelStore(work.resolve("models"), InstantSource.system());
      assertThat(models.applications().get("side")).containsExactly(0, 1);
      assertThat(models.current("slope", 0)).isPresent();
      double error =
          outcome.view().learners().stream()
              .filter(learner -> learner.application().equals("slope"))
              .findFirst()
              .orElseThrow()
              .updates()
              .stream()
              .mapToDouble(update -> update.meanLossAfter())
              .min()
              .orElseThrow();
      assertThat(error).as("squared error, the target's variance is about 83").isLessThan(40);
    }
  }
}
