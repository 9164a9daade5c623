package io.idlalayer.jobs.packaging;

import io.idlalayer.jobs.cli.SubmitMain;
import io.idlalayer.jobs.run.FlinkRest;
import io.idlalayer.testkit.NativeCode;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.client.cli.CliFrontend;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.awaitility.Awaitility;

/**
 * A session cluster of Flink as its users start it: the processes have Flink's own classes on their
 * class path and nothing of the product, whose classes come with each job.
 */
final class SessionCluster implements AutoCloseable {
  private static final Duration WAIT = Duration.ofMinutes(4);
  private static final long SECONDS = 120;
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final List<String> SESSION =
      List.of("org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint");
  private static final String JOB_MANAGER = "jobmanager";
  private static final String TASK_MANAGER = "taskmanager";

  /** Jars of Flink's distribution, by their names. */
  private static final Pattern FLINK =
      Pattern.compile(
          "(?!.*-tests\\.jar)(flink-(?!connector-(base|kafka)|test|sql|metrics-prometheus|metrics-otel)|frocksdbjni|commons-(cli|lang3|io|text|compress|collections|math3)"
              + "|kryo|minlog|reflectasm|objenesis|snakeyaml-engine|snappy-java|lz4-java|javassist|slf4j-api-1\\.7"
              + "|log4j-(api|core|slf4j-impl)|jsr305|asm|hash4j|async-profiler).*\\.jar");

  private static final String LOGGING =
      """
      rootLogger.level = INFO
      rootLogger.appenderRef.console.ref = console
      appender.console.name = console
      appender.console.type = CONSOLE
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = %d{HH:mm:ss} %-5p %c{1} %m%n%throwable{20}
      """;

  private final Path folder;
  private final Path conf;
  private final List<Path> lib;
  private final List<String> jobManager;
  private final Map<String, String> environment;
  private final Map<String, HostNetwork.Host> hosts;
  private final int restPort;
  private final Map<String, Process> processes = new LinkedHashMap<>();

  /**
   * Starts a JobManager and a TaskManager.
   *
   * @param flink further lines of Flink's configuration, for processes and client
   */
  SessionCluster(Path folder, List<String> flink) throws IOException {
    this(folder, flink, List.of());
  }

  /**
   * Starts a JobManager and a TaskManager.
   *
   * @param flink further lines of Flink's configuration, for processes and client
   * @param lib jars that lie in Flink's folder "lib", beside those of its distribution
   */
  SessionCluster(Path folder, List<String> flink, List<Path> lib) throws IOException {
    this(folder, flink, lib, SESSION, Map.of(), HostNetwork.Host.LOCAL, HostNetwork.Host.LOCAL);
  }

  /**
   * Starts a JobManager and a TaskManager.
   *
   * @param flink further lines of Flink's configuration, for processes and client
   * @param environment further variables for the processes and the client
   */
  SessionCluster(Path folder, List<String> flink, Map<String, String> environment)
      throws IOException {
    this(
        folder,
        flink,
        List.of(),
        SESSION,
        environment,
        HostNetwork.Host.LOCAL,
        HostNetwork.Host.LOCAL);
  }

  /**
   * Starts the processes of a cluster in application mode, which runs one job. The job jar lies in
   * the subfolder "usrlib".
   *
   * @param flink further lines of Flink's configuration
   * @param program arguments of the program
   */
  static SessionCluster application(Path folder, List<String> flink, String... program)
      throws IOException {
    return application(folder, flink, HostNetwork.Host.LOCAL, HostNetwork.Host.LOCAL, program);
  }

  /** Starts the processes of a cluster in application mode on hosts of their own. */
  static SessionCluster application(
      Path folder,
      List<String> flink,
      HostNetwork.Host jobManager,
      HostNetwork.Host taskManager,
      String... program)
      throws IOException {
    return new SessionCluster(
        folder, flink, List.of(), command(program), Map.of(), jobManager, taskManager);
  }

