package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.recovery.Durable;
import io.idlalayer.jobs.recovery.RecoveryPoint;
import io.idlalayer.jobs.recovery.WorkDirectory;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.JobStart;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole run in this process: real broker, real Flink, real RocksDB, real training. */
final class EmbeddedRunIT {
  private static final long EVENTS = 7_000;

  private final FlinkThreads threads = new FlinkThreads();

  @TempDir Path folder;

  private static final class SocketMonitor extends FakeMonitor {
    final Set<String> reachable = new TreeSet<>();
    int sockets;

    @Override
    public void tick(RunView view) {
      try {
        reachable.addAll(ListeningSockets.reachable());
        sockets = Math.max(sockets, ListeningSockets.count());
      } catch (IOException failed) {
        throw new java.io.UncheckedIOException(failed);
      }
    }
  }

  private ApplicationSettings demo() throws Exception {
    return ApplicationFiles.demo(folder.resolve("demo.yaml"), "\npublishing: {onnx: true}\n");
  }

  private static InputPlan input(ApplicationSettings demo) {
    return new InputPlan(demo, "test", () -> new DriftingStream(3, EVENTS), Long.MAX_VALUE, 1_750);
  }

  @Test
  void run_learnsPublishesAndContinues() throws Exception {
    ApplicationSettings demo = demo();
    Path work = folder.resolve("work");
    EmbeddedRun.Plan plan = new EmbeddedRun.Plan(List.of(demo), work, null, input(demo));
    SocketMonitor monitor = new SocketMonitor();
    RunOutcome first = new EmbeddedRun(plan, monitor).run(() -> false);
    assertThat(first.finished()).isTrue();
    assertThat(monitor.events)
        .extracting(DecisionEvent::type)
        .contains(DecisionEvent.Type.FIRED, DecisionEvent.Type.PUBLISHED);
    assertCounts(first.view());
    assertServable(work, first.view().learners().get(0).status().modelVersion());
    assertThat(monitor.sockets).as("broker, controller, REST, blob server").isGreaterThan(2);
    assertThat(monitor.reachable).as("sockets that others can reach").isEmpty();
    assertPrivate(work);

    Path moved = Files.move(work, folder.resolve("moved"));
    EmbeddedRun.Plan again = new EmbeddedRun.Plan(List.of(demo), moved, null, input(demo));
    FakeMonitor second = new FakeMonitor();
    RunOutcome outcome = new EmbeddedRun(again, second).run(() -> false);
    assertThat(outcome.finished()).isTrue();
    assertSaved(first.saved(), outcome.saved());
    assertThat(second.phases)
        .anyMatch(
            text -> text.startsWith("continuing from checkpoints/demo/run-000001/savepoints"));
    assertThat(RunReport.of(outcome.view(), 1).get("samples"))
        .as("the same input on the same work directory changes nothing, wherever it lies")
        .isEqualTo(RunReport.of(first.view(), 1).get("samples"));
    assertDeadLetters(demo, moved);
    assertDamage(demo, moved);
    assertChangedFileIsRefused(moved);
  }

  /** The second run went on from the savepoint of the first. */
  private static void assertSaved(SavedState first, SavedState second) {
    assertThat(first.start()).isNotNull();
    assertThat(first.start().from()).isNull();
    assertThat(first.start().bytes()).isZero();
    assertThat(first.start().seconds()).isPositive();
    assertThat(first.checkpoints()).isNotNull();
    assertThat(first.savepoint()).isNotNull();
    assertThat(first.savepoint().seconds()).isPositive();
    assertThat(first.savepoint().bytes()).isGreaterThan(10_000);
    assertThat(second.start()).isNotNull();
    assertThat(second.start().from()).startsWith("checkpoints/demo/run-000001/savepoints");
    assertThat(second.start().bytes()).isEqualTo(first.savepoint().bytes());
  }

