package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.idlalayer.middleware.models.http.BoundedHttpServer;
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
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InferenceServerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONNECTIONS = 256;

  /** Seven eighths; the JDK keeps 200. */
  private static final int IDLE_CONNECTIONS = 224;

  private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)Content-Length: (\\d+)");
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(new DenseFeature("x", 1, 2f), new DenseFeature("v", 2, 1f)),
          List.of(new CategoricalFeature("kind", 10)),
          List.of(new IdFeature("user", 1), new IdFeature("items", 3)),
          new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
          null);
  private static final String X = tensor("x", "FP32", "[1]", "[0.5]");
  private static final String V = tensor("v", "FP32", "[1,2]", "[1,2]");

  @TempDir Path root;
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Sample> asked = new CopyOnWriteArrayList<>();
  private final AtomicInteger disposed = new AtomicInteger();
  private ModelStore store;
  private ModelPublisher publisher;
  private ModelSubscriber<Predictor> subscriber;
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
    public float[][] predict(List<Sample> samples) {
      asked.clear();
      asked.addAll(samples);
      float[][] rows = new float[samples.size()][];
      if (text.equals("slow")) {
        LockSupport.parkNanos(100_000_000);
      }
      long end = System.nanoTime() + 900_000_000;
      while (text.equals("slower") && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < rows.length; i++) {
        Thread.onSpinWait();
        if (freed || text.equals("broken")) {
          throw new IllegalStateException(freed ? "it was freed" : "/secret/path");
        }
        float yes = text.equals("nan") ? Float.NaN : version / 1000f;
        rows[i] = new float[] {1 - yes, yes};
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

  private void publish(String text) throws IOException {
    publisher.publish(
        new ModelDraft(
            "app",
            0,
            1,
            0,
            "",
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(Map.of("model.zip", text.getBytes(StandardCharsets.UTF_8)))));
  }

  private void serve(String text) throws IOException {
    publish(text);
    subscriber.refresh();
  }

  private void start(@Nullable String token, Duration patience) throws IOException {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server =
        InferenceServer.start(
            List.of(new ServedModel("app", subscriber)),
            new ModelServerSettings(bind, token, false, null, 16, CONNECTIONS, patience, Set.of()),
            () -> Instant.ofEpochMilli(12_345));
  }

  private void start() throws IOException {
    serve("good");
    start(null, Duration.ofSeconds(10));
  }

  private URI address(String path) {
    InferenceServer running = server;
    if (running == null) {
      throw new AssertionError("no server");
    }
    return URI.create(running.address() + path);
  }

  private HttpResponse<String> send(String method, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(path))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode get(int status, String path) throws Exception {
    HttpResponse<String> answer = send("GET", path, "");
    assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return JSON.readTree(answer.body());
  }

  private JsonNode infer(int status, String body) throws Exception {
    HttpResponse<String> answer = send("POST", "/models/app/infer", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return JSON.readTree(answer.body());
  }

  private static String tensor(String name, String datatype, String shape, String data) {
    return "{\"name\":\"%s\",\"shape\":%s,\"datatype\":\"%s\",\"data\":%s}"
        .formatted(name, shape, datatype, data);
  }

  private static String inputs(String... tensors) {
    return "{\"inputs\":[" + String.join(",", tensors) + "]}";
  }

  private HttpResponse<String> meters(String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(address("").resolve("/metrics")).GET();
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void metrics_ofAModel_areInPrometheusText() throws Exception {
    start("secret", Duration.ofSeconds(10));
    assertThat(meters().statusCode()).isEqualTo(401);
    String[] token = {"Authorization", "Bearer secret"};
    String labels = "{model=\"app\",application=\"app\",partition=\"0\",alias=\"\"} ";
    assertThat(meters(token).body())
        .contains("\nidla_model_version" + labels + "0\n")
        .contains("idla_model_age_seconds" + labels + "NaN\n")
        .contains("idla_model_unknown_ids_total" + labels + "NaN\n");
    serve("good");
    serve("better");
    HttpResponse<String> answer = meters(token);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");

    List<String> lines = answer.body().lines().toList();
    assertThat(lines)
        .contains(
            "# TYPE idla_model_version gauge",
            "# TYPE idla_model_swaps_total counter",
            "# TYPE idla_model_load_seconds summary",
            "idla_model_version" + labels + "2",
            "idla_model_age_seconds" + labels + "2.345",
            "idla_model_staleness_seconds" + labels + "0",
            "idla_model_swaps_total" + labels + "2",
            "idla_model_refusals_total" + labels + "0",
            "idla_model_notices_failures_total" + labels + "0",
            "idla_model_leases" + labels + "0",
            "idla_model_retired" + labels + "0",
            "idla_model_load_seconds_count" + labels + "2",
            "# TYPE idla_model_unknown_ids_total counter",
            "idla_model_unknown_ids_total" + labels + "20")
        .allMatch(
            line -> line.matches("# (HELP|TYPE) idla_model_\\w+ .+|idla_model_\\w+\\{.+} \\S+"));
  }

  @Test
  void get_serverAndModel_areAsTheProtocolSays() throws Exception {
    start();
    for (String path : List.of("", "/")) {
      assertThat(get(200, path).path("name").asText()).isEqualTo("idlalayer");
      assertThat(get(200, path).path("extensions").isArray()).isTrue();
      assertThat(get(200, path).path("version").isTextual()).isTrue();
    }
    assertThat(get(200, "/health/live").path("live").asBoolean()).isTrue();
    assertThat(get(200, "/health/ready").path("ready").asBoolean()).isTrue();
    assertThat(get(200, "/models/app/ready").path("name").asText()).isEqualTo("app");
    assertThat(get(200, "/models/app/versions/1/ready").path("ready").asBoolean()).isTrue();
    assertThat(get(503, "/models/app/versions/2/ready").path("ready").asBoolean(true)).isFalse();
    JsonNode model = get(200, "/models/app");
    assertThat(model).isEqualTo(get(200, "/models/app/versions/1"));
    assertThat(model)
        .isEqualTo(
            JSON.readTree(
                """
                {"name":"app","versions":["1"],"platform":"idlalayer",
                 "inputs":[{"name":"x","datatype":"FP32","shape":[-1]},
                           {"name":"v","datatype":"FP32","shape":[-1,2]},
                           {"name":"kind","datatype":"BYTES","shape":[-1]},
                           {"name":"user","datatype":"BYTES","shape":[-1]},
                           {"name":"items","datatype":"BYTES","shape":[-1,3]}],
                 "outputs":[{"name":"prediction","datatype":"BYTES","shape":[-1]},
                            {"name":"probabilities","datatype":"FP32","shape":[-1,2]}]}
                """));
    assertThat(get(404, "/models/app/versions/2").path("error").asText())
        .isEqualTo("version 2 of 'app' is not in service, version 1 is");
    assertThat(get(404, "/models/other").path("error").asText())
        .isEqualTo("there is no model 'other' here");
    for (String path : List.of("/models", "/models/app/x", "/models/%61pp", "/models/app/infer/")) {
      assertThat(get(404, path).path("error").asText()).as(path).isNotEmpty();
    }
    assertThat(get(405, "/models/app/infer").path("error").asText()).contains("POST");
    assertThat(send("DELETE", "/models/app", "").statusCode()).isEqualTo(405);
    assertThat(send("HEAD", "/health/live", "").statusCode()).isEqualTo(200);
  }

  @Test
  void infer_aTensorForEachFeature_predictsWhatTheEventsWould() throws Exception {
    start();
    JsonNode answer =
        infer(
            200,
            "{\"id\":\"42\",\"parameters\":{\"a\":{\"b\":1}},"
                + inputs(
                        tensor("x", "FP64", "[2]", "[0.1,-3e2]"),
                        tensor("v", "FP32", "[2,2]", "[[1,2],[3,4]]"),
                        tensor("kind", "BYTES", "[2,1]", "[\"a\",\"\"]"),
                        tensor("user", "INT64", "[2]", "[9007199254740993,7]"),
                        tensor("items", "BYTES", "[2,3]", "[\"p\",\"q\",\"\",\"\",\"\",\"\"]"))
                    .substring(1));
    JsonSampleDecoder decoder = new JsonSampleDecoder(SCHEMA);
    List<String> events =
        List.of(
            "{\"x\":0.1,\"v\":[1,2],\"kind\":\"a\",\"user\":9007199254740993,\"items\":[\"p\",\"q\"]}",
            "{\"x\":-300,\"v\":[3,4],\"user\":7,\"items\":[]}");
    for (int i = 0; i < 2; i++) {
      Sample expected = decoder.decode(events.get(i).getBytes(StandardCharsets.UTF_8));
      assertThat(asked.get(i).dense()).isEqualTo(expected.dense());
      assertThat(asked.get(i).categorical()).isEqualTo(expected.categorical());
      assertThat(asked.get(i).ids()).isEqualTo(expected.ids());
    }
    assertThat(answer)
        .isEqualTo(
            JSON.readTree(
                """
                {"model_name":"app","model_version":"1","id":"42",
                 "parameters":{"version":1,"created_at_millis":10000,"age_millis":2345},
                 "outputs":[{"name":"prediction","datatype":"BYTES","shape":[2],"data":["no","no"]},
                            {"name":"probabilities","datatype":"FP32","shape":[2,2],
                             "data":[0.999,0.001,0.999,0.001]}]}
                """));
  }

  @Test
  void infer_otherForms_areTheSameSamples() throws Exception {
    start();
    infer(200, inputs(X, V));
    Sample plain = asked.get(0);
    List<String> others = new ArrayList<>();
    others.add(inputs(tensor("features", "FP32", "[1,3]", "[0.5,1,2]")));
    others.add(inputs(tensor("features", "FP64", "[1,3]", "[[0.5,1,2]]")));
    others.add(inputs(tensor("events", "BYTES", "[1]", "[\"{\\\"x\\\":0.5,\\\"v\\\":[1,2]}\"]")));
    others.add(inputs(V, "{\"data\":[0.5],\"datatype\":\"FP32\",\"shape\":[1,1],\"name\":\"x\"}"));
    others.add(inputs(X, tensor("v", "INT32", "[1,2]", "[1,2]")));
    for (String body : others) {
      JsonNode answer = infer(200, body);
      assertThat(asked.get(0).dense()).as(body).isEqualTo(plain.dense());
      assertThat(asked.get(0).ids()).as(body).isEqualTo(plain.ids());
      assertThat(answer.has("id")).isFalse();
    }
    String one = inputs(X, V).replaceFirst("\\{", "{\"outputs\":[{\"name\":\"probabilities\"}],");
    assertThat(infer(200, one).path("outputs")).hasSize(1);
    HttpResponse<String> versioned =
        send("POST", "/models/app/versions/1/infer", inputs(X, V), "Content-Type", "text/plain");
    assertThat(versioned.statusCode()).isEqualTo(200);
    assertThat(send("POST", "/models/app/versions/2/infer", inputs(X, V)).statusCode())
        .isEqualTo(404);
  }

  @Test
  void infer_wrongRequests_areRefusedSayingWhatIsWrong() throws Exception {
    start();
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("", "not a JSON object");
    wrong.put("[]", "not a JSON object");
    wrong.put("{", "not a request in JSON");
    wrong.put("{\"inputs\":[}", "not a request in JSON");
    wrong.put("{\"a\":" + "[".repeat(5_000), "nest");
    wrong.put(inputs(X, V) + "x", "not a request in JSON");
    wrong.put(inputs(X, V) + "{}", "after the JSON object");
    wrong.put("{}", "has no inputs");
    wrong.put("{\"inputs\":[]}", "has no inputs");
    wrong.put("{\"inputs\":{}}", "inputs is no array");
    wrong.put("{\"inputs\":[],\"inputs\":[]}", "Duplicate field 'inputs'");
    wrong.put("{\"id\":7," + inputs(X, V).substring(1), "the id of the request is no string");
    wrong.put("{\"inputs\":[7]}", "inputs[0] is no object");
    wrong.put(inputs("{}"), "inputs[0] has no name");
    wrong.put(inputs("{\"name\":\"x\"}"), "input 'x' has no datatype");
    wrong.put(inputs(tensor("x", "FP16", "[1]", "[1]")), "input 'x': datatype 'FP16' is none of");
    wrong.put(inputs(X, X), "input 'x' is there twice");
    wrong.put(inputs(X), "input 'v' is missing; the model takes 'x', 'v', 'kind', 'user', 'items'");
    wrong.put(inputs(X, V, tensor("w", "FP32", "[1]", "[1]")), "input 'w': the model takes 'x'");
    wrong.put(
        inputs(tensor("x", "FP32", "[2]", "[1]"), V), "shape [2] has 2 elements, its data has 1");
    wrong.put(inputs(tensor("x", "FP32", "[]", "[]"), V), "the shape of input 'x' is []");
    wrong.put(inputs(tensor("x", "FP32", "[-1]", "[1]"), V), "the shape of input 'x' is [-1");
    wrong.put(inputs(tensor("x", "FP32", "[1.5]", "[1]"), V), "a value that is not a count");
    wrong.put(
        inputs(tensor("x", "FP32", "[" + "999999999,".repeat(7) + "999999999]", "[1]"), V),
        "far too many");
    wrong.put(inputs(tensor("x", "FP32", "[0]", "[]"), V), "input 'x': it has 0 rows");
    wrong.put(
        inputs(tensor("x", "FP32", "[2]", "[1,2]"), V), "input 'v': it has 1 rows, and 'x' has 2");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[null]"), V), "the data of input 'x' has null");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[\"1\"]"), V), "has a string at element 0");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[{}]"), V), "has an object at element 0");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "7"), V), "the data of input 'x' is no array");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[1e300]"), V), "input 'x', row 0: x: ");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[1e999]"), V), "is not a finite number");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[NaN]"), V), "not a request in JSON");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[" + "1".repeat(5_000) + "]"), V), "length");
    wrong.put(
        inputs(X, tensor("v", "FP32", "[1,3]", "[1,2,3]")),
        "has 3 values in a row, and the model takes 2");
    wrong.put(
        inputs(X, tensor("v", "FP32", "[1,2]", "[[1],[2]]")), "nesting of its data does not match");
    wrong.put(
        inputs(X, tensor("v", "FP32", "[1,2]", "[[1],2]")), "nesting of its data does not match");
    wrong.put(inputs(X, tensor("v", "FP32", "[1,2,1]", "[1,2]")), "3 dimensions");
    wrong.put(
        inputs(tensor("x", "FP32", "[1]", "[".repeat(20) + "1" + "]".repeat(20)), V),
        "nested too deeply");
    wrong.put(
        inputs(X, V, tensor("kind", "FP32", "[1]", "[1]")),
        "the model takes BYTES, INT32 or INT64");
    wrong.put(
        inputs(X, V, tensor("kind", "BYTES", "[1]", "[1]")),
        "its data has numbers, and BYTES has strings");
    wrong.put(inputs(X, V, tensor("kind", "BYTES", "[1,2]", "[\"a\",\"b\"]")), "the model takes 1");
    wrong.put(inputs(X, V, tensor("user", "INT64", "[1]", "[1.5]")), "not integers");
    wrong.put(
        inputs(X, V, tensor("user", "INT64", "[1]", "[\"1\"]")),
        "has strings, and INT64 has numbers");
    wrong.put(
        inputs(X, V, tensor("user", "BYTES", "[1,2]", "[\"a\",\"b\"]")), "input 'user', row 0: ");
    wrong.put(
        inputs(X, V, tensor("user", "BYTES", "[1]", "[\"" + "i".repeat(5_000) + "\"]")),
        "at most 4096");
    wrong.put(
        inputs(tensor("features", "FP32", "[1,3]", "[1,2,3]"), X), "feature 'x' is given twice");
    wrong.put(inputs(tensor("features", "BYTES", "[1,3]", "[\"1\",\"2\",\"3\"]")), "takes numbers");
    wrong.put(
        inputs(tensor("events", "BYTES", "[1]", "[\"{}\"]")), "input 'events', row 0: x: missing");
    wrong.put(inputs(tensor("events", "FP32", "[1]", "[1]")), "events are BYTES");
    wrong.put(
        "{\"outputs\":[{\"name\":\"y\"}]," + inputs(X, V).substring(1),
        "output 'y': the model gives [prediction, probabilities]");
    wrong.put("{\"outputs\":[{}]," + inputs(X, V).substring(1), "outputs[0] has no name");
    for (Map.Entry<String, String> each : wrong.entrySet()) {
      String error = infer(400, each.getKey()).path("error").asText();
      assertThat(error).as(each.getKey()).contains(each.getValue());
    }
    infer(200, inputs(X, V));
  }

  @Test
  void infer_tooMuch_isRefusedBeforeItIsKept() throws Exception {
    start();
    int rows = RequestSamples.MOST_ROWS;
    String many = tensor("features", "FP32", "[%d,3]", "[" + "1,".repeat(3 * rows + 2) + "1]");
    assertThat(infer(413, inputs(many.formatted(rows + 1))).path("error").asText())
        .contains("1 to 1024");
    String most = tensor("features", "FP32", "[%d,3]", "[" + "1,".repeat(3 * rows - 1) + "1]");
    assertThat(infer(200, inputs(most.formatted(rows))).at("/outputs/1/data")).hasSize(2 * rows);
    String elements = "[" + "1,".repeat(RequestReader.MOST_ELEMENTS) + "1]";
    assertThat(infer(413, inputs(tensor("x", "FP32", "[1]", elements), V)).path("error").asText())
        .contains("elements");
    String large = "{\"x\":\"" + "y".repeat((int) InferenceServer.MOST_BODY_BYTES) + "\"}";
    assertThat(infer(413, large).path("error").asText()).contains("4194304 bytes");
    HttpRequest unannounced =
        HttpRequest.newBuilder(address("/models/app/infer"))
            .POST(
                HttpRequest.BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8))))
            .build();
    assertThat(client.send(unannounced, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(413);
    assertThat(send("POST", "/models/app/infer", "x", "Content-Encoding", "gzip").statusCode())
        .isEqualTo(415);
    assertThat(
            send("POST", "/models/app/infer", "x", "Inference-Header-Content-Length", "1").body())
        .contains("binary form");
    infer(200, inputs(X, V));
  }

  @Test
  void infer_theModelFails_isAnErrorWithoutSecretsAndTheNextOneIsGood() throws Exception {
    serve("broken");
    start(null, Duration.ofSeconds(10));
    assertThat(infer(500, inputs(X, V)).path("error").asText())
        .isEqualTo("the prediction failed; the log of the server says why");
    serve("nan");
    assertThat(infer(500, inputs(X, V)).path("error").asText())
        .isEqualTo("version 2 of 'app' predicts NaN for row 0");
    serve("good");
    infer(200, inputs(X, V));
  }

  @Test
  void infer_nothingIsPublished_isNotReady() throws Exception {
    start(null, Duration.ofSeconds(10));
    get(200, "/health/live");
    get(503, "/health/ready");
    get(503, "/models/app/ready");
    assertThat(get(503, "/models/app").path("error").asText()).contains("no version of 'app'");
    HttpResponse<String> none = send("POST", "/models/app/infer", inputs(X, V));
    assertThat(none.statusCode()).isEqualTo(503);
    assertThat(none.headers().firstValue("Retry-After")).contains("1");
    serve("good");
    get(200, "/health/ready");
    infer(200, inputs(X, V));
  }

  @Test
  void requests_withoutTheToken_learnOnlyWhetherTheServerIsReady() throws Exception {
    serve("good");
    start("s3cret", Duration.ofSeconds(10));
    get(200, "/health/live");
    get(200, "/health/ready");
    for (String path : List.of("", "/models/app", "/models/app/ready", "/nothing")) {
      assertThat(get(401, path).path("error").asText()).contains("bearer token");
    }
    assertThat(send("POST", "/models/app/infer", inputs(X, V)).statusCode()).isEqualTo(401);
    assertThat(
            send("POST", "/models/app/infer", inputs(X, V), "Authorization", "Bearer other")
                .statusCode())
        .isEqualTo(401);
    assertThat(
            send("POST", "/models/app/infer", inputs(X, V), "Authorization", "Bearer s3cret")
                .statusCode())
        .isEqualTo(200);
  }

  private int statusFor(String host, String... headers) throws IOException {
    String body = inputs(X, V);
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String request =
        "POST /v2/models/app/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n%s"
            .formatted(host, body.length(), more, body);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort())) {
      return status(socket, request.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** A page may have its name resolve to the address of the server. */
  @Test
  void requests_ofAPageOfAnotherSite_areRefused() throws Exception {
    start();
    int port = address("").getPort();
    assertThat(statusFor("evil.example:" + port)).isEqualTo(421);
    assertThat(statusFor("localhost", "Origin: http://evil.example")).isEqualTo(403);
    assertThat(statusFor("localhost", "Sec-Fetch-Site: cross-site")).isEqualTo(403);
    assertThat(statusFor("localhost", "Sec-Fetch-Site: same-site")).isEqualTo(403);
    assertThat(statusFor("localhost:" + port, "Origin: http://localhost:" + port)).isEqualTo(200);
    assertThat(statusFor("10.0.0.7")).isEqualTo(200);
    HttpResponse<String> foreign = send("GET", "/health/live", "", "Origin", "http://evil.example");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(foreign.body())
        .contains("{\"error\":\"pages of other sites may not send requests to this server\"}");
    close();
    open();
    start("s3cret", Duration.ofSeconds(10));
    assertThat(statusFor("evil.example")).isEqualTo(401);
    subscriber.refresh();
    assertThat(statusFor("behind.a.proxy.example", "Authorization: Bearer s3cret")).isEqualTo(200);
  }

  @Test
  void clients_thatAreTooSlow_areCutOffAndOthersAnswered() throws Exception {
    serve("good");
    start(null, Duration.ofMillis(300));
    List<String> beginnings =
        List.of(
            "POST /v2/models/app/infer HTTP/1.1\r\nHost: localhost\r\nConte",
            "POST /v2/models/app/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"inp");
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 30; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort());
        socket.setSoTimeout(60_000);
        OutputStream out = socket.getOutputStream();
        out.write(beginnings.get(i % 2).getBytes(StandardCharsets.US_ASCII));
        slow.add(socket);
      }
      infer(200, inputs(X, V));
      for (Socket each : slow) {
        InputStream in = each.getInputStream();
        assertThat(ended(in)).as("cut off").isTrue();
      }
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
    infer(200, inputs(X, V));
  }

  /** A connection that the server closes between two requests fails the second one. */
  @Test
  void connections_moreThanTheJdkKeeps_areKeptBetweenRequests() throws Exception {
    start();
    assertThat(System.getProperty("sun.net.httpserver.idleInterval"))
        .as("seconds; the JDK's clients keep connections for 1,200")
        .isEqualTo("1260");
    String body = inputs(X, V);
    String head =
        "POST /v2/models/app/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n";
    byte[] request = (head.formatted(body.length()) + body).getBytes(StandardCharsets.UTF_8);
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < IDLE_CONNECTIONS; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort());
        socket.setSoTimeout(60_000);
        open.add(socket);
        assertThat(status(socket, request)).isEqualTo(200);
      }
      for (Socket each : open) {
        assertThat(status(each, request)).isEqualTo(200);
      }
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }

  /** Sends a request and reads its answer to the end; -1 if there is none. */
  private static int status(Socket socket, byte[] request) throws IOException {
    socket.getOutputStream().write(request);
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return -1;
      }
      head.append((char) next);
    }
    Matcher length = CONTENT_LENGTH.matcher(head);
    assertThat(length.find()).as(head.toString()).isTrue();
    in.skipNBytes(Long.parseLong(length.group(1)));
    return Integer.parseInt(head.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
  }

  /** The client can do nothing for a model that is slow. */
  @Test
  void infer_theModelIsSlowerThanClientsMayBe_answersAllTheSame() throws Exception {
    serve("slow");
    start(null, Duration.ofMillis(300));
    String data = "[" + "1,".repeat(3 * 512 - 1) + "1]";
    assertThat(
            infer(200, inputs(tensor("features", "FP32", "[512,3]", data))).at("/outputs/0/data"))
        .hasSize(512);
    serve("slower");
    infer(200, inputs(X, V));
  }

  /** A supervisor that is told that the server is dead ends it. */
  @Test
  void live_tooManyRequests_isAnswered() throws Exception {
    BoundedHttpServer.Load busy =
        new BoundedHttpServer.Load() {
          @Override
          public boolean busy() {
            return true;
          }

          @Override
          public void progress() {}

          @Override
          public void computing() {}
        };
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer overloaded = HttpServer.create(bind, 0);
    overloaded.createContext(
        "/",
        new InferenceHandler(
            List.of(new ServedModel("app", subscriber)),
            ModelServerSettings.of(bind, null, false, null),
            () -> Instant.ofEpochMilli(12_345),
            busy));
    overloaded.start();
    try {
      URI v2 = URI.create("http://127.0.0.1:%d/v2/".formatted(overloaded.getAddress().getPort()));
      assertThat(statusOf(v2.resolve("health/live"))).isEqualTo(200);
      assertThat(statusOf(v2.resolve("health/ready"))).isEqualTo(503);
      assertThat(statusOf(v2.resolve("models/app"))).isEqualTo(503);
    } finally {
      overloaded.stop(0);
    }
  }

  private int statusOf(URI address) throws Exception {
    return client
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static boolean ended(InputStream in) {
    try {
      return in.readAllBytes().length == 0;
    } catch (java.net.SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /** Each row of an answer is of the version that the answer names, and no request fails. */
  @Test
  void infer_versionsAreSwappedMeanwhile_noRequestFailsNorMixesVersions() throws Exception {
    start();
    int rows = 50;
    ObjectNode body = JSON.createObjectNode();
    ArrayNode data = JSON.createArrayNode();
    for (int i = 0; i < 3 * rows; i++) {
      data.add(i);
    }
    ObjectNode features = body.putArray("inputs").addObject();
    features.put("name", "features").put("datatype", "FP32");
    features.putArray("shape").add(rows).add(3);
    features.set("data", data);
    String request = body.toString();
    subscriber.start(null, reason -> {});
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> clients = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        clients.add(threads.submit(() -> ask(request, rows, done)));
      }
      for (int version = 2; version <= 60; version++) {
        publish("good");
        int expected = version;
        org.awaitility.Awaitility.await()
            .pollInterval(Duration.ofMillis(1))
            .until(() -> subscriber.status().version() == expected);
      }
      done.set(true);
      int answered = 0;
      for (Future<Integer> each : clients) {
        answered += each.get();
      }
      assertThat(answered).isGreaterThan(60);
    } finally {
      threads.shutdownNow();
    }
    assertThat(disposed.get()).isGreaterThan(50);
    assertThat(subscriber.status().openLeases()).isZero();
  }

  private int ask(String request, int rows, AtomicBoolean done) throws Exception {
    int answered = 0;
    while (!done.get()) {
      JsonNode answer = infer(200, request);
      float version = answer.at("/parameters/version").asLong() / 1000f;
      JsonNode probabilities = answer.at("/outputs/1/data");
      assertThat(probabilities).hasSize(2 * rows);
      for (int row = 0; row < rows; row++) {
        assertThat(probabilities.get(2 * row + 1).floatValue()).isEqualTo(version);
      }
      answered++;
    }
    return answered;
  }
}
