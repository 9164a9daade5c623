package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The answers of the server: metadata, health, metrics, predictions and refusals. */
final class InferenceServerProtocolTest extends InferenceServerFixture {
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
      assertThat(get(200, path).path("extensions")).hasToString("[\"binary_tensor_data\"]");
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
                 "inputs":[{"name":"x","datatype":"FP64","shape":[-1]},
                           {"name":"v","datatype":"FP64","shape":[-1,2]},
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
    wrong.put("{", "not a request in JSON: it ends before it is complete (line 1, column 2)");
    wrong.put("{\"inputs\":[", "it ends before it is complete (line 1, column 12)");
    wrong.put("{\"id\":\"a", "it ends before it is complete (line 1");
    wrong.put("{\"inputs\":[}", "Unexpected close marker '}': expected ']' (line 1, column 12)");
    wrong.put("{\"a\":" + "[".repeat(5_000), "nest");
    wrong.put(inputs(X, V) + "x", "not a request in JSON");
    wrong.put(inputs(X, V) + "{}", "after the JSON object");
    wrong.put("{}", "has no inputs");
    wrong.put("{\"inputs\":[]}", "has no inputs");
    wrong.put("{\"inputs\":{}}", "inputs is not an array");
    wrong.put("{\"inputs\":[],\"inputs\":[]}", "Duplicate field 'inputs'");
    wrong.put("{\"id\":7," + inputs(X, V).substring(1), "the id of the request is not a string");
    wrong.put("{\"inputs\":[7]}", "inputs[0] is not an object");
    wrong.put(inputs("{}"), "inputs[0] has no name");
    wrong.put(inputs("{\"name\":\"x\"}"), "input 'x' has no datatype");
    wrong.put(inputs(tensor("x", "FP16", "[1]", "[1]")), "input 'x': datatype 'FP16' is none of");
    wrong.put(inputs(X, X), "input 'x' is there twice");
    wrong.put(inputs(X), "input 'v' is missing; the model takes 'x', 'v', 'kind', 'user', 'items'");
    wrong.put(
        inputs(X, V, tensor("w", "FP32", "[1]", "[1]")),
        "input 'w' is not one of the model; it takes 'x'");
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
    wrong.put(inputs(tensor("x", "FP32", "[1]", "7"), V), "the data of input 'x' is not an array");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[1e300]"), V), "input 'x', row 0: x: ");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[1e999]"), V), "is not a finite number");
    wrong.put(inputs(tensor("x", "FP32", "[1]", "[NaN]"), V), "Non-standard token 'NaN' (line 1");
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
        "output 'y' does not exist; the model has [prediction, probabilities]");
    wrong.put("{\"outputs\":[{}]," + inputs(X, V).substring(1), "outputs[0] has no name");
    for (Map.Entry<String, String> each : wrong.entrySet()) {
      String error = infer(400, each.getKey()).path("error").asText();
      assertThat(error)
          .as(each.getKey())
          .contains(each.getValue())
          .doesNotContain("Source", "enable");
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
    String elements = "[" + "1,".repeat(InferenceRequest.MOST_ELEMENTS) + "1]";
    assertThat(infer(413, inputs(tensor("x", "FP32", "[1]", elements), V)).path("error").asText())
        .contains("elements");
    String large = "{\"x\":\"" + "y".repeat((int) InferenceServer.MOST_BODY_BYTES) + "\"}";
    assertThat(infer(413, large).path("error").asText()).contains("4194304 bytes");
    String larger = "y".repeat(100_000_000);
    assertThat(infer(413, larger).path("error").asText()).contains("4194304 bytes");
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
