package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asking a running application of two learners, over a real broker, for its samples. */
final class SamplesExplainIT {
  private static final int EVENTS = 600;
  private static final long WAIT_SECONDS = 300;

  @TempDir Path folder;
  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final IdlaRun idla = new IdlaRun();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final CountDownLatch trained = new CountDownLatch(EVENTS);

  @AfterEach
  void end() {
    background.shutdownNow();
  }

  /** Counts samples as their models are accepted. */
  private final class TrainedMonitor extends FakeMonitor {
    @Override
    public void event(RunView view, DecisionEvent event) {
      long sum =
          view.learners().stream().mapToLong(each -> each.status().trainedNewSamples()).sum();
      while (trained.getCount() > 0 && EVENTS - trained.getCount() < sum) {
        trained.countDown();
      }
    }
  }

  private int explain(Path application, String servers, String id, int seconds) {
    return idla.run(
        "samples explain", application, id, "--bootstrap-servers", servers, "--timeout", seconds);
  }

  private Path application() throws Exception {
    return Files.writeString(
        folder.resolve("side.yaml"),
        """
        name: side
        partitions: 2
        input: {format: csv, columns: [id, a, b, y], features: [a, b], label: y, classes: 2, id: id}
        update: {rule: count, count: 50, max-wait: 1s}
        selection: {score: rules}
        """);
  }

  private Path rows() throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      double a = random.nextDouble();
      double b = random.nextDouble();
      text.append(String.format(Locale.ROOT, "click-%d,%.6f,%.6f,%d%n", i, a, b, a > b ? 1 : 0));
    }
    return Files.writeString(folder.resolve("side.csv"), text);
  }

  @Test
  void explain_runningApplication_saysWhyASampleHasItsStage() throws Exception {
    Path file = application();
    ApplicationSettings side = ApplicationFileReader.read(file, name -> null);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(List.of(side), servers);
      new InputProducer(side, servers)
          .send(InputSource.file(rows(), side), new InputProducer.Request(Long.MAX_VALUE, 0));
      EmbeddedRun.Plan plan =
          new EmbeddedRun.Plan(List.of(side), folder.resolve("work"), servers, null);
      Future<RunOutcome> running =
          background.submit(() -> new EmbeddedRun(plan, new TrainedMonitor()).run(stop::get));
      try {
        assertThat(trained.await(WAIT_SECONDS, TimeUnit.SECONDS))
            .as("%d of %d samples still wait", trained.getCount(), EVENTS)
            .isTrue();
        assertAnswers(file, servers);
      } finally {
        stop.set(true);
        running.get(WAIT_SECONDS, TimeUnit.SECONDS);
      }
      assertThat(explain(file, servers, "click-7", 1)).isEqualTo(1);
      assertThat(idla.err()).contains("side did not answer within 1 s; is it running?");
    }
  }

  private void assertAnswers(Path file, String servers) {
    // Both learners are asked, and the one that has the sample answers, whichever that is.
    for (int i = 0; i < 4; i++) {
      assertThat(explain(file, servers, "click-" + i, 30)).as(idla.err()).isZero();
      assertThat(idla.out())
          .containsPattern("(?m)^sample #\\d+: (MATURE|PRESERVE|DISCARD); score 0\\.\\d{4} when")
          .containsPattern("evaluated [1-9]\\d* times, last in update [1-9]\\d*; loss \\d")
          .containsPattern("(?m)^    contribution +[01]\\.\\d{4}$")
          .containsPattern("(?m)^    frequency +1\\.0000$")
          .contains("rules, by how strongly they fire:")
          .containsPattern("(?m)^    [01]\\.\\d{3}  .*IF contribution IS high")
          .contains("moves on the decision topic:")
          .doesNotContain("waits for its label");
    }
    assertThat(explain(file, servers, "click-x", 30)).isEqualTo(1);
    assertThat(idla.err()).contains("side has no sample 'click-x'");
    assertThat(explain(file, servers, "#1", 30)).as(idla.err()).isZero();
    assertThat(idla.out()).contains("sample #1: ");
    assertThat(idla.printed("samples withdraw", file, "click-7 --bootstrap-servers", servers))
        .contains("asked side to take 1 labels back");
    // A question is answered at once, a label taken back when all before it is read.
    for (int i = 0; i < 20 && !idla.out().contains("waits for its label"); i++) {
      assertThat(explain(file, servers, "click-7", 30)).as(idla.err()).isZero();
    }
    assertThat(idla.out()).containsPattern("sample #\\d+: NEWBORN, waits for its label");
  }
}
