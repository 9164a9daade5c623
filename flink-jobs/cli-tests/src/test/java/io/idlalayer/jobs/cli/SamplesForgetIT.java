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
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asking a running application, over a real broker, to forget a sample. */
final class SamplesForgetIT {
  private static final int EVENTS = 600;
  private static final long WAIT_SECONDS = 300;

  private static final String PLAIN =
      """
      name: side
      input: {format: csv, columns: [id, a, b, y], features: [a, b], label: y, classes: 2, id: id}
      update: {rule: count, count: 50, max-wait: 1s}
      """;

  @TempDir Path folder;
  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final IdlaRun idla = new IdlaRun();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final CountDownLatch trained = new CountDownLatch(1);
  private final BlockingQueue<DecisionEvent> forgotten = new LinkedBlockingQueue<>();

  @AfterEach
  void end() {
    background.shutdownNow();
  }

  private final class ForgottenMonitor extends FakeMonitor {
    @Override
    public void event(RunView view, DecisionEvent event) {
      if (event.status().trainedNewSamples() == EVENTS) {
        trained.countDown();
      }
      if (event.type() == DecisionEvent.Type.FORGOTTEN) {
        forgotten.add(event);
      }
    }
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
  void withdraw_forget_noOlderVersionIsLeft() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("side.yaml"), PLAIN + "selection: {forget: {within: 4s}}\n");
    ApplicationSettings side = ApplicationFileReader.read(file, name -> null);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(List.of(side), servers);
      new InputProducer(side, servers)
          .send(InputSource.file(rows(), side), new InputProducer.Request(Long.MAX_VALUE, 0));
      Path work = folder.resolve("work");
      EmbeddedRun.Plan plan = new EmbeddedRun.Plan(List.of(side), work, servers, null);
      Future<RunOutcome> running =
          background.submit(() -> new EmbeddedRun(plan, new ForgottenMonitor()).run(stop::get));
      try {
        assertThat(trained.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(
                idla.printed(
                    "samples withdraw", file, "click-x --forget --bootstrap-servers", servers))
            .contains("asked side to take 1 labels back and to forget them within 4 s");
        assertThat(next().message())
            .isEqualTo("click-x was never trained; there is nothing to forget");
        idla.printed("samples withdraw", file, "click-99 --forget --bootstrap-servers", servers);
        DecisionEvent said = next();
        assertThat(said.message())
            .startsWith("no version since ")
            .contains(" has learned from click-99; ");
        assertThat(said.update()).isNotNull();
      } finally {
        stop.set(true);
        running.get(WAIT_SECONDS, TimeUnit.SECONDS);
      }
      try (ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system())) {
        ModelManifest now = store.current("side", 0).orElseThrow().manifest();
        // The event that was never trained counts too.
        assertThat(now.counts()).containsEntry("forgottenSamples", 2L);
        long before = now.counts().get("forgottenBefore");
        assertThat(store.list("side", 0))
            .allMatch(each -> each.manifest().version() > before)
            .isNotEmpty();
      }
    }
  }

  private DecisionEvent next() throws InterruptedException {
    DecisionEvent event = forgotten.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    assertThat(event).as("an answer").isNotNull();
    return event;
  }

  @Test
  void withdraw_forgetWithoutTheSetting_saysWhatToSet() throws Exception {
    Path file = Files.writeString(folder.resolve("plain.yaml"), PLAIN);
    assertThat(
            idla.run("samples withdraw", file, "click-7 --forget --bootstrap-servers localhost:1"))
        .isEqualTo(2);
    assertThat(idla.err()).contains("side cannot forget samples: set selection.forget in its file");
  }
}
