package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator with a hot cache in a shared directory, on real keyed state. */
final class SharedCacheFunctionTest {
  private static final int PER_UPDATE = 20;

  @TempDir Path folder;
  private long offset;

  private ApplicationSettings settings(String name, String memory) throws Exception {
    Path home = Files.createDirectories(folder.resolve(name));
    return ApplicationFiles.read(
        home.resolve("app.yaml"),
        """
        name: app
        input: {format: csv, columns: [a, b, y], features: [a, b], label: y, classes: 2}
        model: {hidden: [8]}
        training: {epochs: 2}
        update: {rule: count, count: %d}
        selection: {policy: uniform, replay-budget: 64}
        memory: {%s}
        """
            .formatted(PER_UPDATE, memory));
  }

  private Path shared() throws Exception {
    return Files.createDirectories(folder.resolve("shm"));
  }

  private LearnerHarness harness(String name, String memory) throws Exception {
    Path home = folder.resolve(name);
    return new LearnerHarness(settings(name, memory), home, HarnessEnvironment.in(home));
  }

  /** Sends the events of some updates, one after the other, and returns the last status. */
  private Status learn(LearnerHarness harness, int updates, SplittableRandom random)
      throws Exception {
    Status last = null;
    for (int update = 0; update < updates; update++) {
      int said = harness.extractOutputValues().size();
      for (int i = 0; i < PER_UPDATE; i++) {
        double a = random.nextDouble();
        double b = random.nextDouble();
        Sample sample = Sample.of(new double[] {a, b}, a > b ? 1 : 0);
        harness.processElement(LearnerHarness.arrival("app/0", "events", offset++, sample), 0);
      }
      DecisionEvent published =
          harness.await(
              "a version",
              event ->
                  event.type() == DecisionEvent.Type.PUBLISHED
                      && harness.extractOutputValues().indexOf(event) >= said);
      last = published.status();
    }
    return last;
  }

  /** Returns the digests of all files of the newest version but for its manifest. */
  private List<String> model(String name) throws Exception {
    ModelStore models = new ModelStore(folder.resolve(name + "/models"), InstantSource.system());
    List<String> digests = new ArrayList<>();
    for (Map.Entry<String, byte[]> file :
        models.load(models.current("app", 0).orElseThrow()).entrySet()) {
      if (file.getKey().endsWith(".zip") || file.getKey().endsWith(".bin")) {
        digests.add(file.getKey() + " " + Arrays.hashCode(file.getValue()));
      }
    }
    assertThat(digests).isNotEmpty();
    return digests;
  }

  @Test
  void restore_afterTheProcessEnded_findsItsSamples() throws Exception {
    String memory = "hot-bytes: 1MiB, shared-directory: " + shared();
    OperatorSubtaskState snapshot;
    SplittableRandom random = new SplittableRandom(3);
    try (var harness = harness("one", memory)) {
      harness.open();
      learn(harness, 5, random);
      snapshot = harness.snapshot(1, 1);
      learn(harness, 1, random);
    }
    try (var harness = harness("one", memory)) {
      harness.initializeState(snapshot);
      harness.open();
      Status status = learn(harness, 1, random);

      assertThat(status.hotSamples().misses()).isZero();
      assertThat(status.hotSamples().hits()).isGreaterThan(2 * PER_UPDATE);
      assertThat(status.hotSamples().store().readBytes()).isZero();
    }
  }

  @Test
  void restore_withoutSharing_readsTheStore() throws Exception {
    OperatorSubtaskState snapshot;
    SplittableRandom random = new SplittableRandom(3);
    try (var harness = harness("one", "hot-bytes: 1MiB, shared-directory: " + shared())) {
      harness.open();
      learn(harness, 5, random);
      snapshot = harness.snapshot(1, 1);
    }
    try (var harness = harness("one", "hot-bytes: 1MiB")) {
      harness.initializeState(snapshot);
      harness.open();
      Status status = learn(harness, 1, random);

      assertThat(status.hotSamples().misses()).isPositive();
    }
  }

  @Test
  void restore_ofStateWithoutDigests_sharesWhatItReads() throws Exception {
    OperatorSubtaskState snapshot;
    SplittableRandom random = new SplittableRandom(3);
    try (var harness = harness("one", "hot-bytes: 1MiB")) {
      harness.open();
      learn(harness, 5, random);
      snapshot = harness.snapshot(1, 1);
    }
    try (var harness = harness("one", "hot-bytes: 1MiB, shared-directory: " + shared())) {
      harness.initializeState(snapshot);
      harness.open();
      long missesOfFirst = learn(harness, 1, random).hotSamples().misses();
      assertThat(missesOfFirst).isPositive();
      long missesOfSecond = learn(harness, 1, random).hotSamples().misses() - missesOfFirst;
      assertThat(missesOfSecond).isLessThan(missesOfFirst);
    }
  }

  @Test
  void publish_withAndWithoutSharing_hasTheSameBits() throws Exception {
    List<List<String>> models = new ArrayList<>();
    for (String memory :
        List.of(
            "hot-bytes: 1MiB",
            "hot-bytes: 1MiB, shared-directory: " + shared(),
            "hot-bytes: 64KiB, hot-policy: lru, shared-directory: " + shared())) {
      String name = "run" + models.size();
      try (var harness = harness(name, memory)) {
        harness.open();
        learn(harness, 6, new SplittableRandom(5));
      }
      models.add(model(name));
    }
    assertThat(models.get(1)).isEqualTo(models.get(0));
    assertThat(models.get(2)).isEqualTo(models.get(0));
  }

  @Test
  void open_whereNothingCanBeShared_goesOnAlone() throws Exception {
    try (var harness =
        harness("one", "hot-bytes: 1MiB, shared-directory: " + folder.resolve("absent"))) {
      harness.open();
      Status status = learn(harness, 2, new SplittableRandom(1));

      assertThat(status.hotSamples().hits()).isPositive();
    }
  }
}