  private void assertChangedFileIsRefused(Path work) throws Exception {
    Path file = folder.resolve("demo.yaml");
    String text = Files.readString(file);
    ApplicationSettings changed =
        ApplicationFiles.read(
            file, text.replace("[32, 16]", "[8]").replace("classes: 2", "classes: ['a', 'b']"));
    EmbeddedRun.Plan plan = new EmbeddedRun.Plan(List.of(changed), work, null, input(changed));
    assertThatThrownBy(() -> new EmbeddedRun(plan, new FakeMonitor()).run(() -> false))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("input.classes: [0, 1] before, [a, b] now")
        .hasMessageContaining("model.hidden: [32, 16] before, [8] now");
  }

  /** Damage is found before anything is submitted, so no engine starts here. */
  private static void assertDamage(ApplicationSettings demo, Path work) throws Exception {
    try (WorkDirectory held = WorkDirectory.open(work)) {
      JobStart.Request request =
          new JobStart.Request(
              List.of(demo),
              "none:1",
              held.identity(),
              JobStart.Place.CLUSTER,
              TaskMemory.ofThisProcess(),
              StartOver.NO);
      RecoveryPoint newest = from(request, text -> {});
      // Behind the events lies a mark for the end of each of the two inputs.
      assertThat(newest.offsets()).containsEntry("demo-0", EVENTS + 2);
      Path metadata = newest.folder().resolve("_metadata");
      byte[] whole = Files.readAllBytes(metadata);
      Files.write(metadata, java.util.Arrays.copyOf(whole, whole.length / 2));
      List<String> said = new ArrayList<>();
      RecoveryPoint before = from(request, said::add);
      assertThat(before.run().number()).isEqualTo(1);
      assertThat(String.join("\n", said))
          .contains("warning: passed over checkpoints/demo/run-000002/savepoints/")
          .contains("its _metadata cannot be read")
          .as("the second run read no event, so none is lost")
          .doesNotContain("warning: this start goes back");
      for (Path file : Durable.children(before.folder())) {
        Files.delete(file);
      }
      assertThatThrownBy(() -> from(request, text -> {}))
          .hasMessageContaining("published models up to version")
          .hasMessageContaining("--start-over");
      Files.write(metadata, whole);
      assertThat(from(request, text -> {}).folder()).isEqualTo(newest.folder());
    }
  }

  private static RecoveryPoint from(JobStart.Request request, Consumer<String> say)
      throws IOException, InterruptedException {
    try (JobStart start = JobStart.prepare(request, say)) {
      return Objects.requireNonNull(start.from());
    }
  }

