package example;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.metrics.SubscriberMetrics;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Predicts events of one application, always with the version that serves.
 *
 * <pre>
 * PredictionService MODELS APPLICATION PORT [BOOTSTRAP_SERVERS]
 * </pre>
 *
 * MODELS is the folder that a job publishes to, or the address of {@code idla models serve}. With Kafka servers it says on the topic
 * APPLICATION-subscribers what it serves. A model that it could not compare with the published one for five minutes ({@code -Dmax-staleness=PT5M}) does not
 * answer any more.
 */
public final class PredictionService {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_BYTES = 1 << 20;
  private static final int THREADS = 8;
  private static final int WAITING = 128;

  private final ModelSubscriber<PlainModel> subscriber;
  private final PrometheusMeterRegistry meters;

  private PredictionService(ModelSubscriber<PlainModel> subscriber, PrometheusMeterRegistry meters) {
    this.subscriber = subscriber;
    this.meters = meters;
  }

  public static void main(String[] args) throws Exception {
    if (args.length < 3 || args.length > 4) {
      System.err.println("usage: PredictionService MODELS APPLICATION PORT [BOOTSTRAP_SERVERS]");
      System.exit(2);
    }
    if (!args[0].startsWith("http")) {
      serve(new ModelStore(Path.of(args[0]), InstantSource.system()), args);
      return;
    }
    try (HttpModelSource http = new HttpModelSource(HttpModelSettings.of(URI.create(args[0]), null))) {
      serve(new ModelReader(http), args);
    }
  }

  private static void serve(ModelReader models, String[] args) throws Exception {
    Duration maxStaleness = Duration.parse(System.getProperty("max-staleness", "PT5M"));
    ModelSubscriber.Subscription subscription =
        new ModelSubscriber.Subscription(models, args[1], 0, Duration.ofMillis(200))
            .with(new ModelSubscriber.StalenessLimit(maxStaleness, ModelSubscriber.WhenStale.REFUSE));
    try (ModelSubscriber<PlainModel> subscriber =
            new ModelSubscriber<>(subscription, new PlainModelLoader(), InstantSource.system());
        HeartbeatReporter reporter = args.length == 4 ? reporter(subscriber, args[3]) : null) {
      subscriber.start(null, refusal -> System.err.println("refused: " + refusal));
      PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      new SubscriberMetrics(subscriber, InstantSource.system()).bindTo(meters);
      untilEnded(new PredictionService(subscriber, meters), args[1], Integer.parseInt(args[2]));
    }
    System.out.println("stopped");
  }

  private static HeartbeatReporter reporter(ModelSubscriber<?> subscriber, String servers) {
    return HeartbeatReporter.start(
        Map.of("bootstrap.servers", servers),
        subscriber.subscription().application() + "-subscribers",
        SubscriberIdentity.ofProcess(System.getProperty("name"), new SplittableRandom()),
        List.of(HeartbeatReporter.Reported.of(subscriber)));
  }

  private static void untilEnded(PredictionService service, String application, int port) throws Exception {
    HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.createContext("/predict", service::predict);
    http.createContext("/metrics", service::metrics);
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING));
    http.setExecutor(threads);
    http.start();
    System.out.printf("predicting %s at http://127.0.0.1:%d/predict%n", application, http.getAddress().getPort());
    CountDownLatch ending = new CountDownLatch(1);
    Thread serving = Thread.currentThread();
    // Ctrl-C and SIGTERM: the process ends when main has closed everything, or after ten seconds.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  ending.countDown();
                  try {
                    serving.join(10_000);
                  } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                  }
                }));
    try {
      ending.await();
    } finally {
      http.stop(0);
      threads.shutdownNow();
    }
  }

  /** An event as JSON, as the application has them; the label may be missing. */
  private void predict(HttpExchange request) throws IOException {
    if (!request.getRequestMethod().equals("POST")) {
      answer(request, 405, error("POST an event as JSON"));
      return;
    }
    byte[] event = request.getRequestBody().readNBytes(MOST_BYTES + 1);
    if (event.length > MOST_BYTES) {
      answer(request, 413, error("an event has 1 MiB at most"));
      return;
    }
    // The lease keeps this version for this request, whatever is published meanwhile.
    Optional<ModelLease<PlainModel>> lease = subscriber.tryAcquire();
    if (lease.isEmpty()) {
      request.getResponseHeaders().set("Retry-After", "1");
      answer(request, 503, error("no model, or one that is too stale: " + subscriber.lastError()));
      return;
    }
    try (ModelLease<PlainModel> model = lease.get()) {
      SampleSchema schema = model.model().spec().schema();
      Sample sample = new JsonSampleDecoder(schema).decode(event);
      answer(request, 200, predicted(schema.label(), model.model().predict(sample), model));
    } catch (MalformedSampleException refused) {
      answer(request, 400, error(refused.getMessage()));
    }
  }

  private static ObjectNode predicted(SampleSchema.Label label, double[] prediction, ModelLease<?> model) {
    ObjectNode answer = JSON.createObjectNode();
    if (label.task() == SampleSchema.Task.REGRESSION) {
      answer.put("prediction", prediction[0]);
    } else {
      ObjectNode probabilities = JSON.createObjectNode();
      int best = 0;
      for (int i = 0; i < prediction.length; i++) {
        best = prediction[i] > prediction[best] ? i : best;
        probabilities.put(label.classes().get(i), prediction[i]);
      }
      answer.put("prediction", label.classes().get(best));
      answer.set("probabilities", probabilities);
    }
    answer.put("version", model.version());
    answer.put("ageMillis", System.currentTimeMillis() - model.checkpoint().manifest().createdAtMillis());
    return answer;
  }

  private void metrics(HttpExchange request) throws IOException {
    send(request, 200, "text/plain; version=0.0.4; charset=utf-8", meters.scrape().getBytes("UTF-8"));
  }

  private static ObjectNode error(String sentence) {
    return JSON.createObjectNode().put("error", sentence);
  }

  private static void answer(HttpExchange request, int status, ObjectNode answer) throws IOException {
    send(request, status, "application/json", JSON.writeValueAsBytes(answer));
  }

  private static void send(HttpExchange request, int status, String type, byte[] body) throws IOException {
    try (request) {
      request.getResponseHeaders().set("Content-Type", type);
      request.sendResponseHeaders(status, body.length);
      request.getResponseBody().write(body);
    }
  }
}
