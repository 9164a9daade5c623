package io.idlalayer.benchmarks.serving;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Where the time goes until a version with all rows serves, without a poll: {@code LoadExperiment
 * [REPEATS]}. The version is that of {@link ServingExperiment}. Taken by a new subscriber over HTTP
 * and from the folder, its rows decoded from memory, and their SHA-256, in turns. Fastest, quartile
 * and median, because other processes can only slow it down.
 */
public final class LoadExperiment {
  private static final int WARM_UP = 4;
  private static final int REPEATS = 20;
  private static final Duration POLL = Duration.ofMillis(200);

  private LoadExperiment() {}

  /** One of the times that are taken. */
  private interface Step {
    void run() throws Exception;
  }

  private static final class Times {
    private final String name;
    private final List<Double> millis = new ArrayList<>();

    Times(String name) {
      this.name = name;
    }

    void take(boolean counts, Step step) throws Exception {
      long began = System.nanoTime();
      step.run();
      if (counts) {
        millis.add((System.nanoTime() - began) / 1e6);
      }
    }

    void print() {
      List<Double> sorted = millis.stream().sorted().toList();
      System.out.printf(
          "| %s | %.0f | %.0f | %.0f |%n",
          name, sorted.get(0), sorted.get(sorted.size() / 4), sorted.get(sorted.size() / 2));
    }
  }

  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    int repeats = args.length > 0 ? Integer.parseInt(args[0]) : REPEATS;
    Path folder = Files.createTempDirectory("load-experiment");
    Path models = Files.createDirectories(folder.resolve("models"));
    ModelServerSettings settings =
        ModelServerSettings.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false, null);
    Times http = new Times("HTTP");
    Times direct = new Times("folder");
    Times decoding = new Times("rows decoded from memory");
    Times digest = new Times("SHA-256 of the rows");
    try (ModelStore store = new ModelStore(models, InstantSource.system());
        ModelServer server = ModelServer.start(ModelStore.confined(models), settings);
        HttpModelSource source =
            new HttpModelSource(HttpModelSettings.of(server.address(), null))) {
      ModelCheckpoint published =
          store.claim("app", 0).publish(new SizedModels(folder).draft(null, true));
      byte[] rows = Files.readAllBytes(Path.of(published.file("rows.bin")));
      for (int i = 0; i < WARM_UP + repeats; i++) {
        boolean counts = i >= WARM_UP;
        http.take(counts, () -> load(new ModelReader(source)));
        direct.take(counts, () -> load(store));
        decoding.take(
            counts,
            () ->
                ServedRows.read(
                    SizedModels.PLAN,
                    List.of(new RowFile.Reader(new ByteArrayInputStream(rows))),
                    null));
        digest.take(counts, () -> MessageDigest.getInstance("SHA-256").digest(rows));
      }
    }
    System.out.println("| REAL | fastest ms | quartile ms | median ms |");
    System.out.println("|---|---|---|---|");
    List.of(http, direct, decoding, digest).forEach(Times::print);
    System.exit(0);
  }

  private static void load(ModelReader reader) throws Exception {
    try (ModelSubscriber<PlainModel> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(reader, "app", 0, POLL),
            new PlainModelLoader(),
            InstantSource.system())) {
      if (!subscriber.refresh()) {
        throw new IllegalStateException("nothing was taken: " + subscriber.status());
      }
    }
  }
}
