package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real job that learns from right labels, and goes on with wrong ones: bad models are held back,
 * or, where nothing keeps them from being published, each is rolled back. Each update trains labels
 * of one kind, and the second run begins with a comparison of its own, so nothing depends on how
 * fast events come, models train or scores are back.
 */
final class ReleaseGateRunIT {
  private static final int BATCH = 200;
  private static final int RIGHT = 6 * BATCH;
  private static final int WRONG = 3 * BATCH;

  @TempDir Path folder;

  /**
   * Each version is published, however soon it follows. References beside the network would make up
   * for what a bad update loses.
   */
  private ApplicationSettings application(String gate) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("signs.yaml"),
        """
        name: signs
        input: {format: csv, columns: [x, positive], features: [x], label: positive, classes: 2}
        model: {type: mlp, hidden: [8], references: false}
        training: {epochs: 4, learning-rate: 0.05}
        selection: {replay-budget: 0}
        update: {rule: count, count: %1$d, max-batch: %1$d}
        publishing: {every: 0s, gate: {%2$s, trusted-file: checked.csv}}
        """
            .formatted(BATCH, gate));
  }

  private Path events(String name, int count, boolean right, long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      double x = random.nextDouble() * 2 - 1;
      text.append(x).append(',').append((x > 0) == right ? 1 : 0).append('\n');
    }
    return Files.writeString(folder.resolve(name), text);
  }

  /** Learns from a file, and goes on where the run before ended. */
  private FakeMonitor run(ApplicationSettings application, Path input) throws Exception {
    FakeMonitor heard = new FakeMonitor();
    FileRun.whole(application, folder.resolve("work"), input, heard);
    return heard;
  }

  private static double accuracy(Dl4jModel model) {
    SplittableRandom random = new SplittableRandom(9);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      float x = (float) (random.nextDouble() * 2 - 1);
      samples.add(new Sample("", new double[] {x}, new int[0], Sample.NO_LABEL));
    }
    double[][] predicted = model.predict(samples);
    int right = 0;
    for (int i = 0; i < predicted.length; i++) {
      right += (predicted[i][1] > 0.5) == (samples.get(i).dense()[0] > 0) ? 1 : 0;
    }
    return (double) right / predicted.length;
  }

  @Test
  void run_labelsTurnWrong_eachBadVersionIsRolledBackAndSubscribersFollow() throws Exception {
    events("checked.csv", 500, true, 2);
    ApplicationSettings application = application("action: \"off\", after-publishing: roll-back");
    Path models = folder.resolve("work").resolve("models");
    try (ModelStore store = new ModelStore(models, InstantSource.system());
        ModelSubscriber<Dl4jModel> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(store, "signs", 0, Duration.ofMillis(50)),
                new Dl4jModelLoader(),
                InstantSource.system())) {
      subscriber.start(null, refusal -> {});
      run(application, events("right.csv", RIGHT, true, 1));
      FakeMonitor heard = run(application, events("wrong.csv", WRONG, false, 3));
      List<DecisionEvent> rollbacks = heard.of(DecisionEvent.Type.ROLLED_BACK);
      assertThat(rollbacks).isNotEmpty();
      DecisionEvent last = rollbacks.get(rollbacks.size() - 1);
      assertThat(last.message())
          .contains("on 500 trusted samples")
          .matches(".*; version \\d+ serves again, \\d+ ms after that was found");
      Pin pin = store.pin("signs", 0).orElseThrow();
      long newest = store.current("signs", 0).orElseThrow().manifest().version();
      assertThat(newest).isEqualTo((RIGHT + WRONG) / BATCH);
      assertThat(pin.until()).as("nothing bad serves in the end").isEqualTo(newest);
      assertThat(pin.reason()).contains("version %d is worse by".formatted(newest));
      assertThat(last.status().gate().inServiceVersion()).isEqualTo(pin.version());
      ModelCheckpoint pinned = store.serving("signs", 0).orElseThrow().checkpoint();
      assertThat(pinned.manifest().version()).isEqualTo(pin.version());
      assertThat(pinned.manifest().counts().get("trainedNewSamples"))
          .as("trained before labels turned wrong")
          .isLessThanOrEqualTo(RIGHT);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  subscriber
                      .current()
                      .map(it -> it.digest().equals(pinned.digest()))
                      .orElse(false));
      try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
        assertThat(accuracy(lease.model())).isGreaterThan(0.9);
      }
      for (ModelCheckpoint each : store.list("signs", 0)) {
        if (each.manifest().version() > RIGHT / BATCH) {
          try (Dl4jModel bad = new Dl4jModelLoader().load(store, each)) {
            assertThat(accuracy(bad))
                .as("version %d, which was rolled back", each.manifest().version())
                .isLessThan(0.5);
          }
        }
      }
    }
  }

  @Test
  void run_labelsTurnWrongAndRightAgain_badVersionsAreHeldAndTheNextGoodOneServes()
      throws Exception {
    events("checked.csv", 500, true, 2);
    ApplicationSettings application =
        application("action: hold, continue-from: in-service, wait: 5m");
    Path models = folder.resolve("work").resolve("models");
    try (ModelStore store = new ModelStore(models, InstantSource.system())) {
      assertThat(run(application, events("right.csv", RIGHT, true, 1)).of(DecisionEvent.Type.HELD))
          .isEmpty();
      ModelCheckpoint good = store.current("signs", 0).orElseThrow();
      FakeMonitor heard = run(application, events("wrong.csv", WRONG, false, 3));
      assertThat(heard.of(DecisionEvent.Type.HELD)).hasSize(WRONG / BATCH);
      assertThat(heard.of(DecisionEvent.Type.HELD))
          .allSatisfy(
              each -> {
                assertThat(each.message())
                    .contains("on 500 trusted samples")
                    .contains("it is not published");
                assertThat(each.status().gate().inServiceVersion())
                    .isEqualTo(good.manifest().version());
              });
      assertThat(store.current("signs", 0).orElseThrow().digest()).isEqualTo(good.digest());
      assertThat(store.pin("signs", 0)).isEmpty();
      heard = run(application, events("right-again.csv", BATCH, true, 4));
      assertThat(heard.of(DecisionEvent.Type.HELD)).isEmpty();
      ModelCheckpoint next = store.current("signs", 0).orElseThrow();
      assertThat(next.manifest().version()).isGreaterThan(good.manifest().version());
      assertThat(next.manifest().parentDigest()).isEqualTo(good.digest());
      try (Dl4jModel served = new Dl4jModelLoader().load(store, next)) {
        assertThat(accuracy(served)).isGreaterThan(0.9);
      }
    }
  }
}
