package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds two projects with Maven, against the artifacts of this build, and lets each serve a model
 * in a process of its own: {@code src/it/serving-client} with Deeplearning4j, and {@code
 * model-runtime/src/it/serving-client} without it.
 */
final class ServingClientIT {
  /** Most bytes of the jar in plain Java; below, most bytes of all its dependencies together. */
  private static final long MOST_JAR_BYTES = 335_000;

  private static final long MOST_CLASS_PATH_BYTES = 5_000_000;

  @TempDir static Path folder;

  private static ClientBuild client;
  private static ClientBuild plain;

  @BeforeAll
  static void build() throws Exception {
    client = ClientBuild.of(Path.of("src/it/serving-client"), folder.resolve("dl4j"));
    plain =
        ClientBuild.of(
            Path.of("../../serving/model-runtime/src/it/serving-client"), folder.resolve("plain"));
  }

  @Test
  void classPath_ofAServingProcess_hasNeitherTrainingNorFlink() {
    List<String> names = client.names();
    assertThat(names)
        .filteredOn(name -> name.startsWith("idlalayer-"))
        .extracting(name -> name.replaceAll("-\\d.*", ""))
        .containsExactlyInAnyOrder(
            "idlalayer-deeplearning4j",
            "idlalayer-model-loader",
            "idlalayer-model-runtime",
            "idlalayer-models",
            "idlalayer-samples",
            "idlalayer-embedding");
    assertThat(names)
        .noneMatch(
            name ->
                name.startsWith("flink") || name.startsWith("kafka_") || name.contains("rocksdb"));
  }

  /** What {@code dependencyManagement} says holds in this build only. */
  @Test
  void classPath_ofAServingProcess_hasTheVersionsThatAreTestedHere() {
    String here =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Set<String> tested =
        Arrays.stream(here.split(File.pathSeparator, -1))
            .map(entry -> ClientBuild.name(Path.of(entry)))
            .collect(Collectors.toSet());
    assertThat(client.names())
        .filteredOn(name -> !name.startsWith("idlalayer-"))
        .isNotEmpty()
        .isSubsetOf(tested);
  }

  @Test
  void classPath_withoutDeeplearning4j_isSmall() throws IOException {
    assertThat(plain.names())
        .extracting(name -> name.replaceAll("-\\d.*", ""))
        .containsExactlyInAnyOrder(
            "idlalayer-model-runtime",
            "idlalayer-models",
            "idlalayer-samples",
            "idlalayer-embedding",
            "jackson-annotations",
            "jackson-core",
            "jackson-databind",
            "commons-codec",
            "jspecify",
            "slf4j-api");
    long bytes = 0;
    for (Path jar : plain.classPath()) {
      bytes += Files.size(jar);
      try (JarFile opened = new JarFile(jar.toFile())) {
        assertThat(opened.stream().map(JarEntry::getName))
            .noneMatch(
                entry ->
                    entry.startsWith("org/nd4j/")
                        || entry.startsWith("org/deeplearning4j/")
                        || entry.startsWith("org/bytedeco/")
                        || entry.startsWith("org/apache/flink/")
                        || entry.startsWith("org/apache/kafka/"));
      }
      if (ClientBuild.name(jar).startsWith("idlalayer-model-runtime")) {
        assertThat(Files.size(jar)).isLessThan(MOST_JAR_BYTES);
      }
    }
    assertThat(bytes).isLessThan(MOST_CLASS_PATH_BYTES);
  }

  @Tag("natives")
  @Test
  void clients_builtAgainstTheArtifacts_serveAModel() throws Exception {
    Path models = folder.resolve("models");
    publish(models);
    String says = "version 1 says \\[0\\.\\d+, 0\\.\\d+]";
    assertThat(client.run("client.ServeModel", models.toString(), "app")).containsPattern(says);
    assertThat(plain.run("client.ServeModel", models.toString(), "app")).containsPattern(says);
  }

  /** Publishes a version that takes two numbers and knows two classes. */
  static void publish(Path models) throws IOException {
    SampleSchema schema = SmallModels.schema(List.of(), List.of("x", "y"), List.of("0", "1"));
    ModelSpec spec = SmallModels.spec(schema, new ModelSpec.Network.Mlp(List.of(4)), true);
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(Drafts.of("app", SmallModels.files(spec, 1)));
  }
}
