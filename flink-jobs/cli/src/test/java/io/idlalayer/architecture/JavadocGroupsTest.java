package io.idlalayer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Javadoc lists packages by the marks that the promise of compatibility gives them. */
final class JavadocGroupsTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern NAME = Pattern.compile("`([a-z0-9.]+)`");

  /** Folders of modules whose main classes are published. */
  private static final Set<String> PARENTS =
      Set.of("middleware", "serving", "model-controller", "flink-jobs");

  /** The packages of a row of the page; a name that begins with a dot is beside the one before. */
  private static Set<String> promised(String mark) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/compatibility.md"));
    String row =
        page.lines()
            .filter(line -> line.startsWith("| " + mark + " | `io."))
            .findFirst()
            .orElseThrow();
    Set<String> names = new TreeSet<>();
    String last = "";
    Matcher matcher = NAME.matcher(row.split("\\|")[2]);
    while (matcher.find()) {
      String name = matcher.group(1);
      last = name.startsWith(".") ? last.substring(0, last.lastIndexOf('.')) + name : name;
      names.add(last);
    }
    return names;
  }

  private static Set<String> listed(String title) throws IOException {
    Matcher matcher =
        Pattern.compile("<title>" + title + "</title>\\s*<packages>([^<]*)</packages>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    assertThat(matcher.find()).as("the group %s in pom.xml", title).isTrue();
    return new TreeSet<>(Arrays.asList(matcher.group(1).split(":")));
  }

  @Test
  void groups_ofJavadoc_areThoseOfThePromise() throws IOException {
    assertThat(listed("Stable")).isEqualTo(promised("stable")).hasSizeGreaterThan(3);
    assertThat(listed("Evolving")).isEqualTo(promised("evolving")).hasSizeGreaterThan(3);
    assertThat(listed("Internal")).containsExactly("io.idlalayer*");
  }

  @Test
  void packages_ofThePromise_exist() throws IOException {
    Set<String> promised = new TreeSet<>(promised("stable"));
    promised.addAll(promised("evolving"));
    Set<String> found = new TreeSet<>();
    for (String parent : PARENTS) {
      try (Stream<Path> modules = Files.list(ROOT.resolve(parent))) {
        for (Path module : modules.toList()) {
          promised.stream()
              .filter(
                  each ->
                      Files.isDirectory(
                          module.resolve("src/main/java").resolve(each.replace('.', '/'))))
              .forEach(found::add);
        }
      }
    }
    assertThat(found).isEqualTo(promised);
  }
}
