package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.settings.keys.JsonSchema;
import io.idlalayer.jobs.settings.keys.KeyForm;
import io.idlalayer.jobs.settings.keys.KeyForms;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** The JSON Schema of application files says what their reader accepts. */
final class JsonSchemaTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern GETTER =
      Pattern.compile(
          "\\.\\s*(?:text|required|integer|wholeNumber|number|flag|seconds|bytes|choice|names|elements|section|directory|file|folderOrObjectStore)\\(\\s*\"([a-z-]+)\"");

  private final KeyForms keys = ApplicationFileReader.keys();
  private final String schema = JsonSchema.of(keys);

  @Test
  void schema_ofTheDocuments_isThatOfTheReader() throws Exception {
    assertThat(Files.readString(ROOT.resolve("docs/application-file.schema.json")))
        .as("'./idla check --schema > docs/application-file.schema.json' writes it anew")
        .isEqualTo(schema);
  }

  @Test
  void keys_ofAllReaders_areInTheSchema() throws Exception {
    Set<String> last = new TreeSet<>();
    keys.paths().forEach(path -> last.add(path.substring(path.lastIndexOf('.') + 1)));
    Set<String> read = new TreeSet<>();
    try (Stream<Path> sources =
        Files.list(
            ROOT.resolve("flink-jobs/application/src/main/java/io/idlalayer/jobs/settings"))) {
      for (Path source : sources.filter(it -> it.toString().endsWith(".java")).toList()) {
        Matcher getter = GETTER.matcher(Files.readString(source));
        while (getter.find()) {
          read.add(getter.group(1));
        }
      }
    }
    assertThat(read).hasSizeGreaterThan(80).isSubsetOf(last);
  }

  @Test
  void files_thatTheReaderAccepts_fitTheSchema() throws Exception {
    JsonNode root = new ObjectMapper().readTree(schema);
    List<String> files = new ArrayList<>();
    try (Stream<Path> examples = Files.list(ROOT.resolve("examples"))) {
      for (Path each : examples.filter(it -> it.toString().endsWith(".yaml")).toList()) {
        files.add(Files.readString(each));
      }
    }
    String page = Files.readString(ROOT.resolve("docs/application-file.md"));
    int from = page.indexOf("```yaml\nname: clicks") + "```yaml\n".length();
    files.add(page.substring(from, page.indexOf("```", from)));
    for (String text : files) {
      assertThat(misfits(root, node(text), "")).as(text).isEmpty();
    }
    assertThat(misfits(root, node("name: a\ninput: {label: y, formats: csv}"), ""))
        .containsExactly(".input");
    assertThat(misfits(root, node("name: a\nupdate: {rule: never}"), ""))
        .containsExactly(".update");
    assertThat(misfits(root, node("partitions: 129\nname: a"), "")).containsExactly(".partitions");
    assertThat(misfits(root, node("partitions: 1"), "")).containsExactly(" lacks name");
  }

  private static Node node(String text) {
    return new Yaml(new LoaderOptions()).compose(new StringReader(text));
  }

  @Test
  void choicesAndBounds_ofEachKey_areThoseOfTheReader() throws Exception {
    int choices = 0;
    int bounds = 0;
    for (String path : keys.paths()) {
      for (KeyForm form : keys.of(path)) {
        if (form.kind() == KeyForm.Kind.CHOICE) {
          for (String word : form.words()) {
            // Some metrics are of classes, others of targets.
            assertThat(problemsOfEach(path, word))
                .as(path + ": " + word)
                .anyMatch(file -> file.stream().noneMatch(JsonSchemaTest::refusesWord));
          }
          assertThat(problems(path, "no-such-word")).as(path).anyMatch(JsonSchemaTest::refusesWord);
          choices++;
        } else if (form.kind() == KeyForm.Kind.WHOLE && form.most() < Integer.MAX_VALUE) {
          long least = (long) form.least();
          long most = (long) form.most();
          assertThat(problems(path, least)).as(path).noneMatch(JsonSchemaTest::refusesNumber);
          assertThat(problems(path, most)).as(path).noneMatch(JsonSchemaTest::refusesNumber);
          assertThat(problems(path, least - 1)).as(path).anyMatch(JsonSchemaTest::refusesNumber);
          assertThat(problems(path, most + 1)).as(path).anyMatch(JsonSchemaTest::refusesNumber);
          bounds++;
        }
      }
    }
    assertThat(choices).isGreaterThan(20);
    assertThat(bounds).isGreaterThan(20);
  }

  private static boolean refusesWord(String problem) {
    return problem.contains(" is none of ") || problem.contains("is not a metric of");
  }

  private static boolean refusesNumber(String problem) {
    return problem.contains(" is not between ") || problem.contains("is not a whole number");
  }

  @Test
  void keys_ofTheSchema_areKnownToTheReader() throws Exception {
    for (String path : keys.paths()) {
      assertThat(problems(path, "x"))
          .as(path)
          .noneMatch(problem -> problem.equals(path + ": unknown key"));
      int dot = path.lastIndexOf('.');
      String unknown = path.substring(0, dot + 1) + "no-such-key";
      if (!unknown.startsWith("kafka.properties")) {
        assertThat(problems(unknown, "x")).anyMatch(it -> it.startsWith(unknown + ": unknown key"));
      }
    }
  }

  /**
   * Returns the problems of a file with a value under a key: of the first of the probes that knows
   * the key, or of all of them.
   */
  private List<String> problems(String path, Object value) {
    List<List<String>> known = problemsOfEach(path, value);
    return known.isEmpty() ? allProblems(path, value) : known.get(0);
  }

  /** Returns the problems of each of the probes that knows a key, with a value under it. */
  private List<List<String>> problemsOfEach(String path, Object value) {
    List<List<String>> all = new ArrayList<>();
    for (String probe : ApplicationFileReader.keyProbes()) {
      YamlFile file = read(probe, path, value);
      if (asked(file, path)) {
        all.add(texts(file));
      }
    }
    return all;
  }

  private List<String> allProblems(String path, Object value) {
    return ApplicationFileReader.keyProbes().stream()
        .flatMap(probe -> texts(read(probe, path, value)).stream())
        .toList();
  }

  private static List<String> texts(YamlFile file) {
    return file.problems().stream().map(it -> it.key() + ": " + it.message()).toList();
  }

  private YamlFile read(String probe, String path, Object value) {
    YamlFile file = new YamlFile(Path.of("probe.yaml"), name -> null);
    Map<String, Object> content = new Yaml(new LoaderOptions()).load(probe);
    set(content, path.split("\\."), 0, value);
    ApplicationFileReader.read(
        new Section(file, "", file.node(new Yaml().dump(content))),
        file.path(),
        NetworkChecks.NONE);
    return file;
  }

  private static boolean asked(YamlFile file, String path) {
    return file.keys().paths().contains(path);
  }

  @SuppressWarnings("unchecked")
  private void set(Map<String, Object> content, String[] keysOfPath, int at, Object value) {
    String key = keysOfPath[at];
    String path = String.join(".", List.of(keysOfPath).subList(0, at + 1));
    if (at + 1 == keysOfPath.length) {
      content.put(key, value);
      return;
    }
    Object inner = content.get(key);
    boolean listed =
        keys.of(path).stream().anyMatch(it -> it.kind() == KeyForm.Kind.LISTED_SECTION);
    if (listed) {
      Map<String, Object> element = new LinkedHashMap<>();
      element.put("name", "extra");
      set(element, keysOfPath, at + 1, value);
      List<Object> list = new ArrayList<>(inner instanceof List<?> old ? old : List.of());
      list.add(element);
      content.put(key, list);
    } else {
      Map<String, Object> section =
          inner instanceof Map<?, ?> old ? (Map<String, Object>) old : new LinkedHashMap<>();
      set(section, keysOfPath, at + 1, value);
      content.put(key, section);
    }
  }

  // ---- as much of a JSON Schema as this one uses, with scalars typed as YAML 1.2 does -----------

  private static List<String> misfits(JsonNode schema, Node node, String at) {
    if (schema.has("anyOf")) {
      List<String> first = new ArrayList<>();
      for (JsonNode each : schema.get("anyOf")) {
        if (misfits(each, node, at).isEmpty()) {
          return List.of();
        }
      }
      first.add(at);
      return first;
    }
    if (schema.has("properties") || schema.has("additionalProperties")) {
      return node instanceof MappingNode mapping ? misfits(schema, mapping, at) : List.of(at);
    }
    if (schema.has("items")) {
      if (!(node instanceof SequenceNode sequence)) {
        return List.of(at);
      }
      return sequence.getValue().stream()
          .flatMap(it -> misfits(schema.get("items"), it, at + "[]").stream())
          .toList();
    }
    return node instanceof ScalarNode scalar && fits(schema, scalar) ? List.of() : List.of(at);
  }

  private static List<String> misfits(JsonNode schema, MappingNode mapping, String at) {
    List<String> misfits = new ArrayList<>();
    Set<String> found = new TreeSet<>();
    JsonNode others = schema.get("additionalProperties");
    mapping
        .getValue()
        .forEach(
            tuple -> {
              String key = ((ScalarNode) tuple.getKeyNode()).getValue();
              found.add(key);
              JsonNode known = schema.path("properties").get(key);
              if (known != null) {
                misfits.addAll(misfits(known, tuple.getValueNode(), at + "." + key));
              } else if (others.isBoolean()) {
                misfits.add(at + "." + key + " is unknown");
              } else {
                misfits.addAll(misfits(others, tuple.getValueNode(), at + "." + key));
              }
            });
    schema
        .path("required")
        .forEach(
            key -> {
              if (!found.contains(key.asText())) {
                misfits.add(at + " lacks " + key.asText());
              }
            });
    return misfits;
  }

  private static boolean fits(JsonNode schema, ScalarNode scalar) {
    String text = scalar.getValue();
    boolean plain = scalar.isPlain();
    boolean whole = plain && text.matches("[-+]?[0-9]+");
    boolean number =
        whole || (plain && text.matches("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?"));
    boolean flag = plain && text.matches("true|false");
    boolean empty = plain && text.isEmpty();
    boolean string = !number && !flag && !empty;
    if (schema.has("enum")) {
      for (JsonNode each : schema.get("enum")) {
        if (each.isBoolean()
            ? flag && each.asText().equals(text)
            : string && each.asText().equals(text)) {
          return true;
        }
      }
      return false;
    }
    if (schema.has("pattern")) {
      return string && Pattern.compile(schema.get("pattern").asText()).matcher(text).find();
    }
    if (schema.get("type").isArray()) {
      return string || number || flag;
    }
    return switch (schema.get("type").asText()) {
      case "null" -> empty;
      case "integer" -> whole && within(schema, text);
      case "number" -> number && within(schema, text);
      default -> false;
    };
  }

  private static boolean within(JsonNode schema, String text) {
    double value = Double.parseDouble(text);
    return (!schema.has("minimum") || value >= schema.get("minimum").asDouble())
        && (!schema.has("exclusiveMinimum") || value > schema.get("exclusiveMinimum").asDouble())
        && (!schema.has("maximum") || value <= schema.get("maximum").asDouble());
  }
}
