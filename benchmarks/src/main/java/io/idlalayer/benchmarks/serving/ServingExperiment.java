package io.idlalayer.benchmarks.serving;

import io.idlalayer.middleware.embedding.EmbeddingPlan;
import io.idlalayer.middleware.embedding.RowFile;
import io.idlalayer.middleware.embedding.RowLayout;
import io.idlalayer.middleware.embedding.RowUpdater;
import io.idlalayer.middleware.embedding.ServedRows;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.serve.NoticeSource;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelruntime.input.ChainedRows;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How long after its commit a version serves: {@code ServingExperiment [VERSIONS [FOLDER]]}. A
 * version has 10 MB of network and 100,000 changed rows of a table of a million, every tenth all
 * rows. Folder and HTTP, polled every 200 ms and with a notice at the commit. Publisher, server and
 * subscriber share this process.
 */
public final class ServingExperiment {
  private static final int NETWORK_BYTES = 10_000_000;
  private static final int ROWS = 1_000_000;
  private static final int TOUCHED = 100_000;
  private static final int FULL_EVERY = 10;
  private static final int WARM_UP = 5;
  private static final int KEEP = 3;
  static final Duration POLL = Duration.ofMillis(200);
  private static final long LOOK_NANOS = 50_000;
  private static final long LONGEST_SECONDS = 120;
  private static final int VERSIONS = 60;

  private static final RowLayout LAYOUT = new RowLayout(16, RowUpdater.SGD);
  static final EmbeddingPlan PLAN =
      new EmbeddingPlan(List.of(new EmbeddingPlan.Table("users", 16, LAYOUT)), List.of(), 0, 0);

  private final SplittableRandom random = new SplittableRandom(1);
  private final int versions;
  private final Path folder;
  private final long[] sortedIds = sortedIds();

