package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server of one application, whose predictors say which version they are, and a client. */
abstract class InferenceServerFixture {
  static final ObjectMapper JSON = new ObjectMapper();
  static final int CONNECTIONS = 256;
  static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(new DenseFeature("x", 1, 2f), new DenseFeature("v", 2, 1f)),
          List.of(new CategoricalFeature("kind", 10)),
          List.of(new IdFeature("user", 1), new IdFeature("items", 3)),
          new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
          null);
  static final String X = tensor("x", "FP32", "[1]", "[0.5]");
  static final String V = tensor("v", "FP32", "[1,2]", "[1,2]");

  @TempDir Path root;
  final HttpClient client = HttpClient.newHttpClient();
  final List<Sample> asked = new CopyOnWriteArrayList<>();
  final AtomicInteger disposed = new AtomicInteger();
  private ModelStore store;
  private ModelPublisher publisher;
  ModelSubscriber<Predictor> subscriber;
  private @Nullable InferenceServer server;

  /** Predicts its version divided by 1000, row by row; fails if it is used after it was freed. */
  private final class FakePredictor implements Predictor {
    final String text;
    final long version;
    volatile boolean freed;

    FakePredictor(String text, long version) {
      this.text = text;
      this.version = version;
    }

    @Override
    public ModelSpec spec() {
      return new ModelSpec(
          SCHEMA,
          new ModelSpec.Network.Mlp(List.of(2)),
          new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0),
          true);
    }

    @Override
    public long unknownIds() {
      return version * 10;
    }

    @Override
    public double[][] predict(List<Sample> samples) {
      asked.clear();
      asked.addAll(samples);
      double[][] rows = new double[samples.size()][];
      if (text.equals("slow")) {
        LockSupport.parkNanos(200_000_000);
      }
      long end = System.nanoTime() + 1_500_000_000;
      while (text.equals("slower") && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < rows.length; i++) {
        Thread.onSpinWait();
        if (freed || text.equals("broken")) {
          throw new IllegalStateException(freed ? "it was freed" : "/secret/path");
        }
        double yes = text.equals("nan") ? Float.NaN : version / 1000f;
        rows[i] = new double[] {1 - yes, yes};
      }
      return rows;
    }
  }

  private final class FakeLoader implements ModelLoader<Predictor> {
    @Override
    public Predictor load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      byte[] text = files.getOrDefault("model.zip", new byte[0]);
      return new FakePredictor(
          new String(text, StandardCharsets.UTF_8), checkpoint.manifest().version());
    }

    @Override
    public void dispose(Predictor model) {
      ((FakePredictor) model).freed = true;
      disposed.incrementAndGet();
    }
  }

  @BeforeEach
  void open() throws IOException {
    store = new ModelStore(root, () -> Instant.ofEpochMilli(10_000));
    publisher = store.claim("app", 0);
    subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(1)),
            new FakeLoader(),
            () -> Instant.ofEpochMilli(12_345),
            () -> 0);
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
    subscriber.close();
  }

  void publish(String text) throws IOException {
    publish(text, 0, Map.of(), Map.of(), Map.of());
  }

  /** Publishes a version with an origin: its parent, offsets of the input, counts and metrics. */
  ModelCheckpoint publish(
      String text,
      long parent,
      Map<String, Long> offsets,
      Map<String, Long> counts,
      Map<String, Double> metrics)
      throws IOException {
    return publisher.publish(
        new ModelDraft(
            "app",
            0,
            1,
            parent,
            parent == 0 ? "" : store.read("app", 0, parent).digest(),
            new TreeMap<>(offsets),
            new TreeMap<>(counts),
            new TreeMap<>(metrics),
            new TreeMap<>(),
            new TreeMap<>(Map.of("model.zip", text.getBytes(StandardCharsets.UTF_8)))));
  }

  void serve(String text) throws IOException {
    publish(text);
    subscriber.refresh();
  }

  void start(@Nullable String token, Duration patience) throws IOException {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server =
        InferenceServer.start(
            List.of(new ServedModel("app", subscriber)),
            new ModelServerSettings(bind, token, false, null, 16, CONNECTIONS, patience, Set.of()),
            () -> Instant.ofEpochMilli(12_345));
  }

  void start() throws IOException {
    serve("good");
    start(null, Duration.ofSeconds(10));
  }

  URI address(String path) {
    InferenceServer running = server;
    if (running == null) {
      throw new AssertionError("no server");
    }
    return URI.create(running.address() + path);
  }

  HttpResponse<String> send(String method, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(path))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  JsonNode get(int status, String path) throws Exception {
    HttpResponse<String> answer = send("GET", path, "");
    assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return JSON.readTree(answer.body());
  }

  JsonNode infer(int status, String body) throws Exception {
    HttpResponse<String> answer = send("POST", "/models/app/infer", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return JSON.readTree(answer.body());
  }

  static String tensor(String name, String datatype, String shape, String data) {
    return "{\"name\":\"%s\",\"shape\":%s,\"datatype\":\"%s\",\"data\":%s}"
        .formatted(name, shape, datatype, data);
  }

  static String inputs(String... tensors) {
    return "{\"inputs\":[" + String.join(",", tensors) + "]}";
  }
}
