package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.artifact.FeatureScaler;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import io.idlalayer.modelloader.artifact.ModelSpec;
import io.idlalayer.modelloader.artifact.ModelSpecJson;
import io.idlalayer.modelloader.network.ModelNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds the project in {@code src/it/serving-client} with Maven, against the artifacts of this
 * build, and lets it serve a model in a process of its own. The build (pom.xml) passes the
 * properties that this test reads.
 */
final class ServingClientIT {
  private static final String GROUP = "io/idlalayer";
  private static final String VERSION = System.getProperty("idla.version");
  private static final Path MAVEN_HOME = Path.of(System.getProperty("idla.maven.home"));
  private static final Path LOCAL_REPOSITORY = Path.of(System.getProperty("idla.maven.repository"));
  private static final boolean OFFLINE =
      "offline-true".equals(System.getProperty("idla.maven.mode"));
  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

  /** The modules that a client gets, and their parents, by artifact. */
  private static final Map<String, Path> MODULES =
      new TreeMap<>(
          Map.of(
              "idlalayer", Path.of(".."),
              "idlalayer-bom", Path.of("../bom"),
              "idlalayer-middleware", Path.of("../middleware"),
              "idlalayer-samples", Path.of("../middleware/samples"),
              "idlalayer-embedding", Path.of("../middleware/embedding"),
              "idlalayer-models", Path.of("../middleware/models"),
              "idlalayer-model-loader", Path.of(".")));

  @TempDir static Path folder;

  private static Path client;
  private static List<Path> classPath;

  @BeforeAll
  static void build() throws Exception {
    client = folder.resolve("client");
    copy(Path.of("src/it/serving-client"), client);
    Path jars = folder.resolve("class-path.txt");
    Path log = folder.resolve("maven.txt");
    ProcessBuilder maven =
        new ProcessBuilder(
            MAVEN_HOME.resolve("bin/mvn").toString(),
            OFFLINE ? "--offline" : "--no-transfer-progress",
            "--batch-mode",
            "-Dmaven.repo.local=" + repository(folder.resolve("repository")),
            "-Dmdep.outputFile=" + jars,
            "compile",
            "org.apache.maven.plugins:maven-dependency-plugin:build-classpath");
    maven.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
    maven.environment().put("JAVA_HOME", JAVA_HOME.toString());
    maven.environment().put("MAVEN_OPTS", "-Xmx256m -Djava.io.tmpdir=" + folder);
    String said = run(maven.directory(client.toFile()), log);
    assertThat(said).contains("BUILD SUCCESS");
    classPath =
        Arrays.stream(Files.readString(jars).strip().split(File.pathSeparator, -1))
            .map(Path::of)
            .toList();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /**
   * A local repository of links to everything in the usual one, except for this project's own
   * artifacts, which are those of this build. So nothing needs to be installed, and nothing old is
   * used.
   */
  private static Path repository(Path made) throws IOException {
    linkEntries(LOCAL_REPOSITORY, made, "io");
    linkEntries(LOCAL_REPOSITORY.resolve("io"), made.resolve("io"), "idlalayer");
    for (Map.Entry<String, Path> module : MODULES.entrySet()) {
      Path target =
          Files.createDirectories(made.resolve(GROUP).resolve(module.getKey()).resolve(VERSION));
      String name = module.getKey() + "-" + VERSION;
      Files.copy(module.getValue().resolve("pom.xml"), target.resolve(name + ".pom"));
      Path jar = module.getValue().resolve("target").resolve(name + ".jar");
      if (Files.isDirectory(module.getValue().resolve("src/main"))) {
        assertThat(jar).as("built together with this module (--also-make)").exists();
        Files.copy(jar, target.resolve(name + ".jar"));
      }
    }
    return made;
  }

  private static void linkEntries(Path from, Path to, String except) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.filter(it -> !name(it).equals(except)).toList()) {
        Files.createSymbolicLink(to.resolve(name(entry)), entry.toAbsolutePath());
      }
    }
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  /** What the process said, if it ended well. */
  private static String run(ProcessBuilder builder, Path output) throws Exception {
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(8, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(output);
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }

  @Test
  void classPath_ofAServingProcess_hasNeitherTrainingNorFlink() {
    List<String> names = classPath.stream().map(ServingClientIT::name).toList();
    assertThat(names)
        .filteredOn(name -> name.startsWith("idlalayer-"))
        .extracting(name -> name.replaceAll("-\\d.*", ""))
        .containsExactlyInAnyOrder(
            "idlalayer-model-loader",
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
            .map(entry -> name(Path.of(entry)))
            .collect(Collectors.toSet());
    assertThat(classPath)
        .extracting(ServingClientIT::name)
        .filteredOn(name -> !name.startsWith("idlalayer-"))
        .isNotEmpty()
        .isSubsetOf(tested);
  }

  @Test
  void client_builtAgainstTheArtifacts_servesAModel() throws Exception {
    Path models = folder.resolve("models");
    publish(models);
    Stream<Path> path =
        Stream.concat(Stream.of(client.resolve("target/classes")), classPath.stream());
    ProcessBuilder serving =
        new ProcessBuilder(
            JAVA_HOME.resolve("bin/java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + folder,
            "-cp",
            String.join(File.pathSeparator, path.map(Path::toString).toList()),
            "client.ServeModel",
            models.toString(),
            "app");
    assertThat(run(serving, folder.resolve("output.txt")))
        .containsPattern("version 1 says \\[0\\.\\d+, 0\\.\\d+]");
  }

  private static void publish(Path models) throws IOException {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(SampleSchema.DenseFeature.of("x"), SampleSchema.DenseFeature.of("y")),
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null);
    ModelSpec spec =
        new ModelSpec(
            schema,
            new ModelSpec.Network.Mlp(List.of(4)),
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
            true);
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(2, true, false).encode());
    try (ModelNetwork network = NetworkFactory.create(spec, 1)) {
      files.put(ModelArtifact.NETWORK_FILE, network.encode());
    }
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(
            new ModelDraft(
                "app",
                0,
                1,
                0,
                "",
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                files));
  }
}
