package io.idlalayer.modelruntime.inference;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.idlalayer.middleware.models.http.BoundedHttpServer;
import io.idlalayer.middleware.models.http.HttpRefusal;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.http.ServerGuard;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.inference.InferenceRoutes.Action;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests for predictions. Several threads call it, each with one request at a time. */
final class InferenceHandler implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(InferenceHandler.class);
  private static final long MOST_DRAINED_BYTES = 64 * InferenceServer.MOST_BODY_BYTES;
  private static final int ROWS_AT_ONCE = 64;

  /** Header with the bytes of the JSON in a body with tensors in binary form behind it. */
  static final String JSON_BYTES = "Inference-Header-Content-Length";

  private static final String JSON_TYPE = "application/json";
  private static final String BINARY_TYPE = "application/octet-stream";
  private static final List<String> ASK = List.of("POST");
  private static final List<String> READ = List.of("GET", "HEAD");

  private final Map<String, ServedModel> models = new TreeMap<>();
  private final ServerGuard guard;
  private final InstantSource clock;
  private final BoundedHttpServer.Load load;

  InferenceHandler(
      List<ServedModel> served,
      ModelServerSettings settings,
      InstantSource clock,
      BoundedHttpServer.Load load) {
    for (ServedModel each : served) {
      if (models.put(each.name(), each) != null) {
        throw new IllegalArgumentException("two models have the name '" + each.name() + "'");
      }
    }
    guard = new ServerGuard(settings, load);
    this.clock = clock;
    this.load = load;
  }

  /**
   * The status, content type and content of an HTTP response.
   *
   * @param jsonBytes length of the JSON in the content if tensors follow it in binary form; else -1
   * @param predictedBy version that made the predictions in it; null if there are none
   */
  private record Reply(
      int status,
      String type,
      byte[] content,
      int jsonBytes,
      @Nullable ModelCheckpoint predictedBy) {
    static Reply of(int status, String type, byte[] content) {
      return new Reply(status, type, content, -1, null);
    }

    static Reply json(int status, byte[] content) {
      return of(status, JSON_TYPE, content);
    }

    static Reply predictions(Answer.Encoded answer, ModelCheckpoint predictedBy) {
      if (!answer.binary()) {
        return new Reply(200, JSON_TYPE, answer.json(), -1, predictedBy);
      }
      int jsonBytes = answer.json().length;
      byte[] content = Arrays.copyOf(answer.json(), jsonBytes + answer.tensors().length);
      System.arraycopy(answer.tensors(), 0, content, jsonBytes, answer.tensors().length);
      return new Reply(200, BINARY_TYPE, content, jsonBytes, predictedBy);
    }
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    load.progress();
    try (exchange) {
      Reply reply;
      try {
        reply = answer(exchange);
      } catch (InferenceException refused) {
        reply = Reply.json(refused.status(), Metadata.error(String.valueOf(refused.getMessage())));
      }
      load.received();
      if (reply.predictedBy() != null) {
        OriginHeaders.set(exchange.getResponseHeaders(), reply.predictedBy());
      }
      if (reply.jsonBytes() >= 0) {
        exchange.getResponseHeaders().set(JSON_BYTES, Integer.toString(reply.jsonBytes()));
      }
      ServerGuard.send(exchange, reply.status(), reply.type(), reply.content());
    }
  }

  private Reply answer(HttpExchange exchange) throws IOException, InferenceException {
    Optional<InferenceRoutes.Target> found =
        InferenceRoutes.parse(String.valueOf(exchange.getRequestURI().getRawPath()));
    Action action = found.map(InferenceRoutes.Target::action).orElse(null);
    boolean live = action == Action.SERVER_LIVE;
    refuse(guard.foreignPage(exchange));
    if (!live && action != Action.SERVER_READY) {
      refuse(guard.missingToken(exchange));
    }
    // A supervisor kills a server that it finds dead, and the other servers get its requests.
    if (!live) {
      refuse(guard.overload());
    }
    if (found.isEmpty()) {
      throw new InferenceException(404, "there is nothing under this path");
    }
    List<String> methods = action == Action.INFER ? ASK : READ;
    refuse(
        guard.otherMethod(
            exchange, methods, "this path takes requests with " + String.join(", ", methods)));
    return answer(exchange, found.get());
  }

  private static void refuse(Optional<HttpRefusal> refusal) throws InferenceException {
    if (refusal.isPresent()) {
      throw new InferenceException(refusal.get().status(), refusal.get().reason());
    }
  }

  private Reply answer(HttpExchange exchange, InferenceRoutes.Target target)
      throws IOException, InferenceException {
    return switch (target.action()) {
      case SERVER_METADATA -> Reply.json(200, Metadata.server());
      case SERVER_LIVE -> Reply.json(200, Metadata.live());
      case SERVER_READY -> ready(models.values().stream().allMatch(each -> ready(each, 0)));
      case METERS -> Reply.of(200, MeterText.CONTENT_TYPE, MeterText.of(models.values(), clock));
      case MODEL_READY -> {
        ServedModel model = model(target);
        boolean ready = ready(model, target.version());
        yield Reply.json(ready ? 200 : 503, Metadata.ready(model.name(), ready));
      }
      case MODEL_METADATA -> {
        try (ModelLease<? extends Predictor> lease = lease(model(target), target.version())) {
          SampleSchema schema = lease.model().spec().schema();
          yield Reply.json(200, Metadata.model(model(target).name(), lease.version(), schema));
        }
      }
      case INFER -> {
        try {
          yield infer(exchange, model(target), target.version());
        } catch (InferenceException refused) {
          drain(exchange);
          throw refused;
        }
      }
    };
  }

  /**
   * Reads the rest of a body if it is not too long, because a client that is still sending when the
   * connection is closed does not receive the reason of the refusal.
   */
  private void drain(HttpExchange exchange) throws IOException {
    try {
      new BoundedBody(exchange.getRequestBody(), MOST_DRAINED_BYTES, load::progress)
          .transferTo(OutputStream.nullOutputStream());
    } catch (BoundedBody.TooLongException refused) {
      LOG.debug("the rest of a request's body is too long and is not read");
    }
  }

  private static Reply ready(boolean all) throws IOException {
    return Reply.json(all ? 200 : 503, Metadata.ready(all));
  }

  private ServedModel model(InferenceRoutes.Target target) throws InferenceException {
    ServedModel model = models.get(String.valueOf(target.model()));
    if (model == null) {
      throw new InferenceException(404, "there is no model '%s' here".formatted(target.model()));
    }
    return model;
  }

  private static boolean ready(ServedModel model, long version) {
    try (ModelLease<? extends Predictor> lease = lease(model, version)) {
      return lease.version() > 0;
    } catch (InferenceException none) {
      return false;
    }
  }

  /**
   * Leases the version of a model that is in service.
   *
   * @param version number that the version must have; 0 for any
   */
  private static ModelLease<? extends Predictor> lease(ServedModel model, long version)
      throws InferenceException {
    Optional<? extends ModelLease<? extends Predictor>> leased = model.subscriber().tryAcquire();
    if (leased.isEmpty()) {
      throw new InferenceException(503, whyNone(model));
    }
    ModelLease<? extends Predictor> lease = leased.get();
    if (version != 0 && lease.version() != version) {
      long serving = lease.version();
      lease.close();
      throw new InferenceException(
          404,
          String.format(
              Locale.ROOT,
              "version %d of '%s' is not in service, version %d is",
              version,
              model.name(),
              serving));
    }
    return lease;
  }

  private static String whyNone(ServedModel model) {
    ModelSubscriber.Status status = model.subscriber().status();
    return status.version() == 0
        ? "no version of '%s' is in service now; the log of the server says why"
            .formatted(model.name())
        : String.format(
            Locale.ROOT,
            "version %d of '%s' is stale: for %d ms it is not known whether it is still the one to"
                + " serve; the log of the server says why",
            status.version(),
            model.name(),
            status.stalenessMillis());
  }

  private Reply infer(HttpExchange exchange, ServedModel model, long version)
      throws IOException, InferenceException {
    InferenceRequest request = request(exchange);
    load.received();
    try (ModelLease<? extends Predictor> lease = lease(model, version)) {
      Predictor predictor = lease.model();
      SampleSchema schema = predictor.spec().schema();
      List<Sample> samples = RequestSamples.of(schema, request.inputs());
      long created = lease.checkpoint().manifest().createdAtMillis();
      Answer answer =
          new Answer(
              model.name(),
              lease.version(),
              created,
              Math.max(0, clock.millis() - created),
              schema.label(),
              predict(model, predictor, samples),
              request);
      return Reply.predictions(answer.encode(), lease.checkpoint());
    }
  }

  /**
   * Predicts the samples in parts, and between two parts gives up a request that has taken too
   * long.
   */
  private double[][] predict(ServedModel model, Predictor predictor, List<Sample> samples)
      throws InferenceException {
    double[][] rows = new double[samples.size()][];
    load.computing();
    try {
      for (int from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        if (Thread.interrupted()) {
          throw new InferenceException(
              503,
              String.format(
                  Locale.ROOT,
                  "the prediction took too long after %d of %d rows; send fewer rows at a time",
                  from,
                  rows.length));
        }
        int to = Math.min(rows.length, from + ROWS_AT_ONCE);
        double[][] part = predictor.predict(samples.subList(from, to));
        System.arraycopy(part, 0, rows, from, part.length);
      }
      load.progress();
      return rows;
    } catch (RuntimeException failed) {
      tell(model, failed);
      throw new InferenceException(500, "the prediction failed; the log of the server says why");
    }
  }

  private InferenceRequest request(HttpExchange exchange) throws IOException, InferenceException {
    Headers headers = exchange.getRequestHeaders();
    if (headers.containsKey("Content-Encoding")) {
      throw new InferenceException(415, "compressed bodies are not read");
    }
    InferenceException tooLong =
        new InferenceException(
            413,
            String.format(
                Locale.ROOT,
                "the body has more than %d bytes; send fewer rows at a time",
                InferenceServer.MOST_BODY_BYTES));
    String length = headers.getFirst("Content-Length");
    if (length != null
        && length.matches("\\d{1,18}")
        && Long.parseLong(length) > InferenceServer.MOST_BODY_BYTES) {
      throw tooLong;
    }
    BoundedBody body =
        new BoundedBody(exchange.getRequestBody(), InferenceServer.MOST_BODY_BYTES, load::progress);
    String jsonBytes = headers.getFirst(JSON_BYTES);
    try {
      return jsonBytes == null
          ? RequestReader.read(body)
          : RequestReader.readBinary(body, jsonBytes(jsonBytes));
    } catch (BoundedBody.TooLongException refused) {
      throw tooLong;
    }
  }

  private static int jsonBytes(String header) throws InferenceException {
    if (!header.matches("\\d{1,9}") || Integer.parseInt(header) > InferenceServer.MOST_BODY_BYTES) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "the header %s is '%s'; it is the number of bytes of the JSON, at most %d",
              JSON_BYTES,
              header,
              InferenceServer.MOST_BODY_BYTES));
    }
    return Integer.parseInt(header);
  }

  private void tell(ServedModel model, RuntimeException failed) {
    String reason = "%s: %s".formatted(model.name(), failed);
    if (guard.isNews(reason)) {
      LOG.warn("a prediction failed: {}", reason, failed);
    }
  }
}
