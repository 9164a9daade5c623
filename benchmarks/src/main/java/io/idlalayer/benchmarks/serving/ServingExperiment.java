package io.idlalayer.benchmarks.serving;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.kafka.KafkaNoticeSource;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.kafka.ModelNoticeCodec;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.serve.NoticeSource;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * How long after its commit a version serves: a model of 10 MB with 100,000 changed rows of a
 * million, every tenth version all rows, loaded by the product's loader in plain Java. From a
 * folder, over HTTP or from an object store, polled and with notices from Kafka. Publisher, server,
 * broker and subscriber share this process; an object store is another one. Unless one is named, it
 * is a stand-in on this machine: how far away a real one is, and how long that takes to answer, is
 * not measured.
 */
@CommandLine.Command(name = "ServingExperiment", mixinStandardHelpOptions = true)
public final class ServingExperiment implements Callable<Integer> {
  private static final int FULL_EVERY = 10;
  private static final int WARM_UP = 10;
  private static final int KEEP = 3;
  private static final long LOOK_NANOS = 50_000;
  private static final long LONGEST_SECONDS = 120;
  private static final String TOPIC = "app-models";

  /** Ways from the publisher to the subscriber. */
  private enum Way {
    FOLDER,
    HTTP,
    STORE
  }

  @Option(names = "--ways", split = ",", description = "FOLDER, HTTP, STORE")
  private List<Way> ways = List.of(Way.values());

  @Option(names = "--notices", split = ",", description = "whether Kafka tells of versions")
  private List<Boolean> notices = List.of(false, true);

  @Option(names = "--versions", description = "of each way")
  private int versions = 300;

  @Option(names = "--poll-millis", description = "time between two looks")
  private long pollMillis = 200;

  @Option(names = "--folder", description = "for the versions")
  private @Nullable Path folder;

  @Option(names = "--rows-folder", description = "rows in mapped files in this folder")
  private @Nullable Path rowsFolder;

  @Option(
      names = "--store",
      description =
          "of the way STORE, such as s3://BUCKET/PREFIX, found as the environment says; by default a"
              + " stand-in on this machine")
  private @Nullable String store;

  private final SplittableRandom random = new SplittableRandom(1);

  public static void main(String[] args) {
    Experiment.run(new ServingExperiment(), args);
  }

  @Override
  public Integer call() throws Exception {
    try (WorkFolder own = WorkFolder.in(folder, "serving-experiment");
        EmbeddedBroker broker = EmbeddedBroker.start(own.path().resolve("kafka"), 0);
        ObjectStoreProcess standIn =
            store == null && ways.contains(Way.STORE)
                ? ObjectStoreProcess.start(own.path().resolve("objects"))
                : null) {
      Path work = own.path();
      Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (Admin admin = Admin.create(kafka)) {
        admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
      }
      SizedModels models = new SizedModels(work);
      System.out.printf(
          "%,d versions each; network %,d bytes, %,d of %,d rows changed, all every %d%n%n",
          versions, models.networkBytes(), SizedModels.TOUCHED, SizedModels.ROWS, FULL_EVERY);
      System.out.println(
          "| REAL | median ms | p95 ms | p99 ms | max ms | median, changes | median, all rows"
              + " | publish ms |");
      System.out.println("|---|---|---|---|---|---|---|---|");
      for (Way way : ways) {
        for (boolean notice : notices) {
          run(way, notice ? kafka : null, models, work);
        }
      }
      if (standIn != null) {
        System.out.printf(
            "%nSTORE is a stand-in for an S3 object store, another process on this machine:%n"
                + "how far away a real one is, and how long that takes to answer, is not measured.%n");
      }
    }
    return 0;
  }