  /** The main class of a JobManager in application mode, and its arguments. */
  private static List<String> command(String... program) {
    List<String> command = new ArrayList<>();
    command.add("org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint");
    command.addAll(List.of("--job-classname", SubmitMain.class.getName()));
    command.addAll(List.of(program));
    return command;
  }

  private SessionCluster(
      Path folder,
      List<String> flink,
      List<Path> lib,
      List<String> jobManager,
      Map<String, String> environment,
      HostNetwork.Host jobManagerHost,
      HostNetwork.Host taskManagerHost)
      throws IOException {
    this.folder = folder;
    this.lib = List.copyOf(lib);
    this.jobManager = List.copyOf(jobManager);
    this.environment = Map.copyOf(environment);
    hosts = Map.of(JOB_MANAGER, jobManagerHost, TASK_MANAGER, taskManagerHost);
    conf = Files.createDirectories(folder.resolve("conf"));
    restPort = freePort();
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    List<String> lines = new ArrayList<>(flink);
    List<String> defaults =
        List.of(
            "jobmanager.rpc.address: " + jobManagerHost.address(),
            "jobmanager.rpc.port: " + freePort(),
            "jobmanager.bind-host: " + jobManagerHost.address(),
            "jobmanager.memory.process.size: 1g",
            "rest.address: " + jobManagerHost.address(),
            "rest.bind-address: " + jobManagerHost.address(),
            "rest.port: " + restPort,
            "taskmanager.host: " + taskManagerHost.address(),
            "taskmanager.bind-host: " + taskManagerHost.address(),
            "taskmanager.numberOfTaskSlots: 2",
            "taskmanager.cpu.cores: 2",
            "taskmanager.memory.task.heap.size: 384m",
            "taskmanager.memory.task.off-heap.size: 128m",
            "taskmanager.memory.managed.size: 64m",
            "taskmanager.memory.network.min: 64m",
            "taskmanager.memory.network.max: 64m",
            "taskmanager.memory.framework.heap.size: 128m",
            "taskmanager.memory.framework.off-heap.size: 128m",
            "taskmanager.memory.jvm-metaspace.size: 256m",
            "taskmanager.memory.jvm-overhead.min: 192m",
            "taskmanager.memory.jvm-overhead.max: 192m",
            // Loaded machines take longer than the defaults allow.
            "pekko.ask.timeout: 60s",
            "web.timeout: 60000",
            "client.timeout: 120s",
            "heartbeat.timeout: 120000",
            "io.tmp.dirs: " + temporary);
    for (String line : defaults) {
      String key = line.substring(0, line.indexOf(':') + 1);
      if (flink.stream().noneMatch(given -> given.startsWith(key))) {
        lines.add(line);
      }
    }
    Files.write(conf.resolve("config.yaml"), lines);
    Files.writeString(conf.resolve("log4j2.properties"), LOGGING);
    startJobManager();
    startTaskManager();
  }

  /** Starts a JobManager. The one before has ended. */
  void startJobManager() throws IOException {
    start(JOB_MANAGER, jobManager);
  }

  /** Starts a TaskManager. The one before has ended. */
  void startTaskManager() throws IOException {
    start(TASK_MANAGER, List.of("org.apache.flink.runtime.taskexecutor.TaskManagerRunner"));
  }

  /** Replaces a line of Flink's configuration, for processes that are started from now on. */
  void configure(String key, String value) throws IOException {
    Path file = conf.resolve("config.yaml");
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.removeIf(line -> line.startsWith(key + ":"));
    lines.add(key + ": " + value);
    Files.write(file, lines);
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static List<String> classPath() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.asList(all.split(File.pathSeparator, -1));
  }

  private static boolean isFlink(String entry) {
    return FLINK.matcher(String.valueOf(Path.of(entry).getFileName())).matches();
  }

