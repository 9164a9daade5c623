package io.idlalayer.jobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two TaskManagers learn one model with a table, of which each has the rows of its own users; kill
 * -9 of each, later of both.
 */
@Tag("stress")
final class PartitionedTableClusterIT {
  private static final int EVENTS = 16_000;
  private static final int USERS = 300;
  private static final String APPLICATION = "users";

  /** How long the input waits for its end until learners have adopted the last version. */
  private static final long SETTLE_MINUTES = 2;

  @TempDir Path folder;

  /** Events of users whose label is their own; the input ends when learners agree. */
  private static final class Users implements RecordReader {
    private final CountDownLatch agreed;
    private int position;

    Users(CountDownLatch agreed) {
      this.agreed = agreed;
    }

    @Override
    public boolean next() throws IOException {
      if (position < EVENTS) {
        position++;
        return true;
      }
      try {
        // The test says itself what is missing if that is not so in time.
        var unused = agreed.await(SETTLE_MINUTES, TimeUnit.MINUTES);
        return false;
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new IOException(stopped);
      }
    }

    @Override
    public byte[] record() {
      int user = position * 7919 % USERS;
      return String.format(
              Locale.ROOT,
              "{\"x\": %.6f, \"n\": %d, \"user\": \"%s\", \"label\": \"%s\"}",
              Math.sin(position * 0.7),
              position,
              name(user),
              user % 2 == 0 ? "up" : "down")
          .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void close() {}
  }

  private static String name(int user) {
    return "user " + user;
  }

  /** Watches what serves, and notices when all learners have adopted a version with all events. */
  private static final class Watch extends TaskManagerKiller {
    private final ModelStore store;
    private final CountDownLatch agreed;
    private final Map<String, MixingStatus> adopted = new TreeMap<>();
    final List<String> setBack = Collections.synchronizedList(new ArrayList<>());
    @Nullable ModelCheckpoint last;
    long compared;

    Watch(LocalCluster cluster, ModelStore store, CountDownLatch agreed) {
      super(cluster, EVENTS);
      this.store = store;
      this.agreed = agreed;
    }

    @Override
    public void event(RunView view, DecisionEvent event) {
      MixingStatus mixing = event.status().mixing();
      if (mixing != null) {
        adopted.put(event.learner(), mixing);
      }
      look();
      super.event(view, event);
    }

    @Override
    public void tick(RunView view) {
      look();
    }

    private void look() {
      try {
        ModelCheckpoint served = store.current(APPLICATION, 0).orElse(null);
        if (served == null) {
          return;
        }
        ModelCheckpoint before = last;
        last = served;
        compared += served.manifest().counts().getOrDefault("comparedSamples", 0L);
        MixedVersion version = MixedVersion.of(served.manifest()).orElseThrow();
        if (before != null && !before.digest().equals(served.digest())) {
          compare(before, served, version);
        }
        boolean all =
            trained(version) == EVENTS
                && adopted.size() == 2
                && adopted.values().stream()
                    .allMatch(
                        each ->
                            each.state() == MixingStatus.State.SETTLED
                                && each.version() == served.manifest().version());
        if (all) {
          agreed.countDown();
        }
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }

    private void compare(ModelCheckpoint before, ModelCheckpoint served, MixedVersion version) {
      boolean later = served.manifest().version() > before.manifest().version();
      MixedVersion left = MixedVersion.of(before.manifest()).orElseThrow();
      if (!later || !left.reachedBy(version.contributors())) {
        setBack.add(left + " was followed by " + version);
      }
    }
  }

  private static long trained(MixedVersion version) {
    return version.contributors().stream().mapToLong(Contributor::trained).sum();
  }

  private static ApplicationSettings settings(Path file, boolean gated) throws Exception {
    String publishing = gated ? "publishing: {gate: {action: hold, samples: 50, wait: 2s}}\n" : "";
    return ApplicationFiles.read(
        file,
        """
        name: users
        partitions: 2
        mixing: {action: average, partition-by: user}
        input: {topic: users, format: json, features: [x, n], ids: [user], label: label, classes: [down, up]}
        model: {type: wide-and-deep, hidden: [8]}
        embeddings: {dim: 4, learning-rate: 0.1}
        update: {rule: count, count: 100}
        selection: {max-samples: 100000}
        memory: {rows: {fast-bytes: 16MiB}}
        """
            + publishing);
  }

