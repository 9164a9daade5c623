package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.WorkDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A broker, a JobManager and TaskManagers as separate processes that share one work directory. What
 * runs already is left alone, so starting again replaces what has died.
 */
public final class LocalCluster {
  private static final String HOST = "127.0.0.1";
  private static final String JOB_MANAGER =
      "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
  private static final String TASK_MANAGER =
      "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
  private static final long START_NANOS = 120_000_000_000L;
  private static final long LOOK_NANOS = 200_000_000L;
  private static final Pattern SLOTS = Pattern.compile("\"slots-total\":(\\d+)");
  private static final int MOST_TASK_MANAGERS = 16;

  private final Path work;
  private final Path folder;

  public LocalCluster(Path workDirectory) {
    work = workDirectory.toAbsolutePath().normalize();
    folder = work.resolve("cluster");
  }

  public Path workDirectory() {
    return work;
  }

  /** Where the cluster listens. */
  public record Addresses(String bootstrapServers, String host, int restPort) {}

  /** The addresses of a cluster that was started, or an explanation that none was. */
  public Addresses addresses() throws IOException {
    Ports ports = readPorts().orElseThrow(() -> new IOException(notStarted()));
    return new Addresses(HOST + ":" + ports.broker(), HOST, ports.rest());
  }

  private String notStarted() {
    return "no cluster was started in "
        + work
        + ": run 'idla cluster start --work-dir "
        + work
        + "'";
  }

  /** Starts what does not run yet and waits until every TaskManager has registered. */
  public Addresses start(int taskManagers, Consumer<String> progress)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Ports ports = readPorts().orElse(null);
    if (ports == null) {
      ports = new Ports(freePort(), freePort(), freePort());
      Files.writeString(
          folder.resolve("ports"), "%d %d %d".formatted(ports.broker(), ports.rest(), ports.rpc()));
    }
    startBroker(ports, progress);
    Path jobManagerConf = ClusterConfig.jobManager(work, ports);
    ManagedProcess jobManager = process("jobmanager", JOB_MANAGER);
    if (jobManager.handle().isEmpty()) {
      progress.accept("starting the JobManager");
      jobManager.start("512m", List.of("--configDir", jobManagerConf.toString()));
    }
    await("the JobManager", jobManager, () -> slots(addresses()) >= 0);
    for (int i = 1; i <= taskManagers; i++) {
      startTaskManager(i, ports, progress);
    }
    ManagedProcess last = process("taskmanager-" + taskManagers, TASK_MANAGER);
    int slots = taskManagers * ClusterConfig.SLOTS;
    await("the TaskManagers", last, () -> slots(addresses()) >= slots);
    return addresses();
  }

  private void startBroker(Ports ports, Consumer<String> progress)
      throws IOException, InterruptedException {
    ManagedProcess broker = process("broker", BrokerMain.class.getName());
    if (broker.handle().isEmpty()) {
      progress.accept("starting the broker");
      broker.start(
          "512m", List.of(work.resolve("kafka").toString(), Integer.toString(ports.broker())));
    }
    await("the broker", broker, () -> listens(ports.broker()));
  }

  private void startTaskManager(int number, Ports ports, Consumer<String> progress)
      throws IOException {
    ManagedProcess taskManager = process("taskmanager-" + number, TASK_MANAGER);
    if (taskManager.handle().isPresent()) {
      return;
    }
    progress.accept("starting TaskManager " + number);
    Path local = work.resolve("state").resolve("taskmanager-" + number);
    Files.createDirectories(local);
    WorkDirectory.sweep(local);
    Path conf = ClusterConfig.taskManager(work, ports, number, local);
    taskManager.start(ClusterConfig.TASK_HEAP, List.of("--configDir", conf.toString()));
  }

  private ManagedProcess process(String name, String mainClass) {
    return new ManagedProcess(folder, name, mainClass);
  }

  /** One line for each process: its name, and its pid or that it does not run. */
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
  }

  /** Broker, JobManager and the TaskManagers that were ever started. */
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

  private static void await(String what, ManagedProcess process, Condition condition)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_NANOS;
    while (!condition.holds()) {
      if (process.handle().isEmpty()) {
        throw new IOException(what + " ended while starting; its log is " + process.log());
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "%s did not start within %d s; the log is %s"
                .formatted(what, START_NANOS / 1_000_000_000L, process.log()));
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

  /** Registered slots, -1 while the JobManager does not answer. */
  private static int slots(Addresses addresses) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://%s:%d/overview".formatted(HOST, addresses.restPort())))
            .timeout(Duration.ofSeconds(2))
            .build();
    try {
      String body =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
      Matcher matcher = SLOTS.matcher(body);
      return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
    } catch (IOException notYet) {
      return -1;
    }
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