  private HostNetwork.Host host(String name) {
    return Objects.requireNonNull(hosts.get(name), name);
  }

  /** Starts the processes again that have ended, as an operator does. */
  void startEnded() throws IOException {
    if (!process(JOB_MANAGER).isAlive()) {
      startJobManager();
    }
    if (!process(TASK_MANAGER).isAlive()) {
      startTaskManager();
    }
  }

  private void start(String name, List<String> main) throws IOException {
    List<String> command = new ArrayList<>(host(name).command());
    command.addAll(java());
    command.add(main.get(0));
    command.addAll(List.of("--configDir", conf.toString()));
    command.addAll(main.subList(1, main.size()));
    File log = folder.resolve(name + ".log").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    builder.environment().put("FLINK_LIB_DIR", folder.resolve("lib").toString());
    builder.environment().putAll(environment);
    processes.put(name, builder.start());
  }

  /** The jars of Flink. */
  static List<String> flinkJars() {
    return classPath().stream().filter(SessionCluster::isFlink).toList();
  }

  /** The command of a Java process with the classes of Flink, up to the main class. */
  private List<String> java() {
    List<String> flink = new ArrayList<>(flinkJars());
    lib.forEach(jar -> flink.add(jar.toString()));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(NativeCode.options());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:MaxMetaspaceSize=256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            // Of those that are in Flink's own configuration file.
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "-Djava.io.tmpdir=" + folder.resolve("tmp"),
            "-Dlog4j2.configurationFile=" + conf.resolve("log4j2.properties").toUri(),
            "-cp",
            String.join(File.pathSeparator, flink)));
    return command;
  }

  private Configuration configuration() {
    return GlobalConfiguration.loadConfiguration(conf.toString());
  }

  /** Flink's command line, without the messages and the exit code that it makes of a failure. */
  private static final class Client extends CliFrontend {
    Client(Configuration configuration, Path conf) {
      super(configuration, loadCustomCommandLines(configuration, conf.toString()));
    }

    void submit(List<String> arguments) throws Exception {
      run(arguments.toArray(new String[0]));
    }
  }

  /**
   * Runs {@code flink run} with the product's main class. The jar is empty: the classes of the job
   * come from the folders and jars of this build, by {@code -C}.
   *
   * @param flink options of Flink
   * @param program arguments of the program
   */
  void run(List<String> flink, String... program) throws Exception {
    Path jar = folder.resolve("job.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out)) {
      entries.putNextEntry(new JarEntry("empty"));
    }
    List<String> arguments = new ArrayList<>(List.of("-d", "-c", SubmitMain.class.getName()));
    for (String entry : classPath()) {
      if (!entry.isEmpty() && !isFlink(entry)) {
        arguments.addAll(List.of("-C", Path.of(entry).toUri().toString()));
      }
    }
    arguments.addAll(flink);
    arguments.add(jar.toString());
    arguments.addAll(List.of(program));
    Configuration client = configuration();
    client.setString("execution.target", "remote");
    // The test has loaded native libraries, which no second class loader of its process can have.
    client.setString("classloader.resolve-order", "parent-first");
    new Client(client, conf).submit(arguments);
  }

  /**
   * Runs {@code flink run} with a jar, in a process of its own, as users do.
   *
   * @param flink options of Flink
   * @param program arguments of the program
   * @return what it printed
   */
  String runJar(Path jar, List<String> flink, String... program) throws Exception {
    List<String> command = java();
    // Flink's client leaves a file there.
    command.add("-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("client")));
    command.addAll(List.of(CliFrontend.class.getName(), "run", "-d"));
    command.addAll(flink);
    command.add(jar.toString());
    command.addAll(List.of(program));
    Path log = folder.resolve("client.log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("FLINK_CONF_DIR", conf.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new AssertionError("flink run failed: " + Files.readString(log));
    }
    return Files.readString(log);
  }

  private RestClusterClient<StandaloneClusterId> client() throws Exception {
    return new RestClusterClient<>(configuration(), StandaloneClusterId.getInstance());
  }

  /** Waits until a TaskManager has registered. */
  void await() throws IOException {
    Awaitility.await("the cluster").atMost(WAIT).until(() -> dead() || taskManagers() > 0);
    if (dead()) {
      throw new AssertionError("a process has ended; " + tails());
    }
  }

  private boolean dead() {
    return processes.values().stream().anyMatch(process -> !process.isAlive());
  }

  private int taskManagers() throws InterruptedException {
    URI overview =
        URI.create("http://%s:%d/overview".formatted(host(JOB_MANAGER).address(), restPort));
    try {
      return FlinkRest.get(overview, ANSWER).path("taskmanagers").asInt();
    } catch (IOException notYet) {
      return 0;
    }
  }

  /** The one job that runs. */
  JobID running() throws Exception {
    try (RestClusterClient<StandaloneClusterId> client = client()) {
      Collection<JobStatusMessage> jobs = client.listJobs().get(SECONDS, TimeUnit.SECONDS);
      return jobs.stream()
          .filter(job -> !job.getJobState().isGloballyTerminalState())
          .map(JobStatusMessage::getJobId)
          .findAny()
          .orElseThrow(() -> new AssertionError("no job runs: " + jobs));
    }
  }

  /** Ends the running job with a savepoint; returns where that is. */
  String stop(SavepointFormatType format) throws Exception {
    try (RestClusterClient<StandaloneClusterId> client = client()) {
      return client
          .stopWithSavepoint(running(), false, null, format)
          .get(SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Returns where the newest completed checkpoint of a job is, which may have ended. */
  String newestCheckpoint(JobID job) throws IOException, InterruptedException {
    URI checkpoints =
        URI.create(
            "http://%s:%d/jobs/%s/checkpoints"
                .formatted(host(JOB_MANAGER).address(), restPort, job.toHexString()));
    return FlinkRest.get(checkpoints, ANSWER)
        .path("latest")
        .path("completed")
        .path("external_path")
        .asText();
  }

  /** Cancels the running job, and waits for its end. */
  void cancel() throws Exception {
    JobID job = running();
    try (RestClusterClient<StandaloneClusterId> client = client()) {
      client.cancel(job).get(SECONDS, TimeUnit.SECONDS);
      Awaitility.await()
          .atMost(WAIT)
          .until(() -> client.getJobStatus(job).get() == JobStatus.CANCELED);
    }
  }

  /** The ends of the logs, for a test that fails. */
  String tails() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String name : processes.keySet()) {
      List<String> lines = log(name);
      text.append(name).append(":\n");
      try (Stream<String> last = lines.stream().skip(Math.max(0, lines.size() - 40))) {
        last.forEach(line -> text.append(line).append('\n'));
      }
    }
    return text.toString();
  }

  private List<String> log(String name) throws IOException {
    return Files.readAllLines(folder.resolve(name + ".log"));
  }

  /** Everything that JobManagers have logged so far. */
  String jobManagerLog() throws IOException {
    return String.join("\n", log(JOB_MANAGER));
  }

  /** The JobManager. */
  ProcessHandle jobManager() {
    return process(JOB_MANAGER).toHandle();
  }

  /** The TaskManager. */
  ProcessHandle taskManager() {
    return process(TASK_MANAGER).toHandle();
  }

  private Process process(String name) {
    return Objects.requireNonNull(processes.get(name), name);
  }

  /** Kills the JobManager, as {@code kill -9} does. */
  void killJobManager() {
    kill(process(JOB_MANAGER));
  }

  /** Kills the TaskManager, as {@code kill -9} does. */
  void killTaskManager() {
    kill(process(TASK_MANAGER));
  }

  private static void kill(Process process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    processes.values().forEach(SessionCluster::kill);
  }
}
