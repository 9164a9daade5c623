package io.idlalayer.jobs.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a schema registry for schemas by its HTTP interface. After a possibly transient failure, it
 * repeats the request a few times; then the reader must stop. It does not cache answers. Confined
 * to one thread.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/develop/api.html">the
 *     interface</a>
 */
public final class SchemaRegistry {
  /** Number of requests for a schema before the reader stops. */
  static final int ATTEMPTS = 8;

  private static final long FIRST_PAUSE_MILLIS = 200;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int TIMEOUT = 408;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;
  private static final int NOT_IMPLEMENTED = 501;
  private static final int SHOWN_CHARACTERS = 200;
  private static final Logger LOG = LoggerFactory.getLogger(SchemaRegistry.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final RegistrySettings settings;
  private final Pause pause;
  private @Nullable RegistryConnection connection;

  /** Waits between two requests. */
  interface Pause {
    void millis(long millis) throws InterruptedException;
  }

  public SchemaRegistry(RegistrySettings settings) {
    this(settings, Thread::sleep);
  }

  SchemaRegistry(RegistrySettings settings, Pause pause) {
    this.settings = settings;
    this.pause = pause;
  }

  /** The form of a schema's text. */
  public enum Form {
    /** The schema as it was registered. */
    TEXT(""),
    /** A Protobuf file descriptor in base 64. */
    SERIALIZED("?format=serialized");

    private final String query;

    Form(String query) {
      this.query = query;
    }
  }

  /**
   * Returns a schema by its id.
   *
   * @throws UnknownSchemaException if the registry has no such schema
   * @throws RegistryUnavailableException if the registry does not answer this
   */
  public RegisteredSchema byId(int id, Form form) throws UnknownSchemaException {
    return ask(
        "schema " + id,
        connection -> connection.get("/schemas/ids/" + id + form.query),
        SchemaRegistry::schema);
  }

  /**
   * Returns the id under which a schema is registered under a subject. Registers nothing.
   *
   * @param avro an Avro schema in JSON
   * @throws UnknownSchemaException if it is not registered there
   * @throws RegistryUnavailableException if the registry does not say
   */
  public int idOf(String subject, String avro) throws UnknownSchemaException {
    String body = JSON.createObjectNode().put("schema", avro).toString();
    return ask(
        "schema like this one under subject " + Shown.of(subject),
        connection -> connection.post("/subjects/" + encoded(subject), body),
        SchemaRegistry::id);
  }

  private static String encoded(String subject) {
    return URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Returns a schema to which another one refers.
   *
   * @throws UnknownSchemaException if the registry has no such schema
   * @throws RegistryUnavailableException if the registry does not answer this
   */
  public RegisteredSchema referred(RegisteredSchema.Reference reference, Form form)
      throws UnknownSchemaException {
    String path =
        "/subjects/%s/versions/%d%s"
            .formatted(encoded(reference.subject()), reference.version(), form.query);
    return ask(
        "version %d of subject %s".formatted(reference.version(), Shown.of(reference.subject())),
        connection -> connection.get(path),
        SchemaRegistry::schema);
  }

  /** One request. */
  private interface Request {
    RegistryConnection.Answer send(RegistryConnection to) throws IOException, InterruptedException;
  }

  /** Reads the body of an answer; returns null if it is not what was asked for. */
  private interface Reading<T> {
    @Nullable T of(byte[] body);
  }

  private <T> T ask(String what, Request request, Reading<T> reading)
      throws UnknownSchemaException {
    for (int attempt = 1; ; attempt++) {
      String failed;
      IOException cause = null;
      try {
        RegistryConnection.Answer answer = request.send(connection());
        if (answer.status() == OK) {
          T read = reading.of(answer.body());
          if (read != null) {
            return read;
          }
          failed = "an answer that is no schema: " + beginning(answer.body());
        } else {
          failed = refusal(what, answer);
        }
      } catch (LimitedBody.TooLongException tooLong) {
        throw new UnknownSchemaException(
            what
                + " is longer than the %,d bytes that are read"
                    .formatted(RegistryConnection.ANSWER_BYTES_MAX));
      } catch (IOException silent) {
        failed = String.valueOf(silent.getMessage() == null ? silent : silent.getMessage());
        cause = silent;
      } catch (InterruptedException stopped) {
        throw stopped(what, stopped);
      }
      String message =
          "the schema registry at %s did not give %s: %s".formatted(settings.url(), what, failed);
      if (attempt == ATTEMPTS) {
        throw new RegistryUnavailableException(
            message + "; asked " + ATTEMPTS + " times",
            "No event is lost: reading stops here",
            cause);
      }
      LOG.warn("{}; asking again", message);
      waitBefore(attempt, what);
    }
  }

  private void waitBefore(int attempt, String what) {
    try {
      pause.millis(FIRST_PAUSE_MILLIS << (attempt - 1));
    } catch (InterruptedException stopped) {
      throw stopped(what, stopped);
    }
  }

  private static RegistryUnavailableException stopped(String what, InterruptedException stopped) {
    Thread.currentThread().interrupt();
    return new RegistryUnavailableException("interrupted while asking for " + what, stopped);
  }

  private RegistryConnection connection() {
    RegistryConnection open = connection;
    if (open == null) {
      open = new RegistryConnection(settings);
      connection = open;
    }
    return open;
  }

  /**
   * Returns why an answer has no schema, if a repeated request can succeed.
   *
   * @throws UnknownSchemaException if the registry does not have the schema
   * @throws RegistryUnavailableException if other requests would be refused too
   */
  private String refusal(String what, RegistryConnection.Answer answer)
      throws UnknownSchemaException {
    int status = answer.status();
    JsonNode body = tree(answer.body());
    JsonNode said = body == null ? MissingNode.getInstance() : body;
    boolean byRegistry = said.path("error_code").isInt();
    String shown = status + " " + (byRegistry ? said.path("message").asText() : "");
    if (status == NOT_FOUND && byRegistry) {
      throw new UnknownSchemaException("the schema registry has no " + what);
    }
    boolean mayPass =
        status == TIMEOUT
            || status == TOO_MANY
            || (status >= SERVER_ERROR && status != NOT_IMPLEMENTED);
    if (mayPass) {
      return "it answers " + cut(shown.strip());
    }
    String hint =
        switch (status) {
          case 401, 403 -> "; look at 'input.registry': user, password, key-store";
          case NOT_FOUND -> ", and not as a registry does; is 'input.registry.url' its address?";
          case NOT_IMPLEMENTED ->
              "; it cannot give descriptors of Protobuf: name a file of descriptors by"
                  + " 'input.schema-file'";
          default -> status < 400 ? "; 'input.registry.url' is another address" : "";
        };
    throw unavailable(
        "the schema registry at %s refuses to give %s: it answers %s%s"
            .formatted(settings.url(), what, cut(shown.strip()), hint),
        null);
  }

  private static RegistryUnavailableException unavailable(
      String message, @Nullable Throwable cause) {
    RegistryUnavailableException unavailable =
        new RegistryUnavailableException(
            message,
            "No event is lost: reading stops here, and begins again when the job is started again",
            cause);
    LOG.error(unavailable.getMessage());
    return unavailable;
  }

  private static @Nullable JsonNode tree(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException noJson) {
      return null;
    } catch (IOException noText) {
      return null;
    }
  }

  private static @Nullable RegisteredSchema schema(byte[] body) {
    JsonNode root = tree(body);
    if (root == null || !root.path("schema").isTextual()) {
      return null;
    }
    List<RegisteredSchema.Reference> references = new ArrayList<>();
    for (JsonNode each : root.path("references")) {
      references.add(
          new RegisteredSchema.Reference(
              each.path("name").asText(),
              each.path("subject").asText(),
              each.path("version").asInt()));
    }
    return new RegisteredSchema(
        root.path("schemaType").asText("AVRO").toUpperCase(Locale.ROOT),
        root.path("schema").asText(),
        references);
  }

  private static @Nullable Integer id(byte[] body) {
    JsonNode root = tree(body);
    return root != null && root.path("id").isInt() && root.path("id").intValue() >= 0
        ? root.path("id").intValue()
        : null;
  }

  private static String beginning(byte[] body) {
    return Shown.of(cut(new String(body, StandardCharsets.UTF_8)));
  }

  private static String cut(String text) {
    return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "...";
  }
}
