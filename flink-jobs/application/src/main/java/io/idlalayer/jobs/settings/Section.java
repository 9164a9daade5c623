package io.idlalayer.jobs.settings;

import io.idlalayer.jobs.settings.keys.KeyForm;
import io.idlalayer.jobs.storage.ReadFailure;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.text.NearWord;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A section of the application file: a YAML mapping whose keys are read by type. Getters never
 * throw: they report a wrong value as a problem and return the default, so that reading continues
 * and finds further problems.
 */
final class Section {
  private static final MappingNode EMPTY =
      new MappingNode(Tag.MAP, List.of(), DumperOptions.FlowStyle.BLOCK);

  private static final Pattern ADDRESS = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");

  /** The word {@code auto}, with which the product chooses a time itself. */
  private static final String AUTO = "auto";

  private static final long LONGEST_SECONDS = 365L * 86_400;
  private static final long MOST_BYTES = 1L << 50;

  private final YamlFile file;
  private final String path;
  private final Node at;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final Map<String, Node> keys = new LinkedHashMap<>();
  private final Set<String> known = new HashSet<>();

  Section(YamlFile file, String path, Node node) {
    this.file = file;
    this.path = path;
    at = node;
    file.keys().section(path);
    if (!(node instanceof MappingNode mapping)) {
      file.problem(node, path, "a mapping of keys is expected here");
      return;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      if (tuple.getKeyNode() instanceof ScalarNode key) {
        if (values.put(key.getValue(), tuple.getValueNode()) != null) {
          file.problem(key, path(key.getValue()), "is given twice");
        }
        keys.put(key.getValue(), key);
      } else {
        file.problem(tuple.getKeyNode(), path, "keys must be plain text");
      }
    }
  }

  private String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  /** Returns how many problems were found in the file so far. */
  int problemCount() {
    return file.problemCount();
  }

  /** Reports a problem with the value of a key, or with the section if the key is absent. */
  void problem(String key, String message) {
    file.problem(values.getOrDefault(key, at), path(key), message);
  }

  /** Records a form that the value of a key can have. */
  private void takes(String key, KeyForm form) {
    file.keys().add(path(key), form);
  }

  /** Records that the text under a key must be one of some words; the caller checks this. */
  void words(String key, List<String> words) {
    takes(key, KeyForm.choice(words));
  }

  /** Returns whether a key has a value. */
  boolean given(String key) {
    return value(key) != null;
  }

  private @Nullable Node value(String key) {
    known.add(key);
    file.keys().asked(path(key));
    Node node = values.get(key);
    boolean empty =
        node instanceof ScalarNode scalar && scalar.isPlain() && scalar.getValue().isEmpty();
    return empty ? null : node;
  }

  /** Returns the section under a key; empty if absent. */
  Section section(String key) {
    takes(key, KeyForm.SECTION);
    Node node = value(key);
    return node == null ? new Section(file, path(key), EMPTY) : new Section(file, path(key), node);
  }

  /**
   * Returns the text of a key with {@code ${env:NAME}} and {@code ${file:PATH}} replaced, or null
   * if the key is absent.
   */
  @Nullable String text(String key) {
    takes(key, KeyForm.TEXT);
    return raw(key);
  }

  private @Nullable String raw(String key) {
    Node node = value(key);
    return node == null ? null : scalar(key, node);
  }

  String text(String key, String otherwise) {
    String text = text(key);
    return text == null ? otherwise : text;
  }

  /** Returns the text of a required key; "" after reporting that the key is absent or empty. */
  String required(String key) {
    file.keys().require(path(key));
    String text = text(key);
    if (text == null && !has(key)) {
      file.problem(at, path(key), "is missing");
    } else if (text == null) {
      problem(key, "has no value");
    } else if (text.isEmpty()) {
      problem(key, "is empty");
    }
    return text == null ? "" : text;
  }

  private @Nullable String scalar(String key, Node node) {
    if (node instanceof ScalarNode scalar) {
      return file.resolve(scalar, path(key));
    }
    file.problem(node, path(key), "a single value is expected");
    return null;
  }

  /** Returns a value of this file for a message; a value from the environment is not shown. */
  String shown(String text) {
    return file.shown(text);
  }

  /** Returns a path for a message, without text from the environment. */
  String shown(String text, Path resolved) {
    return file.fromEnvironment(text) ? shown(text) : resolved.toString();
  }

  /** Returns why a file cannot be read, without text from the environment. */
  String reason(String text, IOException failed) {
    return ReadFailure.why(failed, !file.fromEnvironment(text));
  }

  /**
   * Reports a key that has no effect together with the other keys, unless the value takes effect
   * anyway.
   */
  <T> void idle(String key, T value, T otherwise, String takesEffectWith) {
    if (has(key) && !value.equals(otherwise)) {
      problem(key, "takes effect with " + takesEffectWith + " only");
    }
  }

