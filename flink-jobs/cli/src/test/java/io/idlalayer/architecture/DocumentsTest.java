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

/**
 * The tests that the documents name exist, and so do the classes of the glossary and the classes
 * and packages of the data path and of the code map. No cell of a table is longer than a reader
 * takes in at a glance, and no page longer than a reader reads at a time.
 */
final class DocumentsTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /**
   * {@code `SomeTest`}, {@code `SomeTest#method`}, or {@code `#method`} of the test named before.
   */
  private static final Pattern NAMED_TEST =
      Pattern.compile(
          "`(?=[A-Z#])(?<type>[A-Z]\\w*(?:Test|IT|Contract))?(?:#(?<method>\\w+)(?<cut>…)?)?`");

  /** A row of a table of the glossary whose last column is a class or nothing. */
  private static final Pattern TERM =
      Pattern.compile("\\| (?<term>[^|]+) \\|[^|]+\\| (?<type>[^|]*)\\|");

  /**
   * A row of a table of the data path or of the code map whose last two columns are classes and
   * their packages.
   */
  private static final Pattern STEP =
      Pattern.compile("\\|.*\\|(?<types>[^|]*)\\|(?<packages>[^|]*)\\|");

  /** A folder of the repository, or a package in quotes that is in the folder named before. */
  private static final Pattern PLACE =
      Pattern.compile("(?<folder>[a-z][a-z-]*)|`(?<name>[a-z.]+)`");

  /** The name of a class in quotes, which has a small letter; not a state or a setting. */
  private static final Pattern TYPE =
      Pattern.compile("`(?<type>[A-Z]\\w*[a-z]\\w*)(?:\\.\\w+(?:\\(\\))?)?`");

  /** The package of each folder's main sources, which the data path leaves out. */
  private static final Map<String, String> ROOT_PACKAGES =
      Map.of(
          "middleware", "io.idlalayer.middleware.",
          "data-controller", "io.idlalayer.datacontroller.",
          "model-controller", "io.idlalayer.modelcontroller.",
          "model-runtime", "io.idlalayer.modelruntime.",
          "model-loader", "io.idlalayer.modelloader.",
          "flink-jobs", "io.idlalayer.jobs.");

  /** What stands between two cells of a table; a bar after a backslash is part of a cell. */
  private static final Pattern BAR = Pattern.compile("(?<!\\\\)\\|");

  /** The address of a link, which a reader does not see. */
  private static final Pattern ADDRESS = Pattern.compile("]\\([^)]*\\)");

  private static final int MOST_WORDS_OF_CELL = 40;

  private static final int MOST_WORDS_OF_PAGE = 2_500;

  /**
   * Pages with more words, which people look something up in and do not read: the changes of all
   * versions, and the terms.
   */
  private static final Set<String> LONG_PAGES = Set.of("CHANGELOG.md", "docs/glossary.md");

  /** Names of the patterns of CONTRIBUTING.md, which are not tests. */
  private static final Set<String> PLACEHOLDERS =
      Set.of("XTest", "XPropertyTest", "XContract", "XIT");

  /** The source of each class, by its simple name. */
  private static final Map<String, String> SOURCES = new HashMap<>();

  /** Folder and package of each main class outside the benchmarks, by its simple name. */
  private static final Map<String, Set<Place>> PLACES = new HashMap<>();

  /** A package of a folder. */
  private record Place(String folder, String name) {}

  @BeforeAll
  static void readSources() throws IOException {
    // Not the whole tree: other tests write to folders beside the sources meanwhile.
    for (String parent : List.of("", "middleware", "serving", "model-controller", "flink-jobs")) {
      try (Stream<Path> modules = Files.list(ROOT.resolve(parent))) {
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
        addPlace(type, file);
      }
    }
  }

  private static void addPlace(String type, Path file) {
    Path inside = ROOT.relativize(file);
    // Each folder of serving is an artifact of its own.
    String folder = inside.getName(inside.startsWith("serving") ? 1 : 0).toString();
    String root = ROOT_PACKAGES.get(folder);
    String name = String.valueOf(inside.getParent()).replaceFirst(".*/src/main/java/", "");
    name = name.replace('/', '.');
    if (root != null && name.startsWith(root)) {
      PLACES
          .computeIfAbsent(type, any -> new HashSet<>())
          .add(new Place(folder, name.substring(root.length())));
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
  void cells_ofAllTables_haveFewWords() throws IOException {
    Set<String> longCells = new TreeSet<>();
    int cells = 0;
    for (Path document : documents()) {
      boolean code = false;
      for (String line : Files.readString(document).lines().map(String::strip).toList()) {
        code ^= line.startsWith("```");
        if (code || !line.startsWith("|")) {
          continue;
        }
        for (String cell : BAR.split(line)) {
          String text = ADDRESS.matcher(cell).replaceAll("]").strip();
          cells++;
          if (text.split("\\s+").length > MOST_WORDS_OF_CELL) {
            longCells.add(ROOT.relativize(document) + ": " + text);
          }
        }
      }
    }
    assertThat(longCells).as("write a list or a paragraph below the table").isEmpty();
    assertThat(cells).isGreaterThan(1_000);
  }

  @Test
  void words_ofAllPages_areFewExceptOfTheListedOnes() throws IOException {
    Set<String> longPages = new TreeSet<>();
    for (Path document : documents()) {
      String text = ADDRESS.matcher(Files.readString(document)).replaceAll("]");
      if (text.strip().split("\\s+").length > MOST_WORDS_OF_PAGE) {
        longPages.add(ROOT.relativize(document).toString());
      }
    }
    assertThat(longPages)
        .as("split a page by subject; take one that is short out of the list")
        .isEqualTo(new TreeSet<>(LONG_PAGES));
  }

  /**
   * How many classes of the product a name means, which may have the end of a package before it.
   */
  private static long places(String type) {
    int dot = type.lastIndexOf('.') + 1;
    String end = "." + type.substring(0, Math.max(0, dot - 1));
    return PLACES.getOrDefault(type.substring(dot), Set.of()).stream()
        .filter(place -> dot == 0 || ("." + place.name()).endsWith(end))
        .count();
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
      if (!type.isEmpty() && places(type) != 1) {
        missing.add(term + ": " + type);
      }
    }
    assertThat(repeated).as("terms with several rows").isEmpty();
    assertThat(missing).as("classes that the product does not have, or has twice").isEmpty();
    assertThat(terms).hasSizeGreaterThan(100);
  }

  @Test
  void dataPath_ofEachRow_namesClassesOfTheNamedPackages() throws IOException {
    Set<String> wrong = new TreeSet<>();
    int classes = 0;
    for (String page : List.of("data-path", "code-map", "threads-and-state")) {
      classes += compareRows(ROOT.resolve("docs/" + page + ".md"), wrong);
    }
    assertThat(wrong).isEmpty();
    assertThat(classes).isGreaterThan(50);
  }

  /** Compares the rows of all tables of steps of a page; returns how many classes they name. */
  private static int compareRows(Path page, Set<String> wrong) throws IOException {
    int classes = 0;
    boolean steps = false;
    for (String line : Files.readAllLines(page)) {
      Matcher named = TYPE.matcher(line);
      while (named.find()) {
        if (!PLACES.containsKey(named.group("type"))) {
          wrong.add(named.group("type") + " does not exist");
        }
      }
      Matcher row = STEP.matcher(line);
      if (!row.matches()) {
        steps = false;
        continue;
      }
      String types = row.group("types");
      if (types.strip().startsWith("class")) {
        steps = true;
      } else if (steps && !types.startsWith("---")) {
        classes += compare(types, row.group("packages"), wrong);
      }
    }
    return classes;
  }

  /** Compares the classes of a row with its packages; returns how many classes it names. */
  private static int compare(String types, String packages, Set<String> wrong) {
    Set<Place> places = new HashSet<>();
    String folder = "";
    Matcher place = PLACE.matcher(packages);
    while (place.find()) {
      if (place.group("folder") != null) {
        folder = place.group("folder");
      } else {
        places.add(new Place(folder, place.group("name")));
      }
    }
    Set<Place> unused = new HashSet<>(places);
    int classes = 0;
    Matcher named = TYPE.matcher(types);
    while (named.find()) {
      classes++;
      Set<Place> found = new HashSet<>(PLACES.getOrDefault(named.group("type"), Set.of()));
      found.retainAll(places);
      unused.removeAll(found);
      if (found.isEmpty()) {
        wrong.add(named.group("type") + " is not in " + packages.strip());
      }
    }
    unused.forEach(each -> wrong.add("no class of the row is in " + each));
    return classes;
  }
}
