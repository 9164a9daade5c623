package io.idlalayer.jobs.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.recovery.FolderLock;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.recovery.SecretFile;
import io.idlalayer.jobs.recovery.WorkDirectory;
import io.idlalayer.jobs.recovery.WorkFileSystemFactory;
import io.idlalayer.jobs.rest.RestAccess;
import io.idlalayer.jobs.run.FlinkRest;
import io.idlalayer.middleware.models.http.BearerToken;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.client.deployment.ClusterClientJobClientAdapter;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * A broker, a JobManager and TaskManagers as separate processes that share one work directory. A
 * start leaves running processes alone, so a second start replaces only the processes that died.
 */
public final class LocalCluster {
  private static final String HOST = "127.0.0.1";
  private static final String JOB_MANAGER =
      "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
  private static final String TASK_MANAGER =
      "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
  private static final long START_NANOS = 120_000_000_000L;
  private static final long LOOK_NANOS = 200_000_000L;
  private static final int ANSWER_MILLIS = 2_000;
  private static final int MOST_TASK_MANAGERS = 16;
  private static final int TOKEN_BYTES = 32;

  private final Path work;
  private final Path folder;

  public LocalCluster(Path workDirectory) {
    work = workDirectory.toAbsolutePath().normalize();
    folder = work.resolve("cluster");
  }

  public Path workDirectory() {
    return work;
  }

  /** The addresses at which the broker and the JobManager listen. */
  public record Addresses(String bootstrapServers, String host, int restPort) {}

  /** Returns the addresses of a started cluster. */
  public Addresses addresses() throws IOException {
    Ports ports = ports();
    return new Addresses(HOST + ":" + ports.broker(), HOST, ports.rest());
  }

  /** Returns the REST address of the JobManager. */
  URI restAddress() throws IOException {
    return rest(ports().rest());
  }

  /** Returns the memory of the TaskManagers. One TaskManager might have to run a whole job. */
  TaskMemory taskMemory() {
    return ClusterConfig.taskMemory(work);
  }

  private String notStarted() {
    return "no cluster was started in "
        + work
        + ": run 'idla cluster start --work-dir "
        + work
        + "'";
  }

  /**
   * Starts the processes that do not run yet, and waits until every TaskManager has registered.
   *
   * @param flink settings of Flink for the processes that are started
   */
  public Addresses start(int taskManagers, Map<String, String> flink, Consumer<String> progress)
      throws IOException, InterruptedException {
    prepare(progress);
    Ports ports = readPorts().orElse(null);
    if (ports == null || nothingRuns()) {
      ports = new Ports(freePort(), freePort(), freePort());
      Files.writeString(
          folder.resolve("ports"),
          String.format(Locale.ROOT, "%d %d %d", ports.broker(), ports.rest(), ports.rpc()));
    }
    startBroker(ports, progress);
    Path jobManagerConf = ClusterConfig.jobManager(work, ports, newToken(), flink);
    ManagedProcess jobManager = process("jobmanager", JOB_MANAGER);
    await(
        "the JobManager",
        jobManager,
        () -> {
          progress.accept("starting the JobManager");
          sweep(work.resolve("tmp").resolve("jobmanager"));
          jobManager.start("512m", List.of("--configDir", jobManagerConf.toString()));
        },
        () -> jobManagerIsOurs(ports(), work));
    for (int i = 1; i <= taskManagers; i++) {
      startTaskManager(i, ports, flink, progress);
    }
    int slots = taskManagers * ClusterConfig.SLOTS;
    Ports known = ports;
    await(
        "the TaskManagers",
        process("taskmanager-" + taskManagers, TASK_MANAGER),
        () -> startTaskManager(taskManagers, known, flink, progress),
        () -> slots(addresses()) >= slots);
    return addresses();
  }

  /**
   * Makes the work directory accessible to its owner only, and gives it an identity. Fails if an
   * embedded run holds the lock of the work directory.
   */
  private void prepare(Consumer<String> progress) throws IOException {
    if (process("broker", BrokerMain.class.getName()).handle().isEmpty()) {
      try (WorkDirectory free = WorkDirectory.open(work)) {
        String warning = free.warning();
        if (warning != null) {
          progress.accept(warning);
        }
      }
    }
    Files.createDirectories(folder);
  }

  private boolean nothingRuns() throws IOException {
    for (ManagedProcess process : processes()) {
      if (process.handle().isPresent()) {
        return false;
      }
    }
    return true;
  }

  private static void sweep(Path scratch) throws IOException {
    ScratchFolder.open(scratch, "a process of the cluster").close();
  }

  private void startBroker(Ports ports, Consumer<String> progress)
      throws IOException, InterruptedException {
    ManagedProcess broker = process("broker", BrokerMain.class.getName());
    await(
        "the broker",
        broker,
        () -> {
          progress.accept("starting the broker");
          broker.start("512m", List.of(work.toString(), Integer.toString(ports.broker())));
        },
        () -> brokerIsOurs(ports, work.resolve("kafka")));
  }