  private static void assertPrivate(Path work) throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(work)))
        .isEqualTo("rwx------");
  }

  private static void assertCounts(RunView view) {
    Status status = view.learners().get(0).status();
    ExpectedStream expected = ExpectedStream.of(3, EVENTS);
    assertThat(status.samples().received()).isEqualTo(EVENTS);
    assertThat(status.samples().malformed()).isEqualTo(expected.malformed());
    assertThat(status.trainedNewSamples() - status.samples().revived())
        .isEqualTo(expected.labelledEvents());
    assertThat(status.stages().newborn()).isEqualTo(expected.unlabelledEvents());
    assertThat(RunReport.of(view, 1).get("balance").get("holds").asBoolean()).isTrue();
    assertThat(status.incorporation().count()).isEqualTo(status.trainedNewSamples());
    assertThat(status.prequential().scored() + status.prequential().unscored()).isPositive();
  }

  private static void assertServable(Path work, long version) throws IOException {
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    SortedMap<String, byte[]> files = store.load(store.read("demo", 0, version));
    assertThat(files.get(OnnxModel.FILE)).isEqualTo(OnnxModel.of(new ModelArtifact(files), "demo"));
    try (ModelSubscriber<Dl4jModel> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "demo", 0, Duration.ofMillis(50)),
            new Dl4jModelLoader(),
            InstantSource.system())) {
      assertThat(subscriber.refresh()).isTrue();
      assertThat(subscriber.status().version()).isEqualTo(version);
      try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
        Sample sample = Sample.of(new double[DriftingStream.FEATURES], Sample.NO_LABEL);
        double[] answer = lease.model().predict(List.of(sample))[0];
        assertThat(answer[0] + answer[1]).isBetween(0.999, 1.001);
      }
    }
  }

  private void assertDeadLetters(ApplicationSettings demo, Path work) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(work.resolve("kafka"), 0)) {
      List<ConsumerRecord<byte[], byte[]>> letters =
          TopicBytes.all(
              KafkaClients.consumer(demo.kafka(), broker.bootstrapServers()),
              demo.kafka().deadLettersTopic());
      assertThat(letters)
          .hasSizeGreaterThanOrEqualTo((int) ExpectedStream.of(3, EVENTS).malformed());
      ConsumerRecord<byte[], byte[]> letter = letters.get(0);
      assertThat(new String(letter.value(), java.nio.charset.StandardCharsets.UTF_8))
          .contains("oops");
      assertThat(header(letter, "idla-reason")).startsWith("byte ");
      assertThat(header(letter, "idla-source")).startsWith("test#");
      assertThat(header(letter, "idla-offset")).matches("\\d+");
    }
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(
        record.headers().lastHeader(name).value(), java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void run_brokerThatDoesNotAnswer_isNamed() throws Exception {
    ApplicationSettings demo = demo();
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(List.of(demo), folder.resolve("w"), "127.0.0.1:1", input(demo));
    assertThatThrownBy(() -> new EmbeddedRun(plan, new FakeMonitor()).run(() -> false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no Kafka broker answers at 127.0.0.1:1");
  }

  @Test
  void run_flinkThatDoesNotStart_endsTheBroker() throws Exception {
    ApplicationSettings demo = demo();
    Path work = folder.resolve("w");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Map<String, String> flink =
          Map.of("blob.server.port", Integer.toString(taken.getLocalPort()));
      EmbeddedRun.Plan plan =
          new EmbeddedRun.Plan(List.of(demo), work, null, input(demo), StartOver.NO, null, flink);
      FakeMonitor monitor = new FakeMonitor();
      assertThatThrownBy(() -> new EmbeddedRun(plan, monitor).run(() -> false))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the embedded Flink does not start");
      assertThat(monitor.phases).anyMatch(text -> text.startsWith("broker at "));
    }
    // Both hold their folders while they run.
    WorkDirectory.open(work).close();
    EmbeddedBroker.start(work.resolve("kafka"), 0).close();
  }

  @Test
  void run_brokerThatDoesNotStart_endsFlink() throws Exception {
    ApplicationSettings demo = demo();
    Path work = folder.resolve("w");
    WorkDirectory.open(work).close();
    Files.writeString(work.resolve("kafka"), "no folder");
    EmbeddedRun.Plan plan = new EmbeddedRun.Plan(List.of(demo), work, null, input(demo));
    assertThatThrownBy(() -> new EmbeddedRun(plan, new FakeMonitor()).run(() -> false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the embedded broker does not start");
    threads.assertEnded();
    WorkDirectory.open(work).close();
  }

  @Test
  void run_settingsOfFlinkThatAreSettled_areRefusedBeforeAnythingStarts() throws Exception {
    ApplicationSettings demo = demo();
    Map<String, String> flink =
        Map.of("rest.bind-port", "1", "execution.checkpointing.dir", "file:/c");
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(
            List.of(demo), folder.resolve("w"), null, input(demo), StartOver.NO, null, flink);
    FakeMonitor monitor = new FakeMonitor();
    assertThatThrownBy(() -> new EmbeddedRun(plan, monitor).run(() -> false))
        .hasMessageContaining("execution.checkpointing.dir, rest.bind-port");
    assertThat(monitor.phases).isEmpty();
  }

  @Test
  void run_workDirectoryInUse_isRefused() throws Exception {
    ApplicationSettings demo = demo();
    Path work = folder.resolve("w");
    try (WorkDirectory held = WorkDirectory.open(work)) {
      EmbeddedRun.Plan plan = new EmbeddedRun.Plan(List.of(demo), held.path(), null, input(demo));
      assertThatThrownBy(() -> new EmbeddedRun(plan, new FakeMonitor()).run(() -> false))
          .hasMessageContaining("is in use by process " + ProcessHandle.current().pid());
    }
  }
}