  private void run(Way way, @Nullable Map<String, Object> kafka, SizedModels drafts, Path work)
      throws Exception {
    try (WorkFolder models = WorkFolder.in(work, "models");
        ModelStore open =
            way == Way.STORE
                ? ModelStore.open(
                    (store == null ? ObjectStoreProcess.ADDRESS : store) + "/" + System.nanoTime(),
                    InstantSource.system(),
                    PublisherIdentity.ofThisProcess())
                : new ModelStore(models.path(), InstantSource.system())) {
      if (way == Way.HTTP) {
        ModelServerSettings settings =
            ModelServerSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false, null);
        try (ModelServer server = ModelServer.start(ModelStore.confined(models.path()), settings);
            HttpModelSource source =
                new HttpModelSource(HttpModelSettings.of(server.address(), null))) {
          measure(way, open, new ModelReader(source), kafka, drafts);
        }
      } else {
        measure(way, open, open, kafka, drafts);
      }
    }
  }

  /** Sends notices as the job does, or none. */
  private static final class Notices implements AutoCloseable {
    private final @Nullable KafkaProducer<byte[], byte[]> producer;
    private final List<Future<?>> sent = new ArrayList<>();

    Notices(@Nullable Map<String, Object> kafka) {
      producer =
          kafka == null
              ? null
              : new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void send(ModelCheckpoint published) {
      if (producer != null) {
        byte[] notice =
            ModelNoticeCodec.encode(
                new ModelNotice(
                    "app",
                    0,
                    published.manifest().version(),
                    published.digest(),
                    published.manifest().createdAtMillis()));
        sent.add(
            producer.send(
                new ProducerRecord<>(TOPIC, "app".getBytes(StandardCharsets.UTF_8), notice)));
      }
    }

    @Override
    public void close() throws InterruptedException, ExecutionException {
      if (producer != null) {
        producer.close();
      }
      for (Future<?> each : sent) {
        each.get();
      }
    }
  }

  private void measure(
      Way way,
      ModelStore store,
      ModelReader reader,
      @Nullable Map<String, Object> kafka,
      SizedModels drafts)
      throws Exception {
    ModelPublisher publisher = store.claim("app", 0);
    List<Double> changes = new ArrayList<>();
    List<Double> full = new ArrayList<>();
    List<Double> publishing = new ArrayList<>();
    PlainModelLoader loader = new PlainModelLoader();
    NoticeSource.Opener opener =
        kafka == null ? null : () -> new KafkaNoticeSource(kafka, TOPIC, "app", 0);
    try (Notices notices = new Notices(kafka);
        ModelSubscriber<PlainModel> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(reader, "app", 0, Duration.ofMillis(pollMillis)),
                rowsFolder == null ? loader : loader.mappingRowsIn(RowsFolder.open(rowsFolder)),
                InstantSource.system())) {
      subscriber.start(opener, System.err::println);
      ModelCheckpoint parent = null;
      for (int i = -WARM_UP; i < versions; i++) {
        boolean all = parent == null || i % FULL_EVERY == 0;
        ModelDraft draft = drafts.draft(parent, all);
        // At no fixed time after the last look at the pointer.
        LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(200)));
        long begin = System.nanoTime();
        parent = publisher.publish(draft);
        long committed = System.nanoTime();
        notices.send(parent);
        double millis = (served(subscriber, parent, committed) - committed) / 1e6;
        publisher.cleanUp(KEEP, Set.of());
        if (i >= 0) {
          (all ? full : changes).add(millis);
          publishing.add((committed - begin) / 1e6);
        }
      }
      if (!subscriber.status().noticesError().isEmpty()) {
        throw new IllegalStateException(subscriber.status().noticesError());
      }
    }
    List<Double> both = new ArrayList<>(changes);
    both.addAll(full);
    System.out.printf(
        "| %s, %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |%n",
        way,
        kafka == null ? "poll " + pollMillis + " ms" : "notice",
        quantile(both, 0.5),
        quantile(both, 0.95),
        quantile(both, 0.99),
        quantile(both, 1),
        quantile(changes, 0.5),
        quantile(full, 0.5),
        quantile(publishing, 0.5));
  }

  private static long served(
      ModelSubscriber<PlainModel> subscriber, ModelCheckpoint published, long since) {
    while (!subscriber.current().map(it -> it.digest().equals(published.digest())).orElse(false)) {
      if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
        throw new IllegalStateException("not served: " + subscriber.status());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return System.nanoTime();
  }

  private static double quantile(List<Double> values, double share) {
    List<Double> sorted = values.stream().sorted().toList();
    int at = (int) Math.ceil(share * sorted.size()) - 1;
    return sorted.isEmpty() ? Double.NaN : sorted.get(Math.max(0, at));
  }
}
