package io.idlalayer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The tests and classes that the documents name exist. */
final class DocumentsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /**
   * {@code `SomeTest`}, {@code `SomeTest#method`}, or {@code `#method`} of the test named before.
   */
  private static final Pattern NAMED_TEST =
      Pattern.compile(
          "`(?=[A-Z#])(?<type>[A-Z]\\w*(?:Test|IT|Contract))?(?:#(?<method>\\w+)(?<cut>…)?)?`");

  /** A row of a table of the glossary whose last column is a class or nothing. */
  private static final Pattern TERM =
      Pattern.compile("\\| (?<term>[^|]+) \\|[^|]+\\| (?<type>[^|]*)\\|");

  /** Names of the patterns of CONTRIBUTING.md, which are no tests. */
  private static final Set<String> PLACEHOLDERS =
      Set.of("XTest", "XPropertyTest", "XContract", "XIT");

  /** The source of each class, by its simple name. */
  private static final Map<String, String> SOURCES = new HashMap<>();

  @BeforeAll
  static void readSources() throws IOException {
    // Not the whole tree: other tests write to folders beside the sources meanwhile.
    for (Path parent : List.of(ROOT, ROOT.resolve("middleware"))) {
      try (Stream<Path> modules = Files.list(parent)) {
        for (Path module : modules.filter(it -> Files.isDirectory(it.resolve("src"))).toList()) {
          readSources(module.resolve("src"));
        }
      }
    }
  }

  private static void readSources(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".java")).toList()) {
        String type = String.valueOf(file.getFileName()).replace(".java", "");
        SOURCES.merge(type, Files.readString(file), String::concat);
      }
    }
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> root = Files.list(ROOT)) {
      return Stream.concat(docs, root).filter(it -> it.toString().endsWith(".md")).toList();
    }
  }

  private static boolean hasMethod(String type, String method, boolean cut) {
    String source = SOURCES.getOrDefault(type, "");
    Matcher parent = Pattern.compile("class " + type + " extends (\\w+)").matcher(source);
    return Pattern.compile("void " + method + (cut ? "" : "\\(")).matcher(source).find()
        || (parent.find() && hasMethod(parent.group(1), method, cut));
  }

  @Test
  void namedTests_ofAllDocuments_exist() throws IOException {
    Set<String> missing = new TreeSet<>();
    int methods = 0;
    for (Path document : documents()) {
      for (String line : Files.readAllLines(document)) {
        String type = "";
        Matcher named = NAMED_TEST.matcher(line);
        while (named.find()) {
          type = named.group("type") == null ? type : named.group("type");
          String method = named.group("method");
          if (PLACEHOLDERS.contains(type)) {
            continue;
          }
          boolean found = SOURCES.containsKey(type);
          if (method != null) {
            methods++;
            found = hasMethod(type, method, named.group("cut") != null);
          }
          if (!found) {
            missing.add(ROOT.relativize(document) + ": " + type + " " + named.group());
          }
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(methods).isGreaterThan(50);
  }

  @Test
  void glossaryTerms_haveOneRowAndAnExistingClass() throws IOException {
    String glossary = Files.readString(ROOT.resolve("docs/glossary.md"));
    String tables = glossary.substring(0, glossary.indexOf("## Words with one meaning here"));
    List<String> repeated = new ArrayList<>();
    Set<String> missing = new TreeSet<>();
    Set<String> terms = new HashSet<>();
    for (String line : tables.lines().filter(it -> it.startsWith("| ")).toList()) {
      Matcher row = TERM.matcher(line);
      assertThat(row.matches()).as(line).isTrue();
      String term = row.group("term");
      if (term.equals("term")) {
        continue;
      }
      if (!terms.add(term)) {
        repeated.add(term);
      }
      String type = row.group("type").strip().replace("`", "");
      if (!type.isEmpty() && !SOURCES.containsKey(type)) {
        missing.add(term + ": " + type);
      }
    }
    assertThat(repeated).as("terms with several rows").isEmpty();
    assertThat(missing).as("classes that do not exist").isEmpty();
    assertThat(terms).hasSizeGreaterThan(100);
  }
}