  private void startTaskManager(
      int number, Ports ports, Map<String, String> flink, Consumer<String> progress)
      throws IOException {
    ManagedProcess taskManager = process("taskmanager-" + number, TASK_MANAGER);
    if (taskManager.handle().isPresent()) {
      return;
    }
    progress.accept("starting TaskManager " + number);
    Path local = work.resolve("state").resolve("taskmanager-" + number);
    sweep(local);
    sweep(work.resolve("tmp").resolve("taskmanager-" + number));
    Path conf = ClusterConfig.taskManager(work, ports, number, local, flink);
    taskManager.startWithWholeHeap(
        ClusterConfig.taskHeap(), List.of("--configDir", conf.toString()));
  }

  private ManagedProcess process(String name, String mainClass) {
    return new ManagedProcess(folder, name, mainClass);
  }

  /**
   * Returns a line for each process, with its name and either its pid or a remark that it does not
   * run.
   */
  public List<String> status() throws IOException {
    List<String> lines = new ArrayList<>();
    for (ManagedProcess process : processes()) {
      Optional<ProcessHandle> handle = process.handle();
      lines.add(
          "%-14s %s"
              .formatted(
                  process.name(),
                  handle.map(it -> "runs, pid " + it.pid()).orElse("does not run")));
    }
    return lines;
  }

  /** Stops every process, the broker last. */
  public void stop(Consumer<String> progress) throws IOException, InterruptedException {
    List<ManagedProcess> all = processes();
    for (int i = all.size() - 1; i >= 0; i--) {
      progress.accept("stopping " + all.get(i).name());
      all.get(i).stop();
    }
    Files.deleteIfExists(folder.resolve("ports"));
    // Stopping the cluster stops its jobs; a later start restores only jobs whose JobManager was
    // killed.
    new SubmittedJobs(work).clear();
  }

  /** Takes the lock for submitting jobs, so that two processes cannot start the same job. */
  FolderLock submitting() throws IOException {
    Path file = folder.resolve("submit.lock");
    return FolderLock.take(file, "process " + ProcessHandle.current().pid())
        .orElseThrow(
            () ->
                new IOException(
                    "%s is submitting to this cluster; try again when it is done"
                        .formatted(FolderLock.owner(file))));
  }

  /**
   * Takes the lock for feeding and following a job, so that no other process ends the job in the
   * meantime.
   */
  FolderLock following(String jobId) throws IOException {
    Path file = folder.resolve("follow-" + jobId + ".lock");
    return FolderLock.take(file, "process " + ProcessHandle.current().pid())
        .orElseThrow(
            () ->
                new IOException(
                    "%s feeds and follows job %s; wait until it has ended, or feed the job with 'idla produce'"
                        .formatted(FolderLock.owner(file), jobId)));
  }

  /**
   * Returns the token of the JobManager's REST server, and creates the token if there is none. The
   * token stays the same as long as the work directory exists, because a running JobManager might
   * already use it.
   */
  private String newToken() throws IOException {
    SecretFile.make(tokenFile(), TOKEN_BYTES);
    return token();
  }

  private Path tokenFile() {
    return folder.resolve("rest-token");
  }

  private String token() throws IOException {
    return BearerToken.read(tokenFile());
  }

  /**
   * Returns the settings that allow a client to change something on the cluster.
   *
   * @throws IOException if the token cannot be read
   */
  Map<String, String> clientSettings() throws IOException {
    return RestAccess.client(token());
  }

  /** Begins a checkpoint of a job. The checkpoint refers to no file of earlier checkpoints. */
  CompletableFuture<Long> takeWhole(JobID job) {
    try {
      Configuration conf = Configuration.fromMap(clientSettings());
      Addresses at = addresses();
      conf.set(RestOptions.ADDRESS, at.host());
      conf.set(RestOptions.PORT, at.restPort());
      RestClusterClient<StandaloneClusterId> client =
          new RestClusterClient<>(conf, StandaloneClusterId.getInstance());
      return client
          .triggerCheckpoint(job, CheckpointType.FULL)
          .whenComplete((taken, failed) -> client.close());
    } catch (Exception unusable) {
      return CompletableFuture.failedFuture(unusable);
    }
  }

  /** Returns a client of a job that runs on the cluster. */
  JobClient client(String jobId) throws IOException {
    Configuration conf = Configuration.fromMap(clientSettings());
    Addresses at = addresses();
    conf.set(RestOptions.ADDRESS, at.host());
    conf.set(RestOptions.PORT, at.restPort());
    return new ClusterClientJobClientAdapter<>(
        () -> {
          try {
            return new RestClusterClient<>(conf, StandaloneClusterId.getInstance());
          } catch (Exception unusable) {
            throw new IllegalStateException("no client for the cluster at " + at, unusable);
          }
        },
        JobID.fromHexString(jobId),
        LocalCluster.class.getClassLoader());
  }