  /**
   * Returns a folder as {@link #directory} reads it, or the unchanged address of an object store;
   * null if absent.
   */
  @Nullable String folderOrObjectStore(String key) {
    String text = text(key);
    if (text == null || !ModelStore.isAddress(text)) {
      return directory(key);
    }
    try {
      ModelStore.checkAddress(text);
      return text;
    } catch (IllegalArgumentException refused) {
      problem(key, String.valueOf(refused.getMessage()));
      return null;
    }
  }

  /**
   * Returns the absolute path of a folder, resolved against the application file's folder, or null
   * if absent. Only folders on this machine, or mounted here, are accepted.
   */
  @Nullable String directory(String key) {
    return absolute(key, "folder");
  }

  /**
   * Returns the absolute path of a file, resolved against the application file's folder, or null if
   * absent.
   */
  @Nullable String file(String key) {
    return absolute(key, "file");
  }

  private @Nullable String absolute(String key, String what) {
    String text = text(key);
    if (text == null) {
      return null;
    }
    if (ADDRESS.matcher(text).matches()) {
      problem(
          key,
          "%s is an address; name a %s of this machine, or mount it here"
              .formatted(shown(text), what));
      return null;
    }
    if (text.startsWith("~")) {
      problem(
          key,
          "%s is not a %s: ~ is not expanded here, write the path out"
              .formatted(shown(text), what));
      return null;
    }
    try {
      return file.path().toAbsolutePath().resolveSibling(text).normalize().toString();
    } catch (InvalidPathException impossible) {
      problem(key, "%s cannot be the name of a %s".formatted(shown(text), what));
      return null;
    }
  }

  /**
   * @param parse parses a text; throws {@link IllegalArgumentException} with a message that
   *     continues after the value, such as {@code is not a whole number}
   */
  private <T> T parsed(String key, T otherwise, KeyForm form, Function<String, T> parse) {
    takes(key, form);
    String text = raw(key);
    if (text == null) {
      return otherwise;
    }
    try {
      return parse.apply(text);
    } catch (IllegalArgumentException refused) {
      problem(key, shown(text) + " " + refused.getMessage());
      return otherwise;
    }
  }

  int integer(String key, int otherwise, int least, int most) {
    return parsed(
        key,
        otherwise,
        KeyForm.whole(least, most),
        text -> {
          long value = whole(text.replace("_", ""));
          if (value < least || value > most) {
            throw new IllegalArgumentException("is not between %d and %d".formatted(least, most));
          }
          return (int) value;
        });
  }

  long wholeNumber(String key, long otherwise) {
    return parsed(key, otherwise, KeyForm.whole(Long.MIN_VALUE, Long.MAX_VALUE), Section::whole);
  }

  private static long whole(String text) {
    try {
      // The JDK also accepts digits of other scripts.
      if (WHOLE.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException tooLarge) {
      throw new IllegalArgumentException("is not a whole number", tooLarge);
    }
    throw new IllegalArgumentException("is not a whole number");
  }

  /**
   * Returns a number in the half-open range (above, most], or in [least, most] if {@code
   * inclusive}.
   */
  double number(String key, double otherwise, double least, boolean inclusive, double most) {
    return parsed(
        key,
        otherwise,
        KeyForm.number(least, !inclusive, most),
        text -> {
          // The JDK's parser is not used, because it also accepts 1d and 0x1p3 as numbers.
          double value = NumberNotation.PLAIN.read(text);
          if (Double.isNaN(value)) {
            throw new IllegalArgumentException("is not a number");
          }
          boolean tooSmall = inclusive ? value < least : value <= least;
          if (tooSmall || value > most) {
            throw new IllegalArgumentException(
                "must be %s %s and at most %s"
                    .formatted(inclusive ? "at least" : "above", least, most));
          }
          return value;
        });
  }

  boolean flag(String key, boolean otherwise) {
    return parsed(
        key,
        otherwise,
        KeyForm.FLAG,
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true", "yes", "on" -> true;
              case "false", "no", "off" -> false;
              default -> throw new IllegalArgumentException("is not true or false");
            });
  }

  /** Returns a duration in seconds, at most a year. */
  double seconds(String key, double otherwise) {
    return parsed(
        key,
        otherwise,
        KeyForm.text(KeyForm.Kind.DURATION, Quantities.DURATIONS),
        Section::secondsIn);
  }

  /** Returns a duration in seconds, at most a year; null for the word {@code auto}, the default. */
  @Nullable Double secondsOrAuto(String key) {
    double seconds =
        parsed(
            key,
            Double.NaN,
            KeyForm.text(KeyForm.Kind.DURATION, AUTO + "|" + Quantities.DURATIONS),
            text -> text.equals(AUTO) ? Double.NaN : secondsBesideAuto(text));
    return Double.isNaN(seconds) ? null : seconds;
  }