  /** Returns how many rows a version has of each key, from the files that it needs. */
  private static Map<Long, Integer> rows(ModelStore store, ModelCheckpoint version)
      throws IOException {
    List<InputStream> open = new ArrayList<>();
    Map<Long, Integer> rows = new TreeMap<>();
    try {
      List<RowFile.Reader> newestFirst = new ArrayList<>();
      for (ModelCheckpoint each : store.chain(version)) {
        InputStream in = store.open(each);
        open.add(in);
        newestFirst.add(0, new RowFile.Reader(in));
      }
      RowFile.merge(newestFirst, new Counting(rows), true);
    } finally {
      for (InputStream in : open) {
        in.close();
      }
    }
    return rows;
  }

  /** Counts the rows of each key. */
  private record Counting(Map<Long, Integer> rows) implements RowFile.Sink {
    @Override
    public void table(RowFile.Table table) {
      assertThat(table.name()).isEqualTo("user");
    }

    @Override
    public void row(long key, float[] values, int at) {
      rows.merge(key, 1, Integer::sum);
    }

    @Override
    public void deleted(long key) {
      throw new AssertionError("a file of all rows has deletions");
    }

    @Override
    public void end() {}
  }

  /** Returns the keys of all users, as a serving process makes them, whose model is right. */
  private static List<Long> servedKeys(ModelStore store) throws Exception {
    List<Long> keys = new ArrayList<>();
    int right = 0;
    try (ModelSubscriber<PlainModel> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, APPLICATION, 0, Duration.ofMillis(50)),
            new PlainModelLoader(),
            InstantSource.system())) {
      assertThat(subscriber.refresh()).isTrue();
      try (ModelLease<PlainModel> lease = subscriber.acquire()) {
        JsonSampleDecoder decoder = new JsonSampleDecoder(lease.model().spec().schema());
        for (int user = 0; user < USERS; user++) {
          String event =
              String.format(Locale.ROOT, "{\"x\": 0, \"n\": 0, \"user\": \"%s\"}", name(user));
          Sample sample = decoder.decode(event.getBytes(StandardCharsets.UTF_8));
          keys.add(sample.ids().key(0));
          double[] answer = lease.model().predict(List.of(sample))[0];
          right += (answer[1] > answer[0]) == (user % 2 == 0) ? 1 : 0;
        }
      }
    }
    assertThat((double) right / USERS).isGreaterThan(0.9);
    return keys;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void run_taskManagersKilledAmidRounds_servesEachRowOnceInOneModel(boolean gated)
      throws Exception {
    LocalCluster cluster = new LocalCluster(folder.resolve("work"));
    try {
      cluster.start(2, Map.of(), text -> {});
      Path file = folder.resolve("users.yaml");
      ApplicationSettings users = settings(file, gated);
      Path models = cluster.workDirectory().resolve("models");
      ModelStore store = new ModelStore(models, InstantSource.system());
      CountDownLatch agreed = new CountDownLatch(1);
      Watch watch = new Watch(cluster, store, agreed);
      InputPlan input = new InputPlan(users, "it", () -> new Users(agreed), Long.MAX_VALUE, 500);
      RunOutcome outcome =
          new ClusterRun(cluster, List.of(users), List.of(file), watch)
              .run(new ClusterRun.Options(input, StartOver.NO, null), () -> false);
      assertThat(watch.processes()).as("processes with learners").isEqualTo(2);
      assertThat(watch.kills()).isEqualTo(3);
      assertThat(watch.compared > 0).as("models were compared").isEqualTo(gated);
      assertThat(watch.setBack).as("versions after which one served that has less").isEmpty();
      assertThat(agreed.getCount())
          .as("learners that have not adopted one version: " + watch.adopted)
          .isZero();
      var report = RunReport.of(Objects.requireNonNull(outcome).view(), 1);
      assertThat(report.get("samples").get("received").asLong()).isEqualTo(EVENTS);
      assertThat(report.get("trainedNewSamples").asLong()).isEqualTo(EVENTS);

      ModelCheckpoint served = store.current(APPLICATION, 0).orElseThrow();
      store.verify(served);
      MixedVersion version = MixedVersion.of(served.manifest()).orElseThrow();
      assertThat(version.contributors()).extracting(Contributor::partition).containsExactly(0, 1);
      assertThat(trained(version)).isEqualTo(EVENTS);
      KeyRanges ranges = KeyRanges.ofTable("user", 2);
      List<Long> keys = servedKeys(store);
      assertThat(keys.stream().filter(key -> ranges.of(key) == 0).count()).isBetween(100L, 200L);
      Map<Long, Integer> rows = rows(store, served);
      assertThat(rows.values()).containsOnly(1);
      rows.remove(IdLists.UNKNOWN);
      assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(keys);
    } finally {
      cluster.stop(text -> {});
    }
  }
}
