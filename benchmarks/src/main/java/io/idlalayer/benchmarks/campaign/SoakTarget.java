package io.idlalayer.benchmarks.campaign;

import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Broker;
import io.idlalayer.benchmarks.campaign.process.Product;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker, a process with many learners, and a producer that feeds them. */
final class SoakTarget implements AutoCloseable {
  private static final String NAME = "soak";
  private static final long STOP_MILLIS = 300_000;

  private final Broker broker;
  private final Victim run;
  private final Path work;
  private final int learners;
  private final KafkaProducer<byte[], byte[]> producer;
  private final SplittableRandom random = new SplittableRandom(1);

  private SoakTarget(Broker broker, Victim run, Path work, int learners) {
    this.broker = broker;
    this.run = run;
    this.work = work;
    this.learners = learners;
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.servers(), "acks", "all", "linger.ms", 20),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Starts everything in a folder. */
  static SoakTarget start(Path lib, Path folder, int learners, int maxSamples)
      throws IOException, InterruptedException {
    Path root = folder.resolve("soak");
    Path brokerFolder = folder.resolve("broker");
    Files.createDirectories(root);
    Files.createDirectories(brokerFolder);
    Product product = new Product(lib, folder.resolve("state"));
    Broker broker = new Broker(product, brokerFolder, Map.of());
    try {
      broker.create(NAME + "-in", learners);
      Path application = root.resolve("app.yaml");
      Files.writeString(
          application,
          AppFile.text(NAME, learners)
              .replace("{rule: count, count: 100, max-wait: 2s}", "{rule: periodic, period: 1s}")
              .replace("max-samples: 100000", "max-samples: " + maxSamples)
              .replace("hot-bytes: 0", "hot-bytes: 4MiB")
              .replace("{keep: 500}", "{keep: 5}"));
      Path work = root.resolve("work");
      Victim run =
          product.idla(
              root.resolve("run.log"),
              Map.of(),
              product.run(
                  application, work, broker.servers(), null, 0, root.resolve("report.json")));
      return new SoakTarget(broker, run, work, learners);
    } catch (IOException | InterruptedException | RuntimeException failed) {
      broker.close();
      throw failed;
    }
  }

  long pid() {
    return run.pid();
  }

  boolean runs() {
    return run.runs();
  }

  String lastWords() throws IOException {
    return run.tail();
  }

  Path workDirectory() {
    return work;
  }

  /** Sends events up to a number; returns how many have been sent. */
  long feed(long sent, long wanted) {
    for (long i = sent; i < wanted; i++) {
      double x1 = random.nextDouble(-1, 1);
      double x2 = random.nextDouble(-1, 1);
      String row = String.format(Locale.ROOT, "%d,%.9f,%.9f,%d", i, x1, x2, x1 + x2 > 0 ? 1 : 0);
      var unused =
          producer.send(
              new ProducerRecord<>(
                  NAME + "-in", (int) (i % learners), null, row.getBytes(StandardCharsets.UTF_8)));
    }
    return Math.max(sent, wanted);
  }

  /** Asks the process to end and says how it did. */
  String stop() throws IOException, InterruptedException {
    run.terminate();
    OptionalInt code = run.awaitExit(STOP_MILLIS);
    List<String> lines = run.tail().lines().toList();
    return code.isPresent()
        ? "ended with exit code " + code.getAsInt()
        : "did not end within %d s: %s"
            .formatted(STOP_MILLIS / 1000, lines.isEmpty() ? "" : lines.get(lines.size() - 1));
  }

  @Override
  public void close() throws InterruptedException {
    producer.close(java.time.Duration.ofSeconds(5));
    run.kill();
    broker.close();
  }
}
