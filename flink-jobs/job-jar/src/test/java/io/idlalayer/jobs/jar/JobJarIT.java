package io.idlalayer.jobs.jar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** The jar for {@code flink run}. */
final class JobJarIT {
  private static Path jar() throws IOException {
    try (Stream<Path> built = Files.list(Path.of("target"))) {
      return built
          .filter(file -> file.getFileName().toString().matches("idlalayer-job-.*\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void jar_asItIsBuilt_holdsTheJobWithoutFlinkBrokerAndConsole() throws IOException {
    try (JarFile jar = new JarFile(jar().toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS))
          .isEqualTo("io.idlalayer.jobs.cli.SubmitMain");
      List<String> libraries =
          jar.stream()
              .map(ZipEntry::getName)
              .filter(name -> name.startsWith("lib/") && name.endsWith(".jar"))
              .map(name -> name.substring("lib/".length()))
              .toList();
      for (String needed :
          List.of(
              "idlalayer-cli-",
              "idlalayer-job-",
              "idlalayer-learner-",
              "idlalayer-model-store-s3-",
              "idlalayer-deeplearning4j-",
              "flink-connector-kafka-",
              "kafka-clients-",
              "javacpp-",
              "dnnl-",
              "picocli-")) {
        assertThat(libraries).anyMatch(name -> name.startsWith(needed));
      }
      assertThat(libraries)
          .noneMatch(name -> name.startsWith("flink-") && !name.startsWith("flink-connector-"))
          .noneMatch(name -> name.matches("kafka[-_](?!clients).*"))
          .noneMatch(name -> name.matches("(scala|log4j|slf4j|frocksdbjni|idlalayer-console).*"));
    }
  }
}
