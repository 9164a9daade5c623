package io.idlalayer.modelruntime.inference;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the paths that a server answers. Clients never escape a character of these paths, so a
 * path with a percent sign is unknown.
 */
final class InferenceRoutes {
  static final String ROOT = "/v2";

  /** Path from which Prometheus reads the metrics. */
  private static final String METERS = "/metrics";

  private static final Pattern MODEL =
      Pattern.compile(
          "/v2/models/(?<model>[A-Za-z0-9][A-Za-z0-9._-]{0,119})"
              + "(?:/versions/(?<version>[1-9]\\d{0,17}))?(?:/(?<action>ready|infer))?");

  private InferenceRoutes() {}

  /** The kind of a request to the server or to a model. */
  enum Action {
    SERVER_METADATA,
    SERVER_LIVE,
    SERVER_READY,
    METERS,
    MODEL_METADATA,
    MODEL_READY,
    INFER
  }

  /**
   * The request that a path stands for: its kind, model and version.
   *
   * @param model null for the server itself
   * @param version 0 if the path has none
   */
  record Target(Action action, @Nullable String model, long version) {}

  /** Returns the target of a path in a request; empty if it has none. */
  static Optional<Target> parse(String rawPath) {
    switch (rawPath) {
      case ROOT, ROOT + "/" -> {
        return Optional.of(new Target(Action.SERVER_METADATA, null, 0));
      }
      case ROOT + "/health/live" -> {
        return Optional.of(new Target(Action.SERVER_LIVE, null, 0));
      }
      case ROOT + "/health/ready" -> {
        return Optional.of(new Target(Action.SERVER_READY, null, 0));
      }
      case METERS -> {
        return Optional.of(new Target(Action.METERS, null, 0));
      }
      default -> {
        Matcher path = MODEL.matcher(rawPath);
        return path.matches() ? Optional.of(model(path)) : Optional.empty();
      }
    }
  }

  private static Target model(Matcher path) {
    String version = path.group("version");
    Action action =
        switch (String.valueOf(path.group("action"))) {
          case "ready" -> Action.MODEL_READY;
          case "infer" -> Action.INFER;
          default -> Action.MODEL_METADATA;
        };
    return new Target(action, path.group("model"), version == null ? 0 : Long.parseLong(version));
  }
}
