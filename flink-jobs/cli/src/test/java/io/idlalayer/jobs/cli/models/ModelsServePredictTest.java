package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc;
import io.idlalayer.inferencegrpc.protocol.InferTensorContents;
import io.idlalayer.inferencegrpc.protocol.ModelInferRequest;
import io.idlalayer.jobs.cli.FakeNetworks;
import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Predictions over HTTP, by a server that the command started. */
final class ModelsServePredictTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final Path DOCUMENT = Path.of("../../docs/predictions-http.md");
  private static final List<String> FEATURES =
      List.of("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer");
  private static final String EVENT =
      "{\"period\":0.5,\"nswprice\":0.056,\"nswdemand\":0.44,\"vicprice\":0.003,"
          + "\"vicdemand\":0.42,\"transfer\":0.41}";
  private static final String REQUEST =
      "{\"inputs\":[{\"name\":\"features\",\"datatype\":\"FP32\",\"shape\":[1,6],"
          + "\"data\":[0.5,0.056,0.44,0.003,0.42,0.41]}]}";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ModelSpec.Network MLP = new ModelSpec.Network.Mlp(List.of(2));

  @TempDir Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final IdlaRun idla = new IdlaRun();
  private final HttpClient client = HttpClient.newHttpClient();
  private Path models;
  private ModelPublisher publisher;
  private ModelCheckpoint published;
  private long seed = 1;
  private int partition;

  @BeforeEach
  void publish() throws IOException {
    models = folder.resolve("models");
    publisher = new ModelStore(models, InstantSource.system()).claim("electricity", 0);
    published = publishOne(MLP);
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private ModelCheckpoint publishOne(ModelSpec.Network network) throws IOException {
    SampleSchema schema = SmallModels.schema(List.of(), FEATURES, List.of("0", "1"));
    Map<String, byte[]> files = SmallModels.files(SmallModels.spec(schema, network, true), seed++);
    return publisher.publish(Drafts.of("electricity", partition, null, Map.of(), files, Map.of()));
  }

  private String serve(String options) {
    return ServeCommand.start(threads, "--models-dir", models, options).address();
  }

  private JsonNode ask(String url, String body) throws Exception {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create(url))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private int status(String url) throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private void awaitReady(String url) {
    Awaitility.await().atMost(WAIT).until(() -> status(url + "/health/ready") == 200);
  }

  private double[] expected(ModelCheckpoint checkpoint) throws Exception {
    Sample sample =
        new JsonSampleDecoder(
                new PlainModelLoader()
                    .load(new ModelStore(models, InstantSource.system()), checkpoint)
                    .spec()
                    .schema())
            .decode(EVENT.getBytes(StandardCharsets.UTF_8));
    return new PlainModelLoader()
        .load(new ModelStore(models, InstantSource.system()), checkpoint)
        .predict(sample);
  }

  private static void assertPredicts(JsonNode answer, double[] expected, long version) {
    assertThat(answer.path("model_version").asText()).isEqualTo(Long.toString(version));
    assertThat(answer.at("/outputs/0/data/0").asText())
        .isEqualTo(expected[1] > expected[0] ? "1" : "0");
    for (int i = 0; i < 2; i++) {
      assertThat(answer.at("/outputs/1/data/" + i).floatValue()).isEqualTo((float) expected[i]);
    }
  }

  @Test
  void predict_newVersions_answerAtOnce() throws Exception {
    String url = serve("--predict electricity");
    awaitReady(url);
    String infer = url + "/models/electricity/infer";
    assertPredicts(ask(infer, REQUEST), expected(published), 1);
    ModelCheckpoint second = publishOne(MLP);
    Awaitility.await()
        .atMost(WAIT)
        .until(() -> ask(infer, REQUEST).path("model_version").asText().equals("2"));
    assertPredicts(ask(infer, REQUEST), expected(second), 2);
    assertThat(ask(infer, REQUEST).at("/parameters/age_millis").asLong()).isNotNegative();
    assertThat(status(url.replace("/v2", "/models/"))).as("no files").isEqualTo(404);
  }

  @Test
  void predict_overGrpc_isThePredictionOverHttp() throws Exception {
    ServeCommand started =
        ServeCommand.start(threads, "--models-dir", models, "--predict electricity --grpc-port 0");
    awaitReady(started.address());
    Matcher grpc = Pattern.compile("gRPC at (\\S+)").matcher(started.idla().out());
    assertThat(grpc.find()).isTrue();
    ManagedChannel channel = NettyChannelBuilder.forTarget(grpc.group(1)).usePlaintext().build();
    try {
      ModelInferRequest.Builder request =
          ModelInferRequest.newBuilder().setModelName("electricity");
      request
          .addInputsBuilder()
          .setName("events")
          .setDatatype("BYTES")
          .addShape(1)
          .getContentsBuilder()
          .addBytesContents(ByteString.copyFromUtf8(EVENT));
      InferTensorContents probabilities =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .modelInfer(request.build())
              .getOutputs(1)
              .getContents();
      JsonNode asked =
          ask(started.address() + "/models/electricity/infer", REQUEST).at("/outputs/1/data");
      assertThat(probabilities.getFp32ContentsList())
          .containsExactly((float) asked.get(0).asDouble(), (float) asked.get(1).asDouble());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void predict_alias_isServedThroughAnotherServer() throws Exception {
    ModelStore store = new ModelStore(models, InstantSource.system());
    ModelCheckpoint second = publishOne(MLP);
    store.alias("champion", published);
    String files = ServeCommand.start(threads, "--models-dir", models).address();
    String url =
        ServeCommand.start(threads, "--predict electricity --alias champion --store", files)
            .address();
    awaitReady(url);
    String infer = url + "/models/electricity/infer";
    assertPredicts(ask(infer, REQUEST), expected(published), 1);
    store.alias("champion", second);
    Awaitility.await()
        .atMost(WAIT)
        .until(() -> ask(infer, REQUEST).path("model_version").asText().equals("2"));
    store.alias("champion", published);
    Awaitility.await()
        .atMost(WAIT)
        .until(() -> ask(infer, REQUEST).path("model_version").asText().equals("1"));
  }

  @Test
  void predict_severalNames_areModelsOfTheirOwn() throws Exception {
    ModelStore store = new ModelStore(models, InstantSource.system());
    ModelCheckpoint second = publishOne(MLP);
    store.alias("champion", published);
    store.alias("shadow", second);
    String url =
        serve(
            "--predict electricity@champion --predict electricity/0@shadow --predict electricity");
    awaitReady(url);
    String infer = url + "/models/electricity%s/infer";
    assertPredicts(ask(infer.formatted(".champion"), REQUEST), expected(published), 1);
    assertPredicts(ask(infer.formatted(".shadow"), REQUEST), expected(second), 2);
    assertPredicts(ask(infer.formatted(""), REQUEST), expected(second), 2);
    store.alias("shadow", published);
    Awaitility.await()
        .atMost(WAIT)
        .until(
            () ->
                ask(infer.formatted(".shadow"), REQUEST)
                    .path("model_version")
                    .asText()
                    .equals("1"));
    assertThat(ask(infer.formatted(""), REQUEST).path("model_version").asText()).isEqualTo("2");
  }

  @Test
  void predict_theStoreIsGone_isRefusedWhenTheModelIsStale() throws Exception {
    String url = serve("--predict electricity --max-staleness 0.5");
    awaitReady(url);
    Path hidden = folder.resolve("hidden");
    Path pointer =
        models.resolve("electricity/0/publisher-%010d/current.json".formatted(publisher.epoch()));
    Files.move(pointer, hidden);
    Files.writeString(pointer, "{");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/models/electricity/infer"))
            .POST(HttpRequest.BodyPublishers.ofString(REQUEST))
            .build();
    Awaitility.await()
        .atMost(WAIT)
        .untilAsserted(
            () -> {
              HttpResponse<String> answer =
                  client.send(request, HttpResponse.BodyHandlers.ofString());
              assertThat(answer.statusCode()).isEqualTo(503);
              assertThat(answer.body()).contains("version 1 of 'electricity' is stale: for ");
            });
    Files.delete(pointer);
    Files.move(hidden, pointer);
    awaitReady(url);
    assertPredicts(ask(url + "/models/electricity/infer", REQUEST), expected(published), 1);
  }

  @Test
  @Tag("natives")
  void predict_networkThatPlainJavaDoesNotKnow_isComputedByDeeplearning4j() throws Exception {
    partition = 3;
    publisher = new ModelStore(models, InstantSource.system()).claim("electricity", partition);
    ModelSpec known =
        new PlainModelLoader()
            .load(new ModelStore(models, InstantSource.system()), published)
            .spec();
    publishOne(FakeNetworks.unknownToPlainJava(known));
    String url = serve("--predict electricity --predict electricity/3");
    awaitReady(url);
    JsonNode answer = ask(url + "/models/electricity-3/infer", REQUEST);
    assertThat(answer.path("model_name").asText()).isEqualTo("electricity-3");
    assertThat(answer.at("/outputs/1/data")).hasSize(2);
    assertPredicts(ask(url + "/models/electricity/infer", REQUEST), expected(published), 1);
  }

  @Test
  void predict_wrongUse_saysWhatToDo() {
    String serve = "models serve --models-dir " + models + " ";
    idla.assertUsage("--work-dir DIR or --models-dir DIR", "models serve --predict x");
    idla.assertUsage("is not a name", serve + "--predict .x");
    idla.assertUsage("is not APPLICATION[/PARTITION][@ALIAS]", serve + "--predict ../x");
    idla.assertUsage("two models have the name 'x-1'", serve + "--predict x-1 --predict x/1");
    idla.assertUsage("is not an alias", serve + "--predict electricity@7");
    idla.assertUsage("need --predict", serve + "--alias a");
    idla.assertUsage("need --predict", serve + "--max-staleness 1");
    idla.assertUsage("needs --max-staleness", serve + "--predict x --when-stale warn");
    idla.assertUsage("must be 0.001 to", serve + "--predict x --max-staleness 0");
    idla.assertUsage("need --predict", "models serve --store http://127.0.0.1:1/models/");
    idla.assertUsage("is not an alias", serve + "--predict x --alias 7");
    idla.assertUsage("--grpc-port needs --predict", serve + "--grpc-port 0");
    idla.assertUsage("--grpc-port must be 0 to 65535", serve + "--predict x --grpc-port 65536");
    idla.assertUsage("must differ", serve + "--predict x --port 8091 --grpc-port 8091");
  }

  /** The document's walk-through and the example in Python, against a server with a model. */
  @Test
  void walkThrough_ofTheDocument_works() throws Exception {
    String text = Files.readString(DOCUMENT);
    String script = text.substring(text.indexOf("```bash\n") + 8);
    script = script.substring(0, script.indexOf("```"));
    String documented = "url=http://127.0.0.1:8091/v2\n";
    assertThat(script).startsWith(documented);
    String url = serve("--predict electricity");
    awaitReady(url);
    String said =
        said(
            "bash",
            "-euc",
            script.replace(documented, "url=" + url + "\n").replace("}'\n", "}'; echo\n"));
    List<JsonNode> answers = new ArrayList<>();
    for (String line : said.replace("}{", "}\n{").lines().toList()) {
      answers.add(JSON.readTree(line));
    }
    assertThat(answers).as(said).hasSize(5);
    assertThat(answers.get(1).path("inputs")).hasSize(6);
    assertPredicts(ask(url + "/models/electricity/infer", REQUEST), expected(published), 1);
    assertThat(answers.get(2).at("/outputs/1/shape/0").asInt()).isEqualTo(2);
    assertThat(answers.get(2).at("/outputs/1/data/1").floatValue())
        .isEqualTo((float) expected(published)[1]);
    assertThat(answers.get(3).path("id").asText()).isEqualTo("7");
    assertThat(answers.get(3).path("outputs")).hasSize(1);
    assertThat(answers.get(4).path("error").asText())
        .contains("'features'", "has 2 values in a row, and the model takes 6");
    Path events = Files.writeString(folder.resolve("events.jsonl"), EVENT + "\n\n" + EVENT + "\n");
    String python = Path.of("../../examples/python/predict.py").toString();
    String predicted = said("python3", "-B", python, url, "electricity", events.toString());
    assertThat(predicted.lines().toList()).as(predicted).hasSize(4);
    assertThat(predicted).startsWith("takes period, nswprice").contains("version 1, ");
    assertThat(predicted).contains(Float.toString((float) expected(published)[1]).substring(0, 6));
    Files.writeString(events, "{\"period\": \"x\"}");
    assertThat(said("python3", "-B", python, url, "electricity", events.toString()))
        .contains("400: input 'events', row 0: period: 'x' is not a number");
  }

  private String said(String... command) throws Exception {
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output);
  }
}
