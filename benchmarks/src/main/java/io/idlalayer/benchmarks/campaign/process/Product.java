package io.idlalayer.benchmarks.campaign.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A build of the product as a folder of jars. The one place that knows how its processes are
 * started and which options a build has, so that the same campaign runs against any build.
 */
public final class Product {
  private static final String MAIN = "io.idlalayer.jobs.cli.Idla";
  private static final String BROKER = "io.idlalayer.jobs.cluster.BrokerMain";
  private static final long HELP_MILLIS = 60_000;

  private final Path lib;
  private final Path state;
  private final String classPath;
  private final Map<String, String> help = new ConcurrentHashMap<>();

  /**
   * Opens a build.
   *
   * @param lib its jars, as {@code flink-jobs/cli/target/lib} has them
   * @param state folder of the campaign for what all processes share
   */
  public Product(Path lib, Path state) throws IOException {
    this.lib = lib.toAbsolutePath().normalize();
    this.state = state;
    Files.createDirectories(state);
    List<Path> jars = jars(this.lib);
    if (jars.stream().noneMatch(jar -> name(jar).startsWith("idlalayer-cli"))) {
      throw new IOException(lib + " holds no build: there is no idlalayer-cli jar in it");
    }
    // First, because it replaces a class of ND4J.
    jars.add(0, faultJar(state.resolve("faults.jar")));
    classPath = jars.stream().map(Path::toString).collect(Collectors.joining(":"));
  }

