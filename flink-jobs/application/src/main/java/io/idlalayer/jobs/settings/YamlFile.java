package io.idlalayer.jobs.settings;

import io.idlalayer.jobs.settings.keys.KeyForms;
import io.idlalayer.jobs.storage.ReadFailure;
import io.idlalayer.middleware.sample.file.RegularFile;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** The nodes of a YAML file with their line numbers, and the problems found in the file. */
final class YamlFile {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{(?:env:([A-Za-z_][A-Za-z0-9_]*)|file:([^{}\\n]*))}");
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9][0-9._]*([eE][-+]?[0-9]+)?");
  private static final long BYTES_MAX = 1 << 20;
  private static final int SECRET_BYTES_MAX = 64 << 10;

  /** Largest number of names in all ranges and lists of a file together. */
  private static final int NAMES_MAX = 1_000_000;

  private final Path path;
  private final Function<String, @Nullable String> environment;
  private final List<Problem> problems = new ArrayList<>();
  private final KeyForms keys = new KeyForms();
  private int names;

  /** Texts with values of environment variables or files, each with its form in the file. */
  private final Map<String, String> written = new HashMap<>();

  YamlFile(Path path, Function<String, @Nullable String> environment) {
    this.path = path;
    this.environment = environment;
  }

  Path path() {
    return path;
  }

  /** Returns the file's top node, or null after reporting why there is none. */
  @Nullable Node read() {
    try {
      if (Files.isDirectory(path)) {
        return unreadable("is a directory; name the application file in it");
      }
      if (RegularFile.isOther(path) && !RegularFile.isOpenStream(path)) {
        return unreadable("is a pipe, a socket or a device; name a regular file");
      }
      if (Files.size(path) > BYTES_MAX) {
        return unreadable("is larger than an application file can be (1 MiB)");
      }
      Node node = new Yaml(new LoaderOptions()).compose(Files.newBufferedReader(path));
      return node == null ? unreadable("is empty") : node;
    } catch (NoSuchFileException missing) {
      return unreadable("does not exist");
    } catch (MarkedYAMLException broken) {
      Mark mark = broken.getProblemMark();
      problems.add(
          new Problem(
              path.toString(),
              mark == null ? 0 : mark.getLine() + 1,
              "",
              "is not YAML: " + broken.getProblem()));
      return null;
    } catch (CharacterCodingException notText) {
      return unreadable("is not UTF-8 text");
    } catch (YAMLException | IOException broken) {
      return unreadable("cannot be read: " + broken.getMessage());
    }
  }

  /** Returns the top node of a text that is YAML. */
  Node node(String text) {
    return new Yaml(new LoaderOptions()).compose(new StringReader(text));
  }

  private @Nullable Node unreadable(String why) {
    problems.add(new Problem(path.toString(), 0, "", why));
    return null;
  }

  /**
   * Counts names of a list. Returns whether the file is still within its limit of names; when the
   * limit is exceeded for the first time, this is reported.
   */
  boolean takes(int more, Node node, String key) {
    boolean reported = names > NAMES_MAX;
    names = Math.min(NAMES_MAX + 1, names + more);
    if (names > NAMES_MAX && !reported) {
      problem(node, key, "the file names more than %,d things".formatted(NAMES_MAX));
    }
    return names <= NAMES_MAX;
  }

  /** Returns how many problems were found so far. */
  int problemCount() {
    return problems.size();
  }

  void problem(Node node, String key, String message) {
    Mark mark = node.getStartMark();
    int line = mark == null ? 1 : mark.getLine() + 1;
    problems.add(new Problem(path.toString(), line, key, message));
  }

  /**
   * Returns the record of the keys that the reader accepts, including the keys of inner sections.
   */
  KeyForms keys() {
    return keys;
  }

  /**
   * Returns a text of this file for a message, with invisible characters escaped. A text with
   * values from the environment is shown as it is written in the file, because the environment can
   * contain secrets.
   */
  String shown(String text) {
    String variable = written.get(text);
    if (variable != null) {
      return "the value of " + variable;
    }
    return NUMBER.matcher(text).matches() ? text : "'" + Shown.escaped(text) + "'";
  }

  /** Returns whether a text contains values of environment variables. */
  boolean fromEnvironment(String text) {
    return written.containsKey(text);
  }

  /**
   * Records that a text is a part of another text, so that secrets are hidden in both in the same
   * way.
   */
  void derived(String text, String from) {
    String variable = written.get(from);
    if (variable != null) {
      written.put(text, variable);
    }
  }

  /**
   * Returns a scalar's text with the values of environment variables and the contents of files;
   * these values and contents are never shown in messages.
   */
  @Nullable String resolve(ScalarNode scalar, String key) {
    Matcher matcher = VARIABLE.matcher(scalar.getValue());
    StringBuilder text = new StringBuilder();
    boolean missing = false;
    while (matcher.find()) {
      @Nullable String name = matcher.group(1);
      String value =
          name == null
              ? secret(scalar, key, String.valueOf(matcher.group(2)))
              : environment.apply(name);
      missing |= value == null;
      if (name != null && value == null) {
        problem(scalar, key, "environment variable " + name + " is not set");
      }
      matcher.appendReplacement(text, Matcher.quoteReplacement(value == null ? "" : value));
    }
    matcher.appendTail(text);
    if (missing) {
      return null;
    }
    if (!text.toString().equals(scalar.getValue())) {
      written.put(text.toString(), scalar.getValue());
    }
    return text.toString();
  }

  /**
   * Returns the text of a file that the application file names, without the line break at its end;
   * null after reporting why there is none.
   */
  private @Nullable String secret(ScalarNode scalar, String key, String name) {
    String problem;
    try {
      Path file = path.toAbsolutePath().resolveSibling(name).normalize();
      if (name.isBlank()) {
        problem = "${file:} names no file";
      } else if (Files.isDirectory(file)) {
        problem = "file %s is a directory".formatted(file);
      } else if (RegularFile.isOther(file) && !RegularFile.isOpenStream(file)) {
        problem = "file %s is a pipe, a socket or a device".formatted(file);
      } else if (!Files.exists(file)) {
        problem = "file %s does not exist".formatted(file);
      } else if (!Files.isReadable(file)) {
        problem = "file %s cannot be read: this user may not read it".formatted(file);
      } else if (Files.size(file) > SECRET_BYTES_MAX) {
        problem = "file %s is larger than 64 KiB".formatted(file);
      } else {
        return Files.readString(file).replaceFirst("\\r?\\n\\z", "");
      }
    } catch (CharacterCodingException noText) {
      problem = "file %s is not UTF-8 text".formatted(name);
    } catch (IOException broken) {
      problem = "file %s cannot be read: %s".formatted(name, ReadFailure.why(broken, false));
    } catch (InvalidPathException broken) {
      problem = "%s is no name of a file".formatted(name);
    }
    problem(scalar, key, problem);
    return null;
  }

  List<Problem> problems() {
    return problems;
  }
}
