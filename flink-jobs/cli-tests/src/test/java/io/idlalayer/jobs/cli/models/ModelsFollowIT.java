package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.TopicBytes;
import io.idlalayer.middleware.models.kafka.KafkaNoticeSource;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.kafka.ModelNoticeCodec;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelloader.network.SmallModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notices over a real broker that is not there at first, and restarts in between. */
final class ModelsFollowIT {
  private static final String TOPIC = "app-models";
  private static final Duration WAIT = Duration.ofMinutes(5);

  @TempDir Path folder;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void createTopic(String servers) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(2, TimeUnit.MINUTES);
    }
  }

  private static void tell(String servers, ModelCheckpoint published) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        TopicBytes.producer(Map.of("bootstrap.servers", servers))) {
      ModelNotice notice =
          new ModelNotice(
              "app", 0, published.manifest().version(), published.digest(), System.nanoTime());
      producer
          .send(new ProducerRecord<>(TOPIC, utf8("other"), utf8("garbage")))
          .get(2, TimeUnit.MINUTES);
      producer
          .send(new ProducerRecord<>(TOPIC, utf8(notice.key()), ModelNoticeCodec.encode(notice)))
          .get(2, TimeUnit.MINUTES);
    }
  }

  /** The listener may still be connecting, so the notice is repeated until it is heard. */
  private static void tellUntil(
      String servers, ModelCheckpoint published, Callable<Boolean> heard) {
    await()
        .atMost(WAIT)
        .pollInterval(Duration.ofMillis(300))
        .until(
            () -> {
              tell(servers, published);
              return heard.call();
            });
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The pointer is looked at once in ten minutes, so whatever is seen was noticed. The broker is
   * not there when the subscriber starts, then has no topic, then is stopped and started again.
   */
  @Test
  void start_brokerComesLateAndRestarts_noticesWakeTheSubscriber() throws Exception {
    int port = freePort();
    String servers = "127.0.0.1:" + port;
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    ModelPublisher publisher = store.claim("app", 0);
    Map<String, Object> kafka =
        Map.of(
            "bootstrap.servers", servers,
            "default.api.timeout.ms", 1_000,
            "request.timeout.ms", 900);
    ModelLoader<Long> loader = (checkpoint, files) -> checkpoint.manifest().version();
    try (ModelSubscriber<Long> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMinutes(10)),
            loader,
            InstantSource.system())) {
      subscriber.start(() -> new KafkaNoticeSource(kafka, TOPIC, "app", 0), reason -> {});
      await().atMost(WAIT).until(() -> !subscriber.status().noticesError().isEmpty());
      try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), port)) {
        await().atMost(WAIT).until(() -> subscriber.status().noticesError().contains("no topic"));
        createTopic(broker.bootstrapServers());
        await().atMost(WAIT).until(() -> subscriber.status().noticesError().isEmpty());
        ModelCheckpoint first = publisher.publish(Drafts.of("app", Map.of("file", utf8("one"))));
        tellUntil(servers, first, () -> serving(subscriber) == 1);
      }
      try (EmbeddedBroker again = EmbeddedBroker.start(folder.resolve("kafka"), port)) {
        ModelCheckpoint second = publisher.publish(Drafts.of("app", Map.of("file", utf8("two"))));
        tellUntil(again.bootstrapServers(), second, () -> serving(subscriber) == 2);
        assertThat(subscriber.lastError()).isEmpty();
        followByCommand(servers, publisher);
      }
    }
  }

  private static long serving(ModelSubscriber<Long> subscriber) {
    Optional<ModelLease<Long>> lease = subscriber.tryAcquire();
    long version = lease.map(ModelLease::model).orElse(0L);
    lease.ifPresent(ModelLease::close);
    return version;
  }

  private void followByCommand(String servers, ModelPublisher publisher) throws Exception {
    SortedMap<String, byte[]> files = SmallModels.files("x", List.of("0", "1"));
    publisher.publish(Drafts.of("app", files));
    IdlaRun idla = new IdlaRun();
    ExecutorService background = Executors.newSingleThreadExecutor();
    try {
      Future<Integer> code =
          background.submit(
              () ->
                  idla.run(
                      "models follow app --poll-millis 600000 --count 2 --models-dir",
                      folder.resolve("models"),
                      "--bootstrap-servers",
                      servers));
      await().atMost(WAIT).until(() -> idla.out().contains("app v3 loaded"));
      ModelCheckpoint fourth = publisher.publish(Drafts.of("app", files));
      tellUntil(servers, fourth, code::isDone);
      assertThat(code.get()).isZero();
      assertThat(idla.out()).contains("app v4 loaded");
      // This broker has a topic of notices and none of heartbeats.
      assertThat(idla.err().lines())
          .allMatch(said -> said.contains("there is no topic app-subscribers"))
          .hasSizeLessThanOrEqualTo(1);
    } finally {
      background.shutdownNow();
    }
  }
}