  private static List<Path> jars(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(entry -> name(entry).endsWith(".jar"))
          .sorted()
          .collect(Collectors.toCollection(ArrayList::new));
    }
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  /**
   * The trainer's faults in a jar: a folder on the class path would forbid class-data sharing. A
   * build loads activation functions of ND4J only, so the jar replaces one of them that no
   * application of the campaign uses.
   */
  private Path faultJar(Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Class<?> type :
          List.of(FaultyActivation.class, FaultyActivation.Mode.class, SubscriberProbe.class)) {
        add(out, type.getName().replace('.', '/') + ".class");
      }
      add(out, FaultyActivation.class.getName().replace('.', '/') + "$1.class");
      out.putNextEntry(new JarEntry(FaultyActivation.REPLACED.replace('.', '/') + ".class"));
      out.write(replacement());
      out.closeEntry();
    }
    return jar;
  }

  /** The class that is loaded as {@link FaultyActivation#REPLACED}, compiled. */
  private byte[] replacement() throws IOException {
    int dot = FaultyActivation.REPLACED.lastIndexOf('.');
    Path folder = state.resolve("replacement");
    Path source = folder.resolve(FaultyActivation.REPLACED.substring(dot + 1) + ".java");
    Files.createDirectories(folder);
    Files.writeString(
        source,
        "package %s;\npublic final class %s extends %s {}\n"
            .formatted(
                FaultyActivation.REPLACED.substring(0, dot),
                FaultyActivation.REPLACED.substring(dot + 1),
                FaultyActivation.class.getName()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IOException("the campaign needs a JDK: this Java has no compiler");
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int code =
        compiler.run(
            null,
            said,
            said,
            "-proc:none",
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            folder.toString(),
            source.toString());
    if (code != 0) {
      throw new IOException(
          "cannot compile %s: %s".formatted(source, said.toString(StandardCharsets.UTF_8)));
    }
    return Files.readAllBytes(
        folder.resolve(FaultyActivation.REPLACED.replace('.', '/') + ".class"));
  }

  private static void add(JarOutputStream out, String entry) throws IOException {
    try (InputStream in = Product.class.getClassLoader().getResourceAsStream(entry)) {
      if (in != null) {
        out.putNextEntry(new JarEntry(entry));
        in.transferTo(out);
        out.closeEntry();
      }
    }
  }

  Path lib() {
    return lib;
  }

  /** Options of a java process of the build, up to the main class. */
  private List<String> java(String heap) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx" + heap,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.deeplearning4j.crash.reporting.enabled=false",
            "-Dorg.bytedeco.javacpp.maxphysicalbytes=0",
            "-Xlog:cds=off",
            "-Xlog:cds+dynamic=off",
            "-XX:-CreateCoredumpOnCrash"));
    for (String opened :
        List.of("lang", "util", "util.concurrent", "util.concurrent.atomic", "time")) {
      command.add("--add-opens=java.base/java." + opened + "=ALL-UNNAMED");
    }
    return command;
  }

  private Path archive(String kind) {
    return state.resolve(kind + ".jsa");
  }

  private List<String> command(String heap, String kind, String mainClass) throws IOException {
    List<String> command = java(heap);
    Path archive = archive(kind);
    if (Files.exists(archive) && Files.size(archive) > 0) {
      command.add("-XX:SharedArchiveFile=" + archive);
      command.add("-Xshare:auto");
    }
    command.addAll(List.of("-cp", classPath, mainClass));
    return command;
  }

  /** An {@code idla} command. */
  public Victim idla(Path log, Map<String, String> environment, List<String> arguments)
      throws IOException {
    List<String> command = command("640m", "idla", MAIN);
    command.addAll(arguments);
    return Victim.start(command, environment(environment), log);
  }

  /**
   * Starts the command and lets it leave an archive of its classes, so that later starts are quick.
   */
  public Victim idlaArchiving(Path log, List<String> arguments) throws IOException {
    List<String> command = java("640m");
    command.add("-XX:ArchiveClassesAtExit=" + archive("idla"));
    command.addAll(List.of("-cp", classPath, MAIN));
    command.addAll(arguments);
    return Victim.start(command, environment(Map.of()), log);
  }

  Victim broker(Path log, Path folder, int port, Map<String, String> environment)
      throws IOException {
    List<String> command = command("512m", "broker", BROKER);
    command.addAll(List.of(folder.toString(), Integer.toString(port)));
    return Victim.start(command, environment(environment), log);
  }

  /** A serving process whose allocations can be made to fail, see {@link SubscriberProbe}. */
  public Victim probe(Path log, Path models, String application, Path control) throws IOException {
    List<String> command = command("256m", "probe", SubscriberProbe.class.getName());
    command.addAll(List.of(models.toString(), application, control.toString()));
    return Victim.start(command, environment(Map.of()), log);
  }

  private static Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(Map.of("OMP_NUM_THREADS", "1"));
    environment.putAll(more);
    return environment;
  }

  /** Whether a command has an option. */
  public boolean knows(String command, String option) throws IOException, InterruptedException {
    String text = help.get(command);
    if (text == null) {
      List<String> arguments = new ArrayList<>(List.of(command.split(" ", -1)));
      arguments.add("--help");
      try (Victim asked =
          idla(state.resolve("help-" + command.replace(' ', '-') + ".log"), Map.of(), arguments)) {
        asked.awaitExit(HELP_MILLIS);
        text = asked.output();
      }
      help.put(command, text);
    }
    return text.contains(option);
  }

  /**
   * Arguments of a run with a broker of the campaign's.
   *
   * @param input file to learn to its end, or null
   * @param eventsPerSecond 0 for as fast as possible
   */
  public List<String> run(
      Path application,
      Path work,
      String servers,
      @Nullable Path input,
      int eventsPerSecond,
      Path report) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                application.toString(),
                "--work-dir",
                work.toString(),
                "--bootstrap-servers",
                servers,
                "--report",
                report.toString()));
    input(arguments, input, eventsPerSecond);
    return arguments;
  }

  private static void input(List<String> arguments, @Nullable Path input, int eventsPerSecond) {
    if (input != null) {
      arguments.addAll(List.of("--input", input.toString()));
      if (eventsPerSecond > 0) {
        arguments.addAll(List.of("--rate", Integer.toString(eventsPerSecond)));
      }
    }
  }

  public List<String> produce(Path application, String servers, Path input, int eventsPerSecond) {
    List<String> arguments =
        new ArrayList<>(List.of("produce", application.toString(), "--bootstrap-servers", servers));
    input(arguments, input, eventsPerSecond);
    return arguments;
  }

  public List<String> follow(Path models, String application) {
    return List.of(
        "models", "follow", application, "--models-dir", models.toString(), "--poll-millis", "50");
  }

  public List<String> startCluster(Path work) {
    return List.of("cluster", "start", "--work-dir", work.toString());
  }

  public List<String> stopCluster(Path work) {
    return List.of("cluster", "stop", "--work-dir", work.toString());
  }

  public List<String> submit(
      Path application, Path work, Path input, int eventsPerSecond, Path report) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "cluster",
                "submit",
                application.toString(),
                "--work-dir",
                work.toString(),
                "--report",
                report.toString()));
    input(arguments, input, eventsPerSecond);
    return arguments;
  }

  /**
   * A process of the container image, by the image's own entry script with other ports.
   *
   * @param role {@code jobmanager} or {@code taskmanager}
   */
  public Victim container(
      String role, Path log, Path work, int brokerPort, int restPort, int rpcPort, Path application)
      throws IOException {
    Path script = state.resolve("entry-" + restPort);
    Path original = lib.resolve("../../../../dev/docker-entry").normalize();
    if (!Files.exists(original)) {
      throw new IOException("there is no " + original + ": --lib must lie in a checkout");
    }
    String text =
        Files.readString(original)
            .replace("8081", Integer.toString(restPort))
            .replace(":9092", ":" + brokerPort)
            .replace("0.0.0.0", "127.0.0.1")
            // Two hosts in containers, one here: no port may be fixed, and a death is soon noticed.
            .replaceFirst(
                "jobmanager\\.rpc\\.address: (\\S+)",
                "jobmanager.rpc.address: $1\njobmanager.rpc.port: "
                    + rpcPort
                    + "\n"
                    + "taskmanager.host: 127.0.0.1\n"
                    + "heartbeat.interval: 1000\n"
                    + "heartbeat.timeout: 6000\n"
                    + "io.tmp.dirs: "
                    + work.resolve("tmp"));
    // The class path of the image is one folder; a plain build leaves one jar beside it.
    Files.writeString(script, text.replace("\"$lib/*\"", "\"" + classPath + "\""));
    Files.createDirectories(work.resolve("tmp"));
    List<String> command = new ArrayList<>(List.of("bash", script.toString(), role));
    if (role.equals("jobmanager")) {
      command.add(application.toString());
    }
    Map<String, String> environment =
        Map.of(
            "IDLA_LIB",
            lib.toString(),
            "IDLA_WORK",
            work.toString(),
            "IDLA_BROKER_HOST",
            "127.0.0.1",
            "IDLA_JOBMANAGER_HOST",
            "127.0.0.1");
    return Victim.start(command, environment(environment), log);
  }
}
