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

/** The one jar that queries need in Flink's lib folder. {@code ModelInSqlIT} runs its classes. */
final class SqlJarTest {
  private static final Path TARGET =
      Path.of("..", "sql-jar", "target").toAbsolutePath().normalize();

  private static Path jar() throws IOException {
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
  void jar_hasWhatPredictsAndNothingOfFlink() throws Exception {
    try (JarFile jar = new JarFile(jar().toFile())) {
      assertThat(names(jar))
          .contains(
              "io/idlalayer/sql/IdlaModelProviderFactory.class",
              "io/idlalayer/modelruntime/serve/PlainModelLoader.class",
              "io/idlalayer/middleware/models/serve/ModelSubscriber.class",
              "com/fasterxml/jackson/databind/ObjectMapper.class",
              "META-INF/LICENSE",
              "META-INF/NOTICE")
          .noneMatch(name -> name.startsWith("org/apache/flink/"))
          .noneMatch(name -> name.startsWith("org/apache/kafka/"))
          .noneMatch(name -> name.startsWith("org/slf4j/"));
    }
  }

  @Test
  void jar_offersItsFactoriesToFlink() throws Exception {
    try (JarFile jar = new JarFile(jar().toFile())) {
      ZipEntry services =
          jar.getEntry("META-INF/services/org.apache.flink.table.factories.Factory");
      String offered =
          new String(jar.getInputStream(services).readAllBytes(), StandardCharsets.UTF_8);
      assertThat(offered.lines().filter(line -> line.startsWith("io.idlalayer")))
          .isNotEmpty()
          .allMatch(name -> names(jar).contains(name.replace('.', '/') + ".class"));
    }
  }
}
