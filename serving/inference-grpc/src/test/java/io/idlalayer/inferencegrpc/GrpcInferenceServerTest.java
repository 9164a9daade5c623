package io.idlalayer.inferencegrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.idlalayer.inferencegrpc.protocol.InferParameter;
import io.idlalayer.inferencegrpc.protocol.InferTensorContents;
import io.idlalayer.inferencegrpc.protocol.ModelInferRequest;
import io.idlalayer.inferencegrpc.protocol.ModelInferRequest.InferInputTensor;
import io.idlalayer.inferencegrpc.protocol.ModelInferResponse;
import io.idlalayer.inferencegrpc.protocol.ModelMetadataRequest;
import io.idlalayer.inferencegrpc.protocol.ModelMetadataResponse;
import io.idlalayer.inferencegrpc.protocol.ModelReadyRequest;
import io.idlalayer.inferencegrpc.protocol.ServerLiveRequest;
import io.idlalayer.inferencegrpc.protocol.ServerMetadataRequest;
import io.idlalayer.inferencegrpc.protocol.ServerReadyRequest;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.http.ServerKeys;
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
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.inference.InferenceServer;
import io.idlalayer.modelruntime.inference.ServedModel;
import io.idlalayer.modelruntime.serve.Predictor;
import io.idlalayer.testkit.KeyStores;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of gRPC get what clients of HTTP get, and no client can exhaust the server. */
final class GrpcInferenceServerTest {
  private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(12_345);
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(new DenseFeature("x", 1, 2f), new DenseFeature("v", 2, 1f)),
          List.of(new CategoricalFeature("kind", 10)),
          new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("no", "yés")),
          null);

  @TempDir Path root;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicInteger blocked = new AtomicInteger();
  private ModelPublisher publisher;
  private ModelSubscriber<Predictor> subscriber;

  /** Predicts a number that depends on all values of a row. */
  private final class FakePredictor implements Predictor {
    private final String text;

    FakePredictor(String text) {
      this.text = text;
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
      return 0;
    }

    @Override
    public double[][] predict(List<Sample> samples) {
      if (text.equals("broken")) {
        throw new IllegalStateException("/secret/path");
      }
      if (text.equals("blocked")) {
        blocked.incrementAndGet();
        try {
          released.await();
        } catch (InterruptedException stopped) {
          Thread.currentThread().interrupt();
        }
      }
      return samples.stream().map(FakePredictor::row).toArray(double[][]::new);
    }

    private static double[] row(Sample sample) {
      double[] dense = sample.dense();
      double yes =
          1
              / (1 + Math.exp(-dense[0] - 0.1 * dense[1] - 0.01 * dense[2]))
              / (1 + sample.categorical()[0]);
      return new double[] {1 - yes, yes};
    }
  }

  private final class FakeLoader implements ModelLoader<Predictor> {
    @Override
    public Predictor load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      return new FakePredictor(
          new String(files.getOrDefault("model.zip", new byte[0]), StandardCharsets.UTF_8));
    }

    @Override
    public void dispose(Predictor model) {}
  }

  @BeforeEach
  void openStore() throws IOException {
    ModelStore store = new ModelStore(root, () -> Instant.ofEpochMilli(10_000));
    publisher = store.claim("app", 0);
    subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(1)),
            new FakeLoader(),
            CLOCK,
            () -> 0);
    open.add(subscriber);
  }

  @AfterEach
  void close() throws Exception {
    released.countDown();
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private void serve(String text) throws IOException {
    publisher.publish(
        new ModelDraft(
            "app",
            0,
            1,
            0,
            "",
            new TreeMap<>(Map.of("in-0", 7L)),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(Map.of("model.zip", text.getBytes(StandardCharsets.UTF_8)))));
    subscriber.refresh();
  }

  private static ModelServerSettings settings(String token, SSLContext tls, int connections) {
    return settings(token, tls, connections, Duration.ofMinutes(1));
  }

  private static ModelServerSettings settings(
      String token, SSLContext tls, int connections, Duration patience) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new ModelServerSettings(bind, token, false, tls, 4, connections, patience, Set.of());
  }

  private GrpcInferenceServer start(ModelServerSettings settings, Duration longestCall)
      throws IOException {
    GrpcInferenceServer server =
        GrpcInferenceServer.start(
            List.of(new ServedModel("app", subscriber)), settings, CLOCK, longestCall);
    open.add(server);
    return server;
  }

  private GrpcInferenceServer start() throws IOException {
    return start(settings(null, null, 256), Duration.ofMinutes(1));
  }

  private ManagedChannel channel(String address) {
    ManagedChannel channel = NettyChannelBuilder.forTarget(address).usePlaintext().build();
    open.add(channel::shutdownNow);
    return channel;
  }

  private GRPCInferenceServiceBlockingStub client(GrpcInferenceServer server) {
    return GRPCInferenceServiceGrpc.newBlockingStub(channel(server.address()));
  }

  private static InferInputTensor.Builder input(String name, String type, long... shape) {
    InferInputTensor.Builder input = InferInputTensor.newBuilder().setName(name).setDatatype(type);
    for (long each : shape) {
      input.addShape(each);
    }
    return input;
  }

  private static ModelInferRequest.Builder contents() {
    return ModelInferRequest.newBuilder()
        .setModelName("app")
        .setId("q1")
        .addInputs(
            input("x", "FP32", 2)
                .setContents(
                    InferTensorContents.newBuilder().addFp32Contents(0.5f).addFp32Contents(-1)))
        .addInputs(
            input("v", "INT64", 2, 2)
                .setContents(
                    InferTensorContents.newBuilder()
                        .addInt64Contents(1)
                        .addInt64Contents(2)
                        .addInt64Contents(3)
                        .addInt64Contents(4)))
        .addInputs(
            input("kind", "BYTES", 2)
                .setContents(
                    InferTensorContents.newBuilder()
                        .addBytesContents(ByteString.copyFromUtf8("ü"))
                        .addBytesContents(ByteString.copyFromUtf8("b"))));
  }

  private static ByteString bytes(int size, Consumer<ByteBuffer> elements) {
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    elements.accept(bytes);
    return ByteString.copyFrom(bytes.flip());
  }

  private static ModelInferRequest.Builder raw() {
    return ModelInferRequest.newBuilder()
        .setModelName("app")
        .addInputs(input("x", "FP32", 2))
        .addInputs(input("v", "INT64", 2, 2))
        .addInputs(input("kind", "BYTES", 2))
        .addRawInputContents(bytes(8, to -> to.putFloat(0.5f).putFloat(-1)))
        .addRawInputContents(bytes(32, to -> to.putLong(1).putLong(2).putLong(3).putLong(4)))
        .addRawInputContents(
            bytes(
                11,
                to ->
                    to.putInt(2)
                        .put("ü".getBytes(StandardCharsets.UTF_8))
                        .putInt(1)
                        .put((byte) 'b')));
  }

  @Test
  void modelInfer_inBothForms_answersAsHttpDoes() throws Exception {
    serve("good");
    GRPCInferenceServiceBlockingStub client = client(start());
    InferenceServer http =
        InferenceServer.start(
            List.of(new ServedModel("app", subscriber)), settings(null, null, 256), CLOCK);
    open.add(http);
    String body =
        """
        {"id": "q1", "inputs": [
          {"name": "x", "datatype": "FP32", "shape": [2], "data": [0.5, -1]},
          {"name": "v", "datatype": "INT64", "shape": [2, 2], "data": [1, 2, 3, 4]},
          {"name": "kind", "datatype": "BYTES", "shape": [2], "data": ["ü", "b"]}]}""";
    HttpResponse<String> answered =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(http.address() + "/models/app/infer"))
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    JsonNode expected = new ObjectMapper().readTree(answered.body());

    ModelInferResponse plain = client.modelInfer(contents().build());
    ModelInferResponse binary = client.modelInfer(raw().build());

    assertThat(plain.getId()).isEqualTo("q1");
    assertThat(plain.getModelVersion()).isEqualTo("1");
    assertThat(plain.getRawOutputContentsCount()).isZero();
    assertThat(plain.getParametersOrThrow("version").getInt64Param()).isEqualTo(1);
    assertThat(plain.getParametersOrThrow("age_millis").getInt64Param()).isEqualTo(2_345);
    assertThat(plain.getParametersOrThrow("idla-model-offsets").getStringParam())
        .isEqualTo("in-0=7");
    assertThat(plain.getParametersOrThrow("idla-model-digest").getStringParam())
        .isEqualTo(answered.headers().firstValue("Idla-Model-Digest").orElseThrow());
    JsonNode outputs = expected.get("outputs");
    assertThat(plain.getOutputsCount()).isEqualTo(outputs.size());
    ByteBuffer numbers =
        binary.getRawOutputContents(1).asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 4; i++) {
      float value = (float) outputs.get(1).get("data").get(i).asDouble();
      assertThat(plain.getOutputs(1).getContents().getFp32Contents(i)).isEqualTo(value);
      assertThat(numbers.getFloat()).isEqualTo(value);
      assertThat(value).isCloseTo(0.5f, within(0.5f));
    }
    assertThat(numbers.hasRemaining()).isFalse();
    assertThat(plain.getOutputs(0).getContents().getBytesContentsList())
        .extracting(ByteString::toStringUtf8)
        .containsExactly(
            outputs.get(0).get("data").get(0).asText(), outputs.get(0).get("data").get(1).asText());
    assertThat(binary.getOutputs(0).hasContents()).isFalse();
    assertThat(binary.getOutputs(1).getShapeList()).containsExactly(2L, 2L);
  }

  @Test
  void modelInfer_ofNamedOutputs_hasOnlyThem() throws Exception {
    serve("good");
    GRPCInferenceServiceBlockingStub client = client(start());
    ModelInferRequest.Builder request = contents();
    request.addOutputsBuilder().setName("probabilities");
    ModelInferResponse answer = client.modelInfer(request.build());
    assertThat(answer.getOutputsList())
        .extracting(ModelInferResponse.InferOutputTensor::getName)
        .containsExactly("probabilities");
  }

  @Test
  void metadata_ofServerAndModel_saysWhatHttpSays() throws Exception {
    serve("good");
    GRPCInferenceServiceBlockingStub client = client(start());
    assertThat(client.serverMetadata(ServerMetadataRequest.getDefaultInstance()).getName())
        .isEqualTo("idlalayer");
    ModelMetadataResponse model =
        client.modelMetadata(ModelMetadataRequest.newBuilder().setName("app").build());
    assertThat(model.getVersionsList()).containsExactly("1");
    assertThat(model.getInputsList())
        .extracting(each -> each.getName() + each.getDatatype() + each.getShapeList())
        .containsExactly("xFP64[-1]", "vFP64[-1, 2]", "kindBYTES[-1]");
    assertThat(model.getOutputsList())
        .extracting(each -> each.getName() + each.getDatatype() + each.getShapeList())
        .containsExactly("predictionBYTES[-1]", "probabilitiesFP32[-1, 2]");
  }

  @Test
  void ready_withAndWithoutVersion_saysSo() throws Exception {
    GRPCInferenceServiceBlockingStub client = client(start());
    assertThat(client.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    assertThat(client.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isFalse();
    assertRefused(
        () -> client.modelInfer(contents().build()),
        Status.Code.UNAVAILABLE,
        "no version of 'app' is in service");
    serve("good");
    assertThat(client.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
    ModelReadyRequest.Builder ready = ModelReadyRequest.newBuilder().setName("app");
    assertThat(client.modelReady(ready.setVersion("1").build()).getReady()).isTrue();
    assertThat(client.modelReady(ready.setVersion("2").build()).getReady()).isFalse();
    assertRefused(
        () -> client.modelReady(ready.setVersion("1.0").build()),
        Status.Code.NOT_FOUND,
        "there is no version '1.0'");
    assertRefused(
        () -> client.modelReady(ready.setName("other").setVersion("").build()),
        Status.Code.NOT_FOUND,
        "there is no model 'other' here");
  }

  @Test
  void modelInfer_ofWrongRequests_namesWhatIsWrong() throws Exception {
    serve("good");
    GRPCInferenceServiceBlockingStub client = client(start());
    assertWrong(client, raw().clearInputs().clearRawInputContents(), "the request has no inputs");
    assertWrong(client, contents().setModelVersion("9"), Status.Code.NOT_FOUND, "version 9 of");
    assertWrong(client, contents().setInputs(1, contents().getInputs(0)), "'x' is there twice");
    assertWrong(
        client,
        raw().setRawInputContents(0, ByteString.copyFrom(new byte[7])),
        "input 'x': its shape (2) and FP32 make 8 bytes");
    assertWrong(
        client,
        raw().addRawInputContents(ByteString.EMPTY),
        "raw_input_contents has 4 entries, and there are 3 inputs");
    assertWrong(
        client,
        contents()
            .addRawInputContents(ByteString.EMPTY)
            .addRawInputContents(ByteString.EMPTY)
            .addRawInputContents(ByteString.EMPTY),
        "input 'x' has contents, and the request has raw_input_contents");
    assertWrong(
        client,
        contents()
            .setInputs(0, input("x", "FP64", 2).setContents(contents().getInputs(0).getContents())),
        "input 'x': its shape has 2 elements; its contents have 0 of FP64, and 2 of other types");
    assertWrong(client, contents().setInputs(0, input("x", "FP16", 2)), "datatype 'FP16' is none");
    assertWrong(client, contents().setInputs(0, input("x", "FP32")), "its shape is []");
    assertWrong(client, contents().setInputs(0, input("x", "FP32", -1)), "its shape is [-1]");
    assertWrong(
        client,
        contents().setInputs(0, input("x", "FP32", 1 << 30, 1 << 30, 1 << 30)),
        "more than 524288 elements");
    assertWrong(
        client,
        contents()
            .setInputs(
                0,
                contents().getInputs(0).toBuilder()
                    .putParameters("shared_memory_region", InferParameter.getDefaultInstance())),
        "input 'x': the parameter 'shared_memory_region' is not supported");
    ModelInferRequest.Builder classified = contents();
    classified
        .addOutputsBuilder()
        .setName("probabilities")
        .putParameters("classification", InferParameter.getDefaultInstance());
    assertWrong(client, classified, "output 'probabilities': the parameter 'classification'");
    ModelInferRequest.Builder other = contents();
    other.addOutputsBuilder().setName("other");
    assertWrong(
        client, other, "output 'other' does not exist; the model has [prediction, probabilities]");
    assertWrong(
        client,
        contents()
            .setInputs(0, input("y", "FP32", 2).setContents(contents().getInputs(0).getContents())),
        "input 'y'");
    InferTensorContents broken =
        InferTensorContents.newBuilder()
            .addBytesContents(ByteString.copyFrom(new byte[] {(byte) 0xff}))
            .addBytesContents(ByteString.EMPTY)
            .build();
    assertWrong(
        client,
        contents().setInputs(2, input("kind", "BYTES", 2).setContents(broken)),
        "input 'kind': element 0 is not UTF-8");
  }

  @Test
  void modelInfer_ofABrokenModel_tellsNoSecret() throws Exception {
    serve("broken");
    GRPCInferenceServiceBlockingStub client = client(start());
    assertRefused(
        () -> client.modelInfer(contents().build()),
        Status.Code.INTERNAL,
        "the prediction failed; the log of the server says why");
  }

  @Test
  void call_withoutToken_isRefused() throws Exception {
    serve("good");
    GrpcInferenceServer server = start(settings("abc", null, 256), Duration.ofMinutes(1));
    GRPCInferenceServiceBlockingStub client = client(server);
    assertRefused(
        () -> client.modelInfer(contents().build()), Status.Code.UNAUTHENTICATED, "bearer token");
    assertThat(client.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer abc");
    assertThat(
            client
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .modelInfer(contents().build())
                .getOutputsCount())
        .isEqualTo(2);
  }

  @Test
  void call_overTls_isAnswered() throws Exception {
    serve("good");
    Path keys = KeyStores.keys(root.resolve("keys.p12"), "server");
    Path password = Files.writeString(root.resolve("password"), KeyStores.PASSWORD);
    GrpcInferenceServer server =
        start(settings(null, ServerKeys.read(keys, password), 256), Duration.ofMinutes(1));
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    try (InputStream in =
        Files.newInputStream(KeyStores.trusting(root.resolve("trust.p12"), keys, "server"))) {
      trusted.load(in, KeyStores.PASSWORD.toCharArray());
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(server.address())
            .sslContext(GrpcSslContexts.forClient().trustManager(trust).build())
            .build();
    open.add(channel::shutdownNow);
    assertThat(
            GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .modelInfer(contents().build())
                .getOutputsCount())
        .isEqualTo(2);
  }

  @Test
  void call_whoseMessageDoesNotArrive_isEnded() throws Exception {
    serve("good");
    GrpcInferenceServer server =
        start(settings(null, null, 256, Duration.ofMillis(200)), Duration.ofMinutes(1));
    ManagedChannel channel = channel(server.address());
    assertThat(
            ended(channel, GRPCInferenceServiceGrpc.getModelInferMethod())
                .get(20, TimeUnit.SECONDS)
                .getCode())
        .isEqualTo(Status.Code.DEADLINE_EXCEEDED);
  }

  @Test
  void calls_thatAreTooMany_areRefusedUntilOthersEnd() throws Exception {
    serve("blocked");
    GrpcInferenceServer server = start();
    List<CompletableFuture<Status>> waiting = new ArrayList<>();
    // 4 that predict and 128 that wait: over two connections, as each has at most 100.
    ManagedChannel first = channel(server.address());
    ManagedChannel second = channel(server.address());
    int most = 4 + 128;
    for (int i = 0; i < most + 10; i++) {
      waiting.add(
          ended(i % 2 == 0 ? first : second, GRPCInferenceServiceGrpc.getModelInferMethod()));
    }
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> waiting.stream().filter(CompletableFuture::isDone).count() == 10);
    GRPCInferenceServiceBlockingStub client = client(server);
    assertRefused(
        () -> client.serverMetadata(ServerMetadataRequest.getDefaultInstance()),
        Status.Code.UNAVAILABLE,
        "too many requests at a time");
    assertThat(client.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    first.shutdownNow();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .ignoreException(StatusRuntimeException.class)
        .until(
            () ->
                client
                    .serverMetadata(ServerMetadataRequest.getDefaultInstance())
                    .getName()
                    .equals("idlalayer"));
  }

  @Test
  void probes_whileAllThreadsPredict_areAnswered() throws Exception {
    serve("blocked");
    GrpcInferenceServer server = start();
    GRPCInferenceServiceGrpc.GRPCInferenceServiceFutureStub others =
        GRPCInferenceServiceGrpc.newFutureStub(channel(server.address()));
    List<Future<ModelInferResponse>> predicting = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      predicting.add(others.modelInfer(contents().build()));
    }
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> blocked.get() == 4);
    assertThat(client(server).serverLive(ServerLiveRequest.getDefaultInstance()).getLive())
        .isTrue();
    released.countDown();
    for (Future<ModelInferResponse> each : predicting) {
      assertThat(each.get(1, TimeUnit.MINUTES).getOutputsCount()).isEqualTo(2);
    }
  }

  @Test
  void modelInfer_ofManyParts_isRefusedBeforeItIsParsed() throws Exception {
    serve("good");
    GRPCInferenceServiceBlockingStub client = client(start());
    ModelInferRequest.Builder many = contents();
    for (int i = 0; i < 20_000; i++) {
      many.addOutputsBuilder();
    }
    assertWrong(client, many, "more than 12288 inputs, outputs, parameters and tensors");
    assertWrong(
        client, contents().setModelName("n".repeat(20_000)), Status.Code.NOT_FOUND, "(shortened)");
  }

  @Test
  void connections_thatAreTooMany_areClosed() throws Exception {
    serve("good");
    GrpcInferenceServer server = start(settings(null, null, 4), Duration.ofMinutes(1));
    int port = Integer.parseInt(server.address().substring(server.address().lastIndexOf(':') + 1));
    for (int i = 0; i < 4; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      open.add(socket);
      // Its first frame shows that the server has it.
      assertThat(socket.getInputStream().read()).isGreaterThanOrEqualTo(0);
    }
    try (Socket fifth = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertThat(endOf(fifth)).isTrue();
    }
    open.remove(open.size() - 1);
  }

  /** Returns whether the other side has closed a connection without a byte. */
  private static boolean endOf(Socket socket) {
    try {
      socket.setSoTimeout(20_000);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException stillOpen) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /** Begins a call whose message never comes, and returns its status once it ends. */
  private static <Q, A> CompletableFuture<Status> ended(
      ManagedChannel channel, MethodDescriptor<Q, A> method) {
    CompletableFuture<Status> end = new CompletableFuture<>();
    // A client sends the head of a unary call with its message only.
    ClientCall<Q, A> call =
        channel.newCall(
            method.toBuilder().setType(MethodDescriptor.MethodType.BIDI_STREAMING).build(),
            CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    call.request(1);
    return end;
  }

  private static void assertWrong(
      GRPCInferenceServiceBlockingStub client, ModelInferRequest.Builder request, String message) {
    assertWrong(client, request, Status.Code.INVALID_ARGUMENT, message);
  }

  private static void assertWrong(
      GRPCInferenceServiceBlockingStub client,
      ModelInferRequest.Builder request,
      Status.Code code,
      String message) {
    assertRefused(() -> client.modelInfer(request.build()), code, message);
  }

  private static void assertRefused(Runnable call, Status.Code code, String message) {
    Status status = Status.OK;
    try {
      call.run();
    } catch (StatusRuntimeException refused) {
      status = refused.getStatus();
    }
    assertThat(status.getCode()).as(String.valueOf(status.getDescription())).isEqualTo(code);
    assertThat(status.getDescription()).contains(message);
  }
}
