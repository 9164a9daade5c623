package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A client's project, built with Maven against the artifacts of this build. The build (pom.xml)
 * passes the properties that are read here.
 */
final class ClientBuild {
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
          Map.ofEntries(
              Map.entry("idlalayer", Path.of("../..")),
              Map.entry("idlalayer-bom", Path.of("../../bom")),
              Map.entry("idlalayer-middleware", Path.of("../../middleware")),
              Map.entry("idlalayer-samples", Path.of("../../middleware/samples")),
              Map.entry("idlalayer-embedding", Path.of("../../middleware/embedding")),
              Map.entry("idlalayer-models", Path.of("../../middleware/models")),
              Map.entry("idlalayer-serving", Path.of("../../serving")),
              Map.entry("idlalayer-model-runtime", Path.of("../../serving/model-runtime")),
              Map.entry("idlalayer-model-loader", Path.of("../../serving/model-loader")),
              Map.entry("idlalayer-model-controller", Path.of("..")),
              Map.entry("idlalayer-deeplearning4j", Path.of("."))));

  private final Path folder;
  private final Path client;
  private final List<Path> classPath;

  private ClientBuild(Path folder, Path client, List<Path> classPath) {
    this.folder = folder;
    this.client = client;
    this.classPath = classPath;
  }

  /**
   * Builds a project.
   *
   * @param folder to work in; made
   */
  static ClientBuild of(Path project, Path folder) throws Exception {
    Files.createDirectories(folder);
    Path client = folder.resolve("client");
    copy(project, client);
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
    List<Path> classPath =
        Arrays.stream(Files.readString(jars).strip().split(File.pathSeparator, -1))
            .map(Path::of)
            .toList();
    return new ClientBuild(folder, client, classPath);
  }

  /** What the project needs when it runs, without itself. */
  List<Path> classPath() {
    return classPath;
  }

  /** File names of {@link #classPath}. */
  List<String> names() {
    return classPath.stream().map(ClientBuild::name).toList();
  }

  /** What the project says when its main class is run. */
  String run(String main, String... arguments) throws Exception {
    return run(java(List.of(), main, arguments), folder.resolve("output.txt"));
  }

  /** A process that goes on, and the file with what it says. */
  record Running(Process process, Path output) {}

  /**
   * Starts the project's main class.
   *
   * @param options options of the JVM
   */
  Running start(List<String> options, String main, String... arguments) throws IOException {
    Path output = folder.resolve("output.txt");
    Process process =
        java(options, main, arguments)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new Running(process, output);
  }

  private ProcessBuilder java(List<String> options, String main, String... arguments) {
    Stream<Path> path =
        Stream.concat(Stream.of(client.resolve("target/classes")), classPath.stream());
    ProcessBuilder process =
        new ProcessBuilder(
            JAVA_HOME.resolve("bin/java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + folder);
    process.command().addAll(options);
    process
        .command()
        .addAll(
            List.of(
                "-cp", String.join(File.pathSeparator, path.map(Path::toString).toList()), main));
    process.command().addAll(Arrays.asList(arguments));
    return process;
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
      Path built = module.getValue().resolve("target");
      // Where a module has a folder of libraries, its own jar is there, too.
      Path library = built.resolve("lib").resolve(name + ".jar");
      Path jar = Files.exists(library) ? library : built.resolve(name + ".jar");
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

  static String name(Path file) {
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
}
