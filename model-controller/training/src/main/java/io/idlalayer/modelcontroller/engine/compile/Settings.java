package io.idlalayer.modelcontroller.engine.compile;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one part of a configuration: a layer, a vertex, an updater, a function. Reads the
 * JSON and does not change it.
 */
public final class Settings {
  private static final String CLASS = "@class";

  /** Packages whose classes are known by their names without the package. */
  private static final List<String> PACKAGES =
      List.of("org.deeplearning4j.", "org.nd4j.", "io.idlalayer.modelloader.network.");

  private final String owner;
  private final JsonNode node;

  /**
   * @param owner the part that has the settings, for messages
   */
  Settings(String owner, JsonNode node) throws UncompilableException {
    if (!node.isObject()) {
      throw new UncompilableException(owner + " has no settings");
    }
    this.owner = owner;
    this.node = node;
  }

  /** Returns the part that has the settings, for messages. */
  public String owner() {
    return owner;
  }

  /**
   * Returns the name of the part's class without its package. If the class belongs neither to
   * Deeplearning4j nor to iDlaLayer, the full name is returned, because a class with the same
   * simple name can compute something else.
   *
   * @throws UncompilableException if the part names no class
   */
  public String simpleName() throws UncompilableException {
    String name = text(CLASS);
    if (PACKAGES.stream().noneMatch(name::startsWith)) {
      return name;
    }
    return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  }

  /** Returns whether a setting exists and is not null. */
  public boolean has(String name) {
    return node.hasNonNull(name);
  }

  /**
   * Returns a setting that is a text.
   *
   * @throws UncompilableException if the setting is no text
   */
  public String text(String name) throws UncompilableException {
    JsonNode value = node.path(name);
    if (!value.isTextual()) {
      throw missing("text", name);
    }
    return value.textValue();
  }

  /** Returns a setting that is a text, or another text if the setting is missing. */
  public String text(String name, String otherwise) throws UncompilableException {
    return has(name) ? text(name) : otherwise;
  }

  /**
   * Returns a setting that is an integer.
   *
   * @throws UncompilableException if the setting is no integer
   */
  public int integer(String name) throws UncompilableException {
    JsonNode value = node.path(name);
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw missing("integer", name);
    }
    return value.intValue();
  }

  /**
   * Returns a setting that is an integer above 0.
   *
   * @throws UncompilableException if the setting is no such integer
   */
  public int positive(String name) throws UncompilableException {
    int value = integer(name);
    if (value < 1) {
      throw new UncompilableException("%s has %d as '%s'".formatted(owner, value, name));
    }
    return value;
  }

  /**
   * Returns a setting that is a list of integers.
   *
   * @throws UncompilableException if the setting is no such list
   */
  public int[] integers(String name) throws UncompilableException {
    JsonNode values = node.path(name);
    if (!values.isArray()) {
      throw missing("list of integers", name);
    }
    int[] integers = new int[values.size()];
    for (int i = 0; i < integers.length; i++) {
      if (!values.get(i).isIntegralNumber() || !values.get(i).canConvertToInt()) {
        throw missing("list of integers", name);
      }
      integers[i] = values.get(i).intValue();
    }
    return integers;
  }

  /**
   * Returns a setting that is two integers, each at least {@code least}.
   *
   * @throws UncompilableException if the setting is anything else
   */
  public int[] pair(String name, int least) throws UncompilableException {
    int[] values = integers(name);
    if (values.length != 2 || values[0] < least || values[1] < least) {
      throw new UncompilableException(
          "%s has other '%s' than two integers of at least %d".formatted(owner, name, least));
    }
    return values;
  }

  /**
   * Returns a setting that is true or false.
   *
   * @throws UncompilableException if it is neither
   */
  public boolean flag(String name) throws UncompilableException {
    JsonNode value = node.path(name);
    if (!value.isBoolean()) {
      throw missing("true or false", name);
    }
    return value.booleanValue();
  }

  /** Returns a setting that is true or false, or another value if the setting is missing. */
  public boolean flag(String name, boolean otherwise) throws UncompilableException {
    return has(name) ? flag(name) : otherwise;
  }

  /**
   * Returns a setting that is a number. Deeplearning4j writes a number that is not finite as text.
   *
   * @throws UncompilableException if the setting is no number
   */
  public double number(String name) throws UncompilableException {
    JsonNode value = node.path(name);
    if (value.isNumber()) {
      return value.doubleValue();
    }
    return switch (value.asText("")) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> throw missing("number", name);
    };
  }

  /** Returns a setting that is a number, or another number if the setting is missing. */
  public double number(String name, double otherwise) throws UncompilableException {
    return has(name) ? number(name) : otherwise;
  }

  /**
   * Returns a finite number that a training needs. If the setting is missing, Deeplearning4j would
   * use 0 without a message.
   *
   * @throws WrongConfigurationException if the setting is missing or not finite
   */
  public double constant(String name) throws UncompilableException {
    double value = number(name, Double.NaN);
    if (!Double.isFinite(value)) {
      throw new WrongConfigurationException(
          "%s has no finite number '%s'; write one".formatted(owner, name));
    }
    return value;
  }

  /** Returns the names of all settings. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /**
   * Returns a part of this part; null if the setting is missing.
   *
   * @param what description of the returned part, for messages
   */
  public @Nullable Settings part(String what, String name) throws UncompilableException {
    return has(name) ? new Settings(what + " of " + owner, node.get(name)) : null;
  }

  /**
   * Returns a part that is required.
   *
   * @param what description of the returned part, for messages
   * @throws UncompilableException if the part is missing
   */
  public Settings required(String what, String name) throws UncompilableException {
    Settings part = part(what, name);
    if (part == null) {
      throw missing("settings", name);
    }
    return part;
  }

  /**
   * Returns the parts in a list; an empty list if the setting is missing.
   *
   * @param what description of each part, for messages
   */
  public List<Settings> parts(String what, String name) throws UncompilableException {
    if (!has(name)) {
      return List.of();
    }
    JsonNode values = node.get(name);
    if (!values.isArray()) {
      throw missing("list", name);
    }
    List<Settings> parts = new ArrayList<>();
    for (JsonNode each : values) {
      parts.add(new Settings(what + " of " + owner, each));
    }
    return List.copyOf(parts);
  }

  private UncompilableException missing(String what, String name) {
    return new UncompilableException(
        "%s has no %s '%s'; write the configuration with Deeplearning4j's toJson()"
            .formatted(owner, what, name));
  }
}
