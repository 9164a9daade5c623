package io.idlalayer.modelruntime.network;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one part of a configuration. Records which settings have been read, so that none
 * is ignored by mistake.
 */
final class Settings {
  private static final int MOST_INTEGERS = 8;

  private final String owner;
  private final JsonNode node;
  private final Set<String> read = new HashSet<>();

  /**
   * @param owner name of the part that has the settings, for messages
   */
  Settings(String owner, JsonNode node) throws MalformedModelException {
    if (!node.isObject()) {
      throw ConfigurationReader.malformed(owner + " has no settings");
    }
    this.owner = owner;
    this.node = node;
  }

  String owner() {
    return owner;
  }

  /** Marks settings as read that have no influence on predictions. */
  void passOver(String... names) {
    read.addAll(Arrays.asList(names));
  }

  /** Marks a setting as read and returns it; null if it is missing or null. */
  @Nullable JsonNode take(String name) {
    read.add(name);
    JsonNode value = node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  String text(String name) throws MalformedModelException {
    JsonNode value = take(name);
    if (value == null || !value.isTextual()) {
      throw ConfigurationReader.malformed("%s has no text '%s'".formatted(owner, name));
    }
    return value.textValue();
  }

  int integer(String name) throws MalformedModelException {
    JsonNode value = take(name);
    if (value == null || !value.canConvertToInt() || !value.isIntegralNumber()) {
      throw ConfigurationReader.malformed("%s has no number '%s'".formatted(owner, name));
    }
    return value.intValue();
  }

  /** Returns a setting that is a list of integers. */
  int[] integers(String name) throws MalformedModelException {
    JsonNode values = take(name);
    if (values == null || !values.isArray() || values.isEmpty() || values.size() > MOST_INTEGERS) {
      throw ConfigurationReader.malformed("%s has no numbers '%s'".formatted(owner, name));
    }
    int[] integers = new int[values.size()];
    for (int i = 0; i < integers.length; i++) {
      if (!values.get(i).isIntegralNumber() || !values.get(i).canConvertToInt()) {
        throw ConfigurationReader.malformed("%s has no numbers '%s'".formatted(owner, name));
      }
      integers[i] = values.get(i).intValue();
    }
    return integers;
  }

  boolean flag(String name) throws MalformedModelException {
    JsonNode value = take(name);
    if (value == null || !value.isBoolean()) {
      throw ConfigurationReader.malformed("%s has no flag '%s'".formatted(owner, name));
    }
    return value.booleanValue();
  }

  /** Returns a setting that is a number, or the given default if it is missing. */
  double number(String name, double otherwise) throws MalformedModelException {
    JsonNode value = take(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
      throw ConfigurationReader.malformed("%s has no number '%s'".formatted(owner, name));
    }
    return value.doubleValue();
  }

  /** Refuses a setting that is present. */
  void checkNull(String name) throws UnsupportedModelException {
    JsonNode value = take(name);
    if (value != null) {
      String type = value.path("@class").asText("");
      throw new UnsupportedModelException(
          "%s %s of %s".formatted(name, type.isEmpty() ? value : type, owner));
    }
  }

  /**
   * Refuses a part of a configuration with settings that have not been read, because they may
   * change predictions.
   */
  void checkAllKnown() throws UnsupportedModelException {
    for (var names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!read.contains(name)) {
        throw new UnsupportedModelException("setting '%s' of %s".formatted(name, owner));
      }
    }
  }
}
