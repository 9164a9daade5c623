package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.testkit.NativeCode;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The processes of the containers, by the image's own entry point, without containers. */
final class ApplicationModeIT {
  private static final long EVENTS = 30_000;
  private static final Duration WAIT = Duration.ofMinutes(5);

  @TempDir Path folder;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void jobManagerKilled_comesBackWithItsState() throws Exception {
    Path app = folder.resolve("demo.yaml");
    Path slow = folder.resolve("slow");
    Files.createDirectory(slow);
    ApplicationSettings demo = ApplicationFiles.demo(app, "memory: {slow-directory: slow}\n");
    Path work = folder.resolve("work");
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    InputPlan plan =
        new InputPlan(demo, "it", () -> new DriftingStream(5, EVENTS), Long.MAX_VALUE, 300);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        Roles roles = new Roles(folder, work, broker.bootstrapServers())) {
      Topics.ensure(List.of(demo), broker.bootstrapServers());
      Process jobManager = roles.start("jobmanager", app.toString());
      roles.start("taskmanager");
      Thread feed = feeds(plan, broker.bootstrapServers());
      feed.start();
      try {
        Path run = work.resolve("checkpoints/demo/run-000001");
        await(store, roles, it -> true);
        // One that begins after the first version holds its model; the next one may be under way.
        long newest = newestCheckpoint(run);
        ModelCheckpoint before = await(store, roles, it -> newestCheckpoint(run) >= newest + 2);
        assertThat(rocksFolders(slow)).as("folders of RocksDB in the slow directory").isPositive();
        jobManager.destroyForcibly().waitFor();
        roles.start("jobmanager", app.toString());
        long trained = trained(before);
        ModelCheckpoint after =
            await(store, roles, it -> trained(it) > trained && isAfterRestart(work));
        assertThat(after.manifest().version()).isGreaterThan(before.manifest().version());
        for (ModelCheckpoint version : store.list("demo", 0)) {
          boolean first = version.manifest().version() == 1;
          assertThat(version.manifest().parentVersion() == 0)
              .as("version %d begins from nothing", version.manifest().version())
              .isEqualTo(first);
        }
      } finally {
        feed.interrupt();
        feed.join();
      }
    }
  }

  /** Returns a thread that sends an input until it is interrupted. */
  private static Thread feeds(InputPlan plan, String servers) {
    InputProducer producer = new InputProducer(plan.application(), servers);
    InputProducer.Request request = new InputProducer.Request(plan.limit(), plan.eventsPerSecond());
    return new Thread(
        () -> {
          try {
            producer.send(plan.input(), request);
          } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        },
        "feed");
  }

  private static long rocksFolders(Path slow) throws IOException {
    try (Stream<Path> all =
        Files.find(slow, 3, (path, it) -> String.valueOf(path.getFileName()).startsWith("job_"))) {
      return all.count();
    }
  }

  private static long trained(ModelCheckpoint version) {
    return version.manifest().counts().getOrDefault("trainedNewSamples", 0L);
  }

  private static boolean isAfterRestart(Path work) {
    return newestCheckpoint(work.resolve("checkpoints/demo/run-000002")) > 0;
  }

  /** The highest id of a complete checkpoint, 0 for none. */
  private static long newestCheckpoint(Path run) {
    try (Stream<Path> files = Files.find(run, 4, (file, it) -> file.endsWith("_metadata"))) {
      return files
          .map(file -> file.getParent().getFileName().toString())
          .mapToLong(name -> Long.parseLong(name.substring("chk-".length())))
          .max()
          .orElse(0);
    } catch (IOException | java.io.UncheckedIOException notYet) {
      return 0;
    }
  }

  private static ModelCheckpoint await(
      ModelStore store, Roles roles, Predicate<ModelCheckpoint> condition) throws Exception {
    try {
      return Awaitility.await()
          .atMost(WAIT)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> newest(store).filter(condition), Optional::isPresent)
          .orElseThrow();
    } catch (ConditionTimeoutException late) {
      throw new AssertionError("not within " + WAIT + "; " + roles.tails(), late);
    }
  }

  private static Optional<ModelCheckpoint> newest(ModelStore store) throws IOException {
    List<ModelCheckpoint> versions = store.list("demo", 0);
    return versions.isEmpty() ? Optional.empty() : Optional.of(versions.get(versions.size() - 1));
  }

  /** Starts roles of the entry point and ends what still runs. */
  private static final class Roles implements AutoCloseable {
    private final Path folder;
    private final Map<String, String> environment;
    private final java.util.ArrayList<Process> running = new java.util.ArrayList<>();

    Roles(Path folder, Path work, String servers) throws IOException {
      this.folder = folder;
      environment =
          Map.of(
              "IDLA_CLASSPATH",
              System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
              "IDLA_WORK",
              work.toString(),
              "TMPDIR",
              folder.toString(),
              "JAVA_TOOL_OPTIONS",
              String.join(" ", NativeCode.options())
                  + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir="
                  + folder,
              "IDLA_BOOTSTRAP_SERVERS",
              servers,
              "IDLA_JOBMANAGER_HOST",
              "127.0.0.1",
              "IDLA_RPC_PORT",
              "" + freePort(),
              "IDLA_REST_PORT",
              "" + freePort(),
              "IDLA_FLINK_CONF",
              "heartbeat.interval: 1000\nheartbeat.timeout: 6000");
    }

    Process start(String... command) throws IOException {
      ProcessBuilder builder = new ProcessBuilder("bash", "../../dev/docker-entry");
      builder.command().addAll(List.of(command));
      builder.environment().putAll(environment);
      File log = folder.resolve(command[0] + ".log").toFile();
      Process process =
          builder
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
              .start();
      running.add(process);
      return process;
    }

    String tails() throws IOException {
      StringBuilder text = new StringBuilder();
      for (String name : List.of("jobmanager", "taskmanager")) {
        List<String> lines = Files.readAllLines(folder.resolve(name + ".log"));
        text.append(name).append(":\n");
        lines.stream()
            .skip(Math.max(0, lines.size() - 30))
            .forEach(it -> text.append(it).append('\n'));
      }
      return text.toString();
    }

    @Override
    public void close() {
      for (Process process : running) {
        process.destroyForcibly();
        process.onExit().join();
      }
    }
  }
}
