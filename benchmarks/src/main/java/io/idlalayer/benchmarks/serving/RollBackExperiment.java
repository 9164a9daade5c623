package io.idlalayer.benchmarks.serving;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.serve.NoticeSource;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * How long after a version was found worse the one before it is pinned, and served: {@code
 * RollBackExperiment [ROLLBACKS [FOLDER]]}. Versions are those of {@link SizedModels}: 10 MB of
 * network and 100,000 changed rows. Each rollback begins at a random time while the next version is
 * being published and old versions are deleted by another thread, as the trainer thread does it.
 * The store is a folder: an object store of the tests would measure itself.
 */
public final class RollBackExperiment {
  private static final int ROLLBACKS = 40;
  private static final int WARM_UP = 3;
  private static final int KEEP = 3;
  private static final Duration FOLDER_POLL = Duration.ofMillis(200);
  private static final long LOOK_NANOS = 50_000;
  private static final long LONGEST_SECONDS = 120;

  private final SplittableRandom random = new SplittableRandom(2);
  private final int rollbacks;
  private final Path folder;
  private final SizedModels versions;

  private RollBackExperiment(int rollbacks, Path folder) throws IOException {
    this.rollbacks = rollbacks;
    this.folder = folder;
    versions = new SizedModels(folder);
  }

  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    int rollbacks = args.length > 0 ? Integer.parseInt(args[0]) : ROLLBACKS;
    Path folder =
        args.length > 1
            ? Files.createDirectories(Path.of(args[1]))
            : Files.createTempDirectory("roll-back-experiment");
    System.out.printf("%,d rollbacks each%n%n", rollbacks);
    System.out.println(
        "| REAL | pin p50 ms | p99 ms | max ms | served p50 ms | p99 ms | max ms | rollbacks |"
            + " seen | publication ended p50 ms after the pin |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    RollBackExperiment experiment = new RollBackExperiment(rollbacks, folder);
    for (boolean notice : new boolean[] {true, false}) {
      experiment.inFolder(notice);
    }
  }

  private void inFolder(boolean notice) throws Exception {
    Path models = Files.createTempDirectory(folder, "models");
    try (ModelStore store = new ModelStore(models, InstantSource.system())) {
      measure("folder", store, FOLDER_POLL, notice);
    }
    delete(models);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  /** Notices of rollbacks and publications, as fast as they can be. */
  private static final class Notices implements NoticeSource {
    final Semaphore sent = new Semaphore(0);

    @Override
    public boolean await(Duration longest) throws InterruptedException {
      return sent.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {}
  }

  private void measure(String name, ModelStore store, Duration poll, boolean notice)
      throws Exception {
    PublishedModels models = new StoredModels(store, folder, "app", 0);
    Notices notices = new Notices();
    List<Double> pinned = new ArrayList<>();
    List<Double> served = new ArrayList<>();
    List<Double> after = new ArrayList<>();
    ExecutorService trainer = Executors.newSingleThreadExecutor();
    try (ModelSubscriber<PlainModel> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, poll),
            new PlainModelLoader(),
            InstantSource.system())) {
      subscriber.start(notice ? () -> notices : null, System.err::println);
      ModelCheckpoint good = models.publish(versions.draft(null, true));
      long publishNanos = 0;
      for (int i = -WARM_UP; i < rollbacks; i++) {
        ModelDraft draft = versions.draft(good, false);
        long begin = System.nanoTime();
        ModelCheckpoint bad = models.publish(draft);
        publishNanos = System.nanoTime() - begin;
        notices.sent.release();
        serves(subscriber, bad.manifest().version(), Long.MAX_VALUE);
        long baseline = good.manifest().version();
        ModelDraft next = versions.draft(bad, false);
        Future<ModelCheckpoint> newer = trainer.submit(() -> models.publish(next));
        Future<?> cleaned = trainer.submit(() -> models.cleanUp(KEEP, Set.of(baseline)));
        LockSupport.parkNanos(random.nextLong(publishNanos));
        long found = System.nanoTime();
        models.rollBack(baseline, good.digest(), bad.manifest().version(), "it is worse");
        long set = System.nanoTime();
        notices.sent.release();
        long version = left(subscriber, bad.manifest().version());
        long swapped = System.nanoTime();
        good = newer.get();
        cleaned.get();
        long ended = System.nanoTime();
        notices.sent.release();
        serves(subscriber, good.manifest().version(), Long.MAX_VALUE);
        if (i >= 0) {
          pinned.add((set - found) / 1e6);
          after.add(Math.max(0, ended - set) / 1e6);
          if (version == baseline) {
            served.add((swapped - found) / 1e6);
          }
        }
      }
    } finally {
      trainer.shutdownNow();
    }
    System.out.printf(
        "| %s, %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %d | %d | %.0f |%n",
        name,
        notice ? "notice" : "poll " + poll.toMillis() + " ms",
        ServingExperiment.quantile(pinned, 0.5),
        ServingExperiment.quantile(pinned, 0.99),
        ServingExperiment.quantile(pinned, 1),
        ServingExperiment.quantile(served, 0.5),
        ServingExperiment.quantile(served, 0.99),
        ServingExperiment.quantile(served, 1),
        pinned.size(),
        served.size(),
        ServingExperiment.quantile(after, 0.5));
  }

  /** Waits until another version serves, and returns it. */
  private static long left(ModelSubscriber<PlainModel> subscriber, long version) {
    return serves(subscriber, Long.MIN_VALUE, version);
  }

  /**
   * Waits.
   *
   * @param atLeast this version serves or a newer one
   * @param not and not this one
   */
  private static long serves(ModelSubscriber<PlainModel> subscriber, long atLeast, long not) {
    long since = System.nanoTime();
    while (true) {
      long now = subscriber.current().map(it -> it.manifest().version()).orElse(not);
      if (now >= atLeast && now != not) {
        return now;
      }
      if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
        throw new IllegalStateException("not served: " + subscriber.status());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