  private static double secondsBesideAuto(String text) {
    try {
      return secondsIn(text);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          wrong.getMessage() + "; '%s' is possible too".formatted(AUTO), wrong);
    }
  }

  private static double secondsIn(String text) {
    double seconds = Quantities.seconds(text);
    if (seconds > LONGEST_SECONDS) {
      throw new IllegalArgumentException("is longer than 365d");
    }
    return seconds;
  }

  /** Returns a size in bytes, at most 1 PiB. */
  long bytes(String key, long otherwise, long least) {
    return bytes(key, otherwise, least, MOST_BYTES);
  }

  long bytes(String key, long otherwise, long least, long most) {
    return parsed(
        key,
        otherwise,
        KeyForm.text(KeyForm.Kind.SIZE, Quantities.SIZES),
        text -> {
          long bytes = Quantities.bytes(text);
          if (bytes < least) {
            throw new IllegalArgumentException("is below " + least + " bytes");
          }
          if (bytes > most) {
            throw new IllegalArgumentException("is above " + Quantities.size(most));
          }
          return bytes;
        });
  }

  /** Returns the enum constant whose name, in lower case and with dashes, is the value of a key. */
  <E extends Enum<E>> E choice(String key, E otherwise, E[] choices) {
    return parsed(
        key,
        otherwise,
        KeyForm.choice(Stream.of(choices).map(Section::name).toList()),
        text ->
            Stream.of(choices)
                .filter(choice -> name(choice).equals(text))
                .findFirst()
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "is none of %s"
                                .formatted(
                                    Stream.of(choices)
                                        .map(Section::name)
                                        .collect(Collectors.joining(", "))))));
  }

  static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the elements of a list, with ranges such as {@code f1..f54} spelled out; empty if
   * absent.
   */
  List<String> names(String key) {
    takes(key, KeyForm.LISTED_TEXT);
    List<String> names = new ArrayList<>();
    for (Node element : elements(key)) {
      names.addAll(names(key, element));
    }
    return names;
  }

  /**
   * Returns the elements of a list of values, such as classes; empty if absent. A value in quotes
   * is taken literally; other values can be ranges.
   */
  List<String> texts(String key) {
    takes(key, KeyForm.LISTED_TEXT);
    List<String> texts = new ArrayList<>();
    for (Node element : elements(key)) {
      boolean quoted = element instanceof ScalarNode scalar && !scalar.isPlain();
      String text = quoted ? scalar(key, element) : null;
      if (!quoted) {
        texts.addAll(names(key, element));
      } else if (text != null && file.takes(1, element, path(key))) {
        texts.add(text);
      }
    }
    return texts;
  }

  /** Returns the names for which one element of a list stands. The element can be a range. */
  List<String> names(String key, Node element) {
    takes(key, KeyForm.LISTED_TEXT);
    String text = scalar(key, element);
    if (text == null) {
      return List.of();
    }
    try {
      List<String> names = Quantities.range(text);
      if (!file.takes(names.size(), element, path(key))) {
        return List.of();
      }
      names.forEach(name -> file.derived(name, text));
      return names;
    } catch (IllegalArgumentException refused) {
      file.problem(element, path(key), shown(text) + " " + refused.getMessage());
      return List.of();
    }
  }

  /** Returns the nodes of a list; empty if absent. */
  List<Node> elements(String key) {
    takes(key, KeyForm.LIST);
    Node node = value(key);
    if (node == null) {
      return List.of();
    }
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    file.problem(node, path(key), "a list is expected");
    return List.of();
  }

  /** Returns an element of a list, which must be a mapping, as a section. */
  Section element(String key, Node node) {
    takes(key, KeyForm.LISTED_SECTION);
    return new Section(file, path(key), node);
  }

  boolean isMapping(String key) {
    return values.get(key) instanceof MappingNode;
  }

  boolean isList(String key) {
    return values.get(key) instanceof SequenceNode;
  }

  /** Returns all keys with their texts, without checking the keys. */
  Map<String, String> entries() {
    file.keys().add(path, KeyForm.ENTRIES);
    Map<String, String> entries = new LinkedHashMap<>();
    for (String key : values.keySet()) {
      String text = raw(key);
      if (text != null) {
        entries.put(key, text);
      }
    }
    return entries;
  }

  /** Reports as unknown every key that no method has read. */
  void finish() {
    for (Map.Entry<String, Node> key : keys.entrySet()) {
      if (!known.contains(key.getKey())) {
        String near = NearWord.of(key.getKey(), known);
        file.problem(
            key.getValue(),
            path(key.getKey()),
            near.isEmpty() ? "unknown key" : "unknown key; did you mean '" + near + "'?");
      }
    }
  }
}
