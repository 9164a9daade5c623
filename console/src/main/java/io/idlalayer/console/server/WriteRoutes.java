package io.idlalayer.console.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelStore;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.concurrent.Semaphore;

/**
 * The requests by which users change something. At most one change at a time is made in Kafka, and
 * at most one in the model stores.
 */
final class WriteRoutes {
  private static final int LONGEST_REASON = 500;

  private final ObjectMapper json;
  private final ConsoleData data;

  /**
   * There is one permit for requests to Kafka, and another for requests to the model store. So a
   * broker that is down does not prevent users from changing the version that serves.
   */
  private final Semaphore kafka = new Semaphore(1);

  private final Semaphore folder = new Semaphore(1);

  WriteRoutes(ObjectMapper json, ConsoleData data) {
    this.json = json;
    this.data = data;
  }

  /**
   * The answer to a change that was made.
   *
   * @param message a sentence about the change
   */
  record Done(String message) {}

  /** Makes a change, and returns a sentence about it. */
  private interface Change {
    String make(Context request, JsonNode body)
        throws RefusedException, IOException, InterruptedException;
  }

  void add(RoutesConfig routes) {
    String application = "/api/applications/{application}";
    String learner = "/api/learners/{application}/{partition}";
    post(routes, application + "/train", kafka, this::train);
    post(routes, application + "/explain", kafka, this::explain);
    post(routes, application + "/dead-letters/resend", kafka, this::resend);
    post(routes, learner + "/pin", folder, this::pin);
    post(routes, learner + "/unpin", folder, this::unpin);
    post(routes, learner + "/rollback", folder, this::rollBack);
    post(routes, learner + "/alias", folder, this::alias);
  }

  private void post(RoutesConfig routes, String path, Semaphore turn, Change change) {
    routes.post(
        path,
        request -> {
          JsonNode body = body(request);
          if (!turn.tryAcquire()) {
            throw new RefusedException(429, "another change is being made; try again");
          }
          try {
            String said = change.make(request, body);
            request.contentType("application/json");
            request.result(json.writeValueAsBytes(new Done(said)));
          } catch (IllegalArgumentException refused) {
            throw new RefusedException(400, String.valueOf(refused.getMessage()));
          } catch (CorruptModelException damaged) {
            throw new RefusedException(409, String.valueOf(damaged.getMessage()));
          } finally {
            turn.release();
          }
        });
  }

  private JsonNode body(Context request) throws RefusedException {
    JsonNode body;
    try {
      body = json.readTree(request.bodyAsBytes());
    } catch (JsonProcessingException noJson) {
      throw new RefusedException(400, "the body is not JSON");
    } catch (IOException cut) {
      throw new RefusedException(400, "the body could not be read");
    }
    if (body == null || !body.isObject()) {
      throw new RefusedException(400, "a request has a JSON object as its body");
    }
    return body;
  }

  private static String text(JsonNode body, String field) throws RefusedException {
    JsonNode value = body.path(field);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw new RefusedException(400, field + " is missing, or is not text");
    }
    return value.textValue();
  }

  private static String reason(JsonNode body) throws RefusedException {
    String reason = body.has("reason") ? text(body, "reason") : "by the console";
    if (reason.length() > LONGEST_REASON) {
      throw new RefusedException(400, "reason has at most %d characters".formatted(LONGEST_REASON));
    }
    return reason;
  }

  private String train(Context request, JsonNode body)
      throws RefusedException, IOException, InterruptedException {
    String application = request.pathParam("application");
    data.requests(application).train();
    return "asked %s to train its pending samples".formatted(application);
  }

  private String explain(Context request, JsonNode body)
      throws RefusedException, IOException, InterruptedException {
    String application = request.pathParam("application");
    String id = text(body, "id");
    data.requests(application).explain(id);
    return "asked %s for sample %s".formatted(application, id);
  }

  private String resend(Context request, JsonNode body)
      throws RefusedException, IOException, InterruptedException {
    String application = request.pathParam("application");
    String id = text(body, "id");
    data.letters(application).resend(id, body.has("text") ? text(body, "text") : null);
    return "sent dead letter %s to %s again".formatted(id, application);
  }

  private String pin(Context request, JsonNode body) throws RefusedException, IOException {
    ApplicationPartition of = of(request);
    long version = version(body);
    ModelStore models = data.changeable(of.application());
    Pin pin = models.pin(models.read(of.application(), of.partition(), version), 0, reason(body));
    return "%s: v%d serves until it is unpinned".formatted(of, pin.version());
  }

  private String unpin(Context request, JsonNode body) throws RefusedException, IOException {
    ApplicationPartition of = of(request);
    boolean was = data.changeable(of.application()).unpin(of.application(), of.partition());
    return was
        ? "%s: the current version serves again".formatted(of)
        : "%s: nothing was pinned".formatted(of);
  }

  private String rollBack(Context request, JsonNode body) throws RefusedException, IOException {
    ApplicationPartition of = of(request);
    Pin pin = data.changeable(of.application()).rollBack(of, 0, reason(body));
    return "%s: v%d serves until a version above v%d is published"
        .formatted(of, pin.version(), pin.until());
  }

  /** Gives a version a name, or removes the name if {@code remove} is true. */
  private String alias(Context request, JsonNode body) throws RefusedException, IOException {
    ApplicationPartition of = of(request);
    String name = Alias.checked(text(body, "name"));
    JsonNode remove = body.path("remove");
    if (!remove.isMissingNode() && (!remove.booleanValue() || body.has("version"))) {
      throw new RefusedException(400, "give either a version, or 'remove': true without a version");
    }
    if (remove.booleanValue()) {
      boolean was =
          data.changeable(of.application()).removeAlias(of.application(), of.partition(), name);
      return was
          ? "%s: no version has the alias '%s' any more".formatted(of, name)
          : "%s: no version had the alias '%s'".formatted(of, name);
    }
    long version = version(body);
    ModelStore models = data.changeable(of.application());
    ModelCheckpoint named = models.read(of.application(), of.partition(), version);
    return "%s: v%d has the alias '%s'".formatted(of, models.alias(name, named).version(), name);
  }

  private static long version(JsonNode body) throws RefusedException {
    JsonNode version = body.path("version");
    if (!version.isIntegralNumber() || !version.canConvertToLong() || version.longValue() < 1) {
      throw new RefusedException(400, "version must be a number of at least 1");
    }
    return version.longValue();
  }

  private static ApplicationPartition of(Context request) throws RefusedException {
    return new ApplicationPartition(
        request.pathParam("application"), ReadRoutes.partition(request));
  }
}