  ServingExperiment(int versions, Path folder) {
    this.versions = versions;
    this.folder = folder;
  }

  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    int versions = args.length > 0 ? Integer.parseInt(args[0]) : VERSIONS;
    Path folder =
        args.length > 1
            ? Files.createDirectories(Path.of(args[1]))
            : Files.createTempDirectory("serving-experiment");
    System.out.printf(
        "%,d versions each; network %,d bytes, %,d of %,d rows x 16 changed, all rows every %d%n%n",
        versions, NETWORK_BYTES, TOUCHED, ROWS, FULL_EVERY);
    System.out.println(
        "| REAL | median ms | p99 ms | max ms | median, changes | median, all rows | publish ms |");
    System.out.println("|---|---|---|---|---|---|---|");
    ServingExperiment experiment = new ServingExperiment(versions, folder);
    for (boolean notice : new boolean[] {false, true}) {
      for (boolean http : new boolean[] {false, true}) {
        experiment.run(http, notice);
      }
    }
  }

  /** Ids in the order of a file of rows. */
  private static long[] sortedIds() {
    EmbeddingPlan.Table table = PLAN.tables().get(0);
    Long[] ids = new Long[ROWS];
    Arrays.setAll(ids, i -> (long) (i + 2));
    Arrays.sort(ids, (a, b) -> Long.compareUnsigned(table.rowKey(a), table.rowKey(b)));
    return Arrays.stream(ids).mapToLong(Long::longValue).toArray();
  }

  /** What a served version has in memory. */
  record Loaded(byte[] network, ServedRows rows) {}

  static final class Loader implements ModelLoader<Loaded> {
    @Override
    public Loaded load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      throw new UnsupportedOperationException("versions here have rows");
    }

    @Override
    public Loaded load(LoadRequest<Loaded> request) throws IOException {
      byte[] network = request.files().getOrDefault("model.zip", new byte[0]);
      return new Loaded(
          network, ChainedRows.read(request, PLAN, before -> Optional.of(before.rows())));
    }
  }

  /** Notices at the commit, as fast as they can be. */
  private static final class Notices implements NoticeSource {
    final Semaphore sent = new Semaphore(0);

    @Override
    public boolean await(Duration longest) throws InterruptedException {
      return sent.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {}
  }

  private void run(boolean http, boolean notice) throws Exception {
    Path models = Files.createTempDirectory(folder, "models");
    ModelStore store = new ModelStore(models, InstantSource.system());
    if (http) {
      ModelServerSettings settings =
          ModelServerSettings.of(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false, null);
      try (ModelServer server = ModelServer.start(ModelStore.confined(models), settings);
          HttpModelSource source =
              new HttpModelSource(HttpModelSettings.of(server.address(), null))) {
        measure("HTTP", store, new ModelReader(source), notice);
      }
    } else {
      measure("folder", store, store, notice);
    }
    try (Stream<Path> files = Files.walk(models)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  private void measure(String name, ModelStore store, ModelReader reader, boolean notice)
      throws Exception {
    ModelPublisher publisher = store.claim("app", 0);
    Notices notices = new Notices();
    List<Double> changes = new ArrayList<>();
    List<Double> full = new ArrayList<>();
    List<Double> publishing = new ArrayList<>();
    try (ModelSubscriber<Loaded> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(reader, "app", 0, POLL),
            new Loader(),
            InstantSource.system())) {
      subscriber.start(notice ? () -> notices : null, System.err::println);
      ModelCheckpoint parent = null;
      for (int i = -WARM_UP; i < versions; i++) {
        boolean all = parent == null || i % FULL_EVERY == 0;
        ModelDraft draft = draft(parent, all);
        // At no fixed time after the last look at the pointer.
        LockSupport.parkNanos(random.nextLong(POLL.toNanos()));
        long begin = System.nanoTime();
        parent = publisher.publish(draft);
        long committed = System.nanoTime();
        notices.sent.release();
        double millis = (served(subscriber, parent, committed) - committed) / 1e6;
        publisher.cleanUp(KEEP, Set.of());
        if (i >= 0) {
          (all ? full : changes).add(millis);
          publishing.add((committed - begin) / 1e6);
        }
      }
    }
    List<Double> both = new ArrayList<>(changes);
    both.addAll(full);
    System.out.printf(
        "| %s, %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |%n",
        name,
        notice ? "notice" : "poll " + POLL.toMillis() + " ms",
        quantile(both, 0.5),
        quantile(both, 0.99),
        quantile(both, 1),
        quantile(changes, 0.5),
        quantile(full, 0.5),
        quantile(publishing, 0.5));
  }

  private static long served(
      ModelSubscriber<Loaded> subscriber, ModelCheckpoint published, long since) {
    while (!subscriber.current().map(it -> it.digest().equals(published.digest())).orElse(false)) {
      if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
        throw new IllegalStateException("not served: " + subscriber.status());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return System.nanoTime();
  }

  static double quantile(List<Double> values, double share) {
    List<Double> sorted = values.stream().sorted().toList();
    int at = (int) Math.ceil(share * sorted.size()) - 1;
    return sorted.isEmpty() ? Double.NaN : sorted.get(Math.max(0, at));
  }

  /** A first version, with all rows. */
  static ModelDraft withAllRows(Path folder) throws IOException {
    return new ServingExperiment(1, folder).draft(null, true);
  }

  /** A version with all rows, or with changes of some. */
  ModelDraft draft(@Nullable ModelCheckpoint parent, boolean all) throws IOException {
    byte[] network = new byte[NETWORK_BYTES];
    random.nextBytes(network);
    Path rows = folder.resolve("rows.bin");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(rows), 1 << 20)) {
      RowFile.Kind kind = all ? RowFile.Kind.FULL : RowFile.Kind.DELTA;
      RowFile.Writer writer = new RowFile.Writer(out, kind, 1);
      writer.table(new RowFile.Table("users", 16, 16));
      float[] values = new float[16];
      int left = all ? ROWS : TOUCHED;
      for (int i = 0; i < ROWS; i++) {
        // Each row is as likely to be among the changed ones.
        if (random.nextInt(ROWS - i) < left) {
          left--;
          for (int j = 0; j < values.length; j++) {
            values[j] = (float) random.nextDouble();
          }
          writer.row(sortedIds[i], values, 0);
        }
      }
      writer.end();
      writer.flush();
    }
    return new ModelDraft(
        "app",
        0,
        1,
        parent == null ? 0 : parent.manifest().version(),
        parent == null ? "" : parent.digest(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(
            java.util.Map.of(
                ModelManifest.ROWS, all ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES)),
        new TreeMap<>(java.util.Map.of("model.zip", network)),
        new TreeMap<>(java.util.Map.of(ModelManifest.ROWS_FILE, rows)));
  }
}
