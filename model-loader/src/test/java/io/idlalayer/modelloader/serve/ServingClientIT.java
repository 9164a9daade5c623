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
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds the project in {@code src/it/serving-client} on exactly the class path that Maven gives to
 * whoever depends on this artifact, and lets it serve a model in a process of its own.
 */
final class ServingClientIT {
  private static final Path CLIENT = Path.of("src/it/serving-client");

  /** Written by the build: see pom.xml. */
  private static final Path DEPENDENCIES = Path.of("target/client-class-path.txt");

  @TempDir Path folder;

  private static List<Path> classPath() throws IOException {
    List<Path> jars = new ArrayList<>();
    try (Stream<Path> built = Files.list(Path.of("target"))) {
      built
          .filter(file -> name(file).matches("idlalayer-model-loader-[^-]*(-SNAPSHOT)?\\.jar"))
          .forEach(jars::add);
    }
    assertThat(jars).as("this module's own jar").hasSize(1);
    for (String jar : Files.readString(DEPENDENCIES).strip().split(File.pathSeparator, -1)) {
      jars.add(Path.of(jar));
    }
    return jars;
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static String joined(List<Path> jars) {
    return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
  }

  @Test
  void classPath_ofAServingProcess_hasNeitherTrainingNorFlink() throws IOException {
    List<String> names = classPath().stream().map(ServingClientIT::name).toList();
    assertThat(names)
        .filteredOn(name -> name.startsWith("idlalayer-"))
        .extracting(name -> name.replaceAll("-\\d.*", ""))
        .containsExactlyInAnyOrder(
            "idlalayer-model-loader", "idlalayer-models", "idlalayer-samples");
    assertThat(names)
        .noneMatch(
            name ->
                name.startsWith("flink") || name.startsWith("kafka_") || name.contains("rocksdb"));
  }

  @Test
  void client_builtAgainstTheArtifacts_servesAModel() throws Exception {
    publish(folder.resolve("models"));
    List<Path> jars = classPath();
    Path classes = compiled(jars);

    List<Path> path = new ArrayList<>(jars);
    path.add(0, classes);
    Path output = folder.resolve("output.txt");
    Process client =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                joined(path),
                "client.ServeModel",
                folder.resolve("models").toString(),
                "app")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(client.waitFor(120, TimeUnit.SECONDS)).as("the client ended").isTrue();
    } finally {
      client.destroyForcibly();
    }
    String said = Files.readString(output);
    assertThat(client.exitValue()).as(said).isZero();
    assertThat(said).containsPattern("version 1 says \\[0\\.\\d+, 0\\.\\d+]");
  }

  private Path compiled(List<Path> jars) throws IOException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      StringWriter problems = new StringWriter();
      boolean done =
          compiler
              .getTask(
                  problems,
                  files,
                  null,
                  List.of("-proc:none", "-d", classes.toString(), "-cp", joined(jars)),
                  null,
                  files.getJavaFileObjects(CLIENT.resolve("src/main/java/client/ServeModel.java")))
              .call();
      assertThat(done).as(problems.toString()).isTrue();
    }
    return classes;
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