  /**
   * A job that the JobManager knows.
   *
   * @param name name under which the job was submitted
   * @param state Flink's name of the state, such as RUNNING or FAILED
   */
  record Job(String id, String name, String state) {
    boolean ended() {
      return JobStatus.valueOf(state).isGloballyTerminalState();
    }
  }

  /** Returns all jobs that the JobManager knows. */
  List<Job> jobs() throws IOException, InterruptedException {
    JsonNode overview = get(ports().rest(), "/jobs/overview");
    List<Job> jobs = new ArrayList<>();
    for (JsonNode job : overview.path("jobs")) {
      jobs.add(
          new Job(job.path("jid").asText(), job.path("name").asText(), job.path("state").asText()));
    }
    return jobs;
  }

  /** Returns the broker, the JobManager and the TaskManagers that were ever started. */
  private List<ManagedProcess> processes() {
    List<ManagedProcess> all = new ArrayList<>();
    all.add(process("broker", BrokerMain.class.getName()));
    all.add(process("jobmanager", JOB_MANAGER));
    for (int i = 1; i <= MOST_TASK_MANAGERS; i++) {
      if (Files.exists(folder.resolve("taskmanager-" + i + ".pid"))) {
        all.add(process("taskmanager-" + i, TASK_MANAGER));
      }
    }
    return all;
  }

  private interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  private interface Start {
    void start() throws IOException;
  }

  /**
   * Starts a process if it does not run and waits until it is ready. A process that was just killed
   * still seems to run for a moment. This method starts it again when it is gone.
   */
  private static void await(String what, ManagedProcess process, Start start, Condition ready)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_NANOS;
    boolean started = process.handle().isEmpty();
    if (started) {
      start.start();
    }
    while (!ready.holds()) {
      if (process.handle().isEmpty()) {
        if (started) {
          throw new IOException(what + " ended while starting; its log is " + process.log());
        }
        started = true;
        start.start();
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "%s did not start within %d s; the log is %s",
                what,
                START_NANOS / 1_000_000_000L,
                process.log()));
      }
      LockSupport.parkNanos(LOOK_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  /**
   * Returns the number of task slots of registered TaskManagers, -1 while the JobManager does not
   * answer.
   */
  private static int slots(Addresses addresses) throws InterruptedException {
    try {
      return get(addresses.restPort(), "/overview").path("slots-total").asInt(-1);
    } catch (IOException notYet) {
      return -1;
    }
  }

  /** Returns whether the server at the port is the JobManager of this work directory. */
  static boolean jobManagerIsOurs(Ports ports, Path work) throws InterruptedException {
    try {
      for (JsonNode entry : get(ports.rest(), "/jobmanager/config")) {
        if (entry.path("key").asText().equals(WorkFileSystemFactory.WORK_DIRECTORY)) {
          return entry.path("value").asText().equals(work.toString());
        }
      }
      return false;
    } catch (IOException notYet) {
      return false;
    }
  }

  /**
   * Returns whether the server at the port is the broker of this folder, and not another process.
   */
  static boolean brokerIsOurs(Ports ports, Path kafka) throws IOException, InterruptedException {
    Path file = kafka.resolve("meta.properties");
    if (!Files.exists(file) || !listens(ports.broker())) {
      return false;
    }
    Properties meta = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      meta.load(in);
    }
    Map<String, Object> client =
        Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, HOST + ":" + ports.broker(),
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS,
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    Admin admin = Admin.create(client);
    try {
      String id = admin.describeCluster().clusterId().get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
      return id.equals(meta.getProperty("cluster.id"));
    } catch (ExecutionException | TimeoutException noBroker) {
      return false;
    } finally {
      // Without a time limit, closing would wait forever if another process listens at the port.
      admin.close(Duration.ofMillis(ANSWER_MILLIS));
    }
  }

  private static JsonNode get(int port, String path) throws IOException, InterruptedException {
    return FlinkRest.get(rest(port).resolve(path), Duration.ofMillis(ANSWER_MILLIS));
  }

  private static URI rest(int port) {
    return URI.create(String.format(Locale.ROOT, "http://%s:%d", HOST, port));
  }

  private Ports ports() throws IOException {
    return readPorts().orElseThrow(() -> new IOException(notStarted()));
  }

  /** The ports of a cluster. */
  record Ports(int broker, int rest, int rpc) {}

  private Optional<Ports> readPorts() throws IOException {
    Path file = folder.resolve("ports");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String[] ports = Files.readString(file).trim().split(" ", -1);
    return Optional.of(
        new Ports(
            Integer.parseInt(ports[0]), Integer.parseInt(ports[1]), Integer.parseInt(ports[2])));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
