package io.idlalayer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between documents lead to files and headings that exist, and the index has every page. */
final class DocumentLinksTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /** Folders with documents; others have files that tests write meanwhile. */
  private static final List<String> FOLDERS =
      List.of("docs", "examples", "benchmarks/results", "serving/python");

  /** A block of code, or code in a line: no link is in them. */
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]*`");

  private static final Pattern LINK =
      Pattern.compile("]\\((?<path>[^)#\\s]*)(#(?<anchor>[^)]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (?<text>.*)$");
  private static final Pattern NAMED = Pattern.compile("<a id=\"(?<anchor>[^\"]+)\"");
  private static final Pattern CODE_BLOCK = Pattern.compile("(?s)```.*?```");

  /** A link inside of a heading, of which an anchor has the text only. */
  private static final Pattern LINKED = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

  private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N}\\p{M}_\\- ]");

  /** The anchors of each document that a link leads to. */
  private final Map<Path, Set<String>> anchors = new HashMap<>();

  private static List<Path> documents() throws IOException {
    Set<Path> found = new TreeSet<>();
    try (Stream<Path> root = Files.list(ROOT)) {
      root.forEach(found::add);
    }
    found.add(ROOT.resolve("benchmarks/README.md"));
    for (String folder : FOLDERS) {
      try (Stream<Path> inside = Files.walk(ROOT.resolve(folder))) {
        inside.forEach(found::add);
      }
    }
    return found.stream().filter(it -> it.toString().endsWith(".md")).toList();
  }

  /** Returns the anchors of a document as GitHub makes them. */
  private static Set<String> anchorsOf(Path document) throws IOException {
    String text = CODE_BLOCK.matcher(Files.readString(document)).replaceAll("");
    Set<String> found = new HashSet<>();
    Matcher heading = HEADING.matcher(text);
    while (heading.find()) {
      String shown = LINKED.matcher(heading.group("text").strip()).replaceAll("$1");
      shown = NOT_IN_ANCHORS.matcher(shown.toLowerCase(Locale.ROOT)).replaceAll("");
      found.add(shown.replace(' ', '-'));
    }
    Matcher named = NAMED.matcher(text);
    while (named.find()) {
      found.add(named.group("anchor"));
    }
    return found;
  }

  private boolean leadsSomewhere(Path from, String path, String anchor) throws IOException {
    Path folder = from.resolveSibling(path).normalize();
    Path target = path.isEmpty() ? from : folder;
    if (!Files.exists(target)) {
      return false;
    }
    if (anchor == null || !target.toString().endsWith(".md")) {
      return true;
    }
    if (!anchors.containsKey(target)) {
      anchors.put(target, anchorsOf(target));
    }
    return anchors.get(target).contains(anchor);
  }

  @Test
  void links_ofAllDocuments_leadToFilesAndHeadings() throws IOException {
    Set<String> dead = new TreeSet<>();
    int links = 0;
    for (Path document : documents()) {
      Matcher link = LINK.matcher(CODE.matcher(Files.readString(document)).replaceAll("`"));
      while (link.find()) {
        if (link.group("path").matches("[a-z]+:.*")) {
          continue;
        }
        links++;
        if (!leadsSomewhere(document, link.group("path"), link.group("anchor"))) {
          dead.add(ROOT.relativize(document) + ": " + link.group().substring(1));
        }
      }
    }
    assertThat(dead).as("links that lead to no file or no heading").isEmpty();
    assertThat(links).isGreaterThan(1_000);
  }

  /** The archive that users get has the documents, the examples and no other sources. */
  @Test
  void links_ofAllDocuments_leadToNoJavaOfTheModules() throws IOException {
    Set<String> toSources = new TreeSet<>();
    for (Path document : documents()) {
      Matcher link = LINK.matcher(CODE.matcher(Files.readString(document)).replaceAll("`"));
      while (link.find()) {
        String target = link.group("path");
        Path file = document.resolveSibling(target).normalize();
        if (target.endsWith(".java") && !file.startsWith(ROOT.resolve("examples"))) {
          toSources.add(ROOT.relativize(document) + ": " + target);
        }
      }
    }
    assertThat(toSources).isEmpty();
  }

  @Test
  void index_ofAllPages_namesEachPageInARow() throws IOException {
    Path docs = ROOT.resolve("docs");
    Path index = docs.resolve("README.md");
    Set<Path> named = new HashSet<>();
    for (String line : Files.readAllLines(index)) {
      Matcher link = LINK.matcher(line);
      if (line.startsWith("| [") && link.find()) {
        named.add(docs.resolve(link.group("path")).normalize());
      }
    }
    Set<Path> missing = new TreeSet<>();
    try (Stream<Path> pages = Files.walk(docs)) {
      pages
          .filter(it -> it.toString().endsWith(".md") && !it.equals(index))
          .filter(it -> !named.contains(it) && !named.contains(it.getParent()))
          .forEach(missing::add);
    }
    assertThat(missing).as("pages without a row in docs/README.md").isEmpty();
  }
}
