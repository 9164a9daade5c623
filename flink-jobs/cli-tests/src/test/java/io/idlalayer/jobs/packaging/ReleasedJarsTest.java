package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/**
 * What the two flat jars of a release have in them. {@code ModelInSqlIT} runs the classes of the
 * one for SQL, {@code JobJarIT} the job jar.
 */
final class ReleasedJarsTest {
  private static final Path TARGET =
      Path.of("..", "sql-jar", "target").toAbsolutePath().normalize();

  private static Path sqlJar() throws IOException {
    try (Stream<Path> files = Files.list(TARGET)) {
      return files
          .filter(file -> file.getFileName().toString().matches("idlalayer-flink-sql-.*\\.jar"))
          .findAny()
          .orElseThrow(
              () ->
                  new AssertionError(
                      TARGET + " has no jar: mvn package -pl flink-jobs/sql-jar -am"));
    }
  }

  private static List<String> names(JarFile jar) {
    return jar.stream().map(ZipEntry::getName).toList();
  }

  @Test
  void sqlJar_hasWhatPredictsAndNothingOfFlink() throws Exception {
    try (JarFile jar = new JarFile(sqlJar().toFile())) {
      assertThat(names(jar))
          .contains(
              "io/idlalayer/sql/IdlaModelProviderFactory.class",
              "io/idlalayer/modelruntime/serve/PlainModelLoader.class",
              "io/idlalayer/middleware/models/serve/ModelSubscriber.class",
              "com/fasterxml/jackson/databind/ObjectMapper.class")
          .noneMatch(name -> name.startsWith("org/apache/flink/"))
          .noneMatch(name -> name.startsWith("org/apache/kafka/"))
          .noneMatch(name -> name.startsWith("org/slf4j/"));
    }
  }

  @Test
  void sqlJar_offersItsFactoriesToFlink() throws Exception {
    try (JarFile jar = new JarFile(sqlJar().toFile())) {
      ZipEntry services =
          jar.getEntry("META-INF/services/org.apache.flink.table.factories.Factory");
      String offered =
          new String(jar.getInputStream(services).readAllBytes(), StandardCharsets.UTF_8);
      assertThat(offered.lines().filter(line -> line.startsWith("io.idlalayer")))
          .isNotEmpty()
          .allMatch(name -> names(jar).contains(name.replace('.', '/') + ".class"));
    }
  }

  /** The plugin that makes flat jars leaves out what is called LICENSE. */
  @Test
  void flatJars_haveTheLicenceAndAllNotices() throws Exception {
    String licence = Files.readString(Path.of("../../LICENSE"));
    String notice = Files.readString(Path.of("../../NOTICE"));
    for (Path path : List.of(sqlJar(), JobJar.whole())) {
      try (JarFile jar = new JarFile(path.toFile())) {
        assertThat(text(jar, "META-INF/LICENSE")).as(path.toString()).isEqualTo(licence);
        assertThat(text(jar, "META-INF/NOTICE")).as(path.toString()).contains(notice.strip());
      }
    }
  }

  private static String text(JarFile jar, String name) throws IOException {
    ZipEntry entry = jar.getEntry(name);
    assertThat(entry).as(name + " of " + jar.getName()).isNotNull();
    return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
  }
}
