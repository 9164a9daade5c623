package io.idlalayer.modelruntime.inference;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.idlalayer.middleware.models.http.BoundedHttpServer;
import io.idlalayer.middleware.models.http.HttpRefusal;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.http.ServerGuard;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.modelruntime.inference.InferenceRoutes.Action;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests for predictions. Several threads call it, each with one request at a time. */
final class InferenceHandler implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(InferenceHandler.class);
  private static final long MOST_DRAINED_BYTES = 64 * InferenceServer.MOST_BODY_BYTES;

  /** Header with the bytes of the JSON in a body with tensors in binary form behind it. */
  static final String JSON_BYTES = "Inference-Header-Content-Length";

  private static final String JSON_TYPE = "application/json";
  private static final String BINARY_TYPE = "application/octet-stream";
  private static final List<String> ASK = List.of("POST");
  private static final List<String> READ = List.of("GET", "HEAD");

  private final Inference inference;
  private final ServerGuard guard;
  private final InstantSource clock;
  private final BoundedHttpServer.Load load;
  private final Inference.Progress progress;

  InferenceHandler(
      Inference inference,
      ModelServerSettings settings,
      InstantSource clock,
      BoundedHttpServer.Load load) {
    this.inference = inference;
    guard = new ServerGuard(settings, load);
    this.clock = clock;
    this.load = load;
    progress =
        new Inference.Progress() {
          @Override
          public void begins() {
            load.computing();
          }

          @Override
          public boolean abandoned() {
            return Thread.interrupted();
          }
        };
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

    static Reply predictions(AnswerJson answer, ModelCheckpoint predictedBy) {
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
        OriginHeaders.of(reply.predictedBy()).forEach(exchange.getResponseHeaders()::set);
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
      case SERVER_READY -> ready(inference.ready());
      case METERS -> Reply.of(200, MeterText.CONTENT_TYPE, MeterText.of(inference.models(), clock));
      case MODEL_READY -> {
        String model = String.valueOf(target.model());
        boolean ready = inference.ready(model, target.version());
        yield Reply.json(ready ? 200 : 503, Metadata.ready(model, ready));
      }
      case MODEL_METADATA ->
          Reply.json(
              200,
              Metadata.model(inference.describe(String.valueOf(target.model()), target.version())));
      case INFER -> {
        try {
          yield infer(exchange, String.valueOf(target.model()), target.version());
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

  private Reply infer(HttpExchange exchange, String model, long version)
      throws IOException, InferenceException {
    inference.model(model);
    InferenceRequest request = request(exchange);
    load.received();
    Answer answer = inference.answer(model, version, request, progress);
    load.progress();
    return Reply.predictions(AnswerJson.of(answer), answer.version());
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
}
