package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose tensors lie in the memory of a process that {@code idla memory-node} started. The
 * process is killed in the middle of the run; the models are those of a run without placement.
 */
final class LentRunIT {
  private static final String SECRET = "a-secret-of-this-test";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Pattern ADDRESS = Pattern.compile("lending 64MiB at (\\S+)");

  /** Events of an update. */
  private static final int UPDATE = 500;

  private static final long MOST_EVENTS = 100 * UPDATE;

  /** So much that tensors go to the loan and come back in each training. */
  private static final long MANY_BYTES = 1 << 20;

  @TempDir Path folder;

  private ApplicationSettings application(String memory) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("demo.yaml"),
        """
        name: demo
        input:
          topic: demo
          format: json
          features: [{name: x, width: 8}]
          label: y
          classes: 2
        model: {type: mlp, hidden: [64, 64, 64, 64, 64, 64], standardize: false}
        training: {learning-rate: 0.005}
        update: {rule: count, count: %d, max-batch: %d}
        selection: {replay-budget: 0}
        publishing: {keep: 1000}
        %s
        """
            .formatted(UPDATE, UPDATE, memory));
  }

  private ApplicationSettings borrowing(String lender) throws Exception {
    return application(
        """
        memory:
          tensors: {fast-bytes: 64KiB, slow-bytes: 16MiB, policy: cached-arrays, borrow-bytes: 16MiB,
                    lenders: ["%s"], place-order: lent-first}
          lending: {token: %s}
        """
            .formatted(lender, SECRET));
  }

  /**
   * Events of which none repeats, so that the batches do not depend on the time. They come update
   * by update until something has happened, and then there are some more.
   */
  private static final class UpdateByUpdate implements RecordReader {
    private final SplittableRandom random = new SplittableRandom(3);
    private final BooleanSupplier happened;
    private long position;
    private long end = MOST_EVENTS;
    private String event = "";

    /**
     * @param happened waits for the update of all events so far, and returns whether it has
     *     happened
     */
    UpdateByUpdate(BooleanSupplier happened) {
      this.happened = happened;
    }

    @Override
    public boolean next() {
      if (position > 0 && position % UPDATE == 0 && end == MOST_EVENTS && happened.getAsBoolean()) {
        end = position + 6 * UPDATE;
      }
      if (position == end) {
        return false;
      }
      position++;
      double[] x = random.doubles(8, -1, 1).toArray();
      event = "{\"x\": " + Arrays.toString(x) + ", \"y\": " + (x[0] * x[1] > 0 ? 1 : 0) + "}";
      return true;
    }

    @Override
    public byte[] record() {
      return event.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void close() {}
  }

  /**
   * @param limit most events
   */
  private static RunOutcome run(
      ApplicationSettings application,
      Path work,
      FakeMonitor monitor,
      long limit,
      BooleanSupplier happened)
      throws Exception {
    return run(application, work, null, monitor, limit, happened);
  }

  /**
   * @param servers broker; null for one of the run's own
   * @param limit most events
   */
  private static RunOutcome run(
      ApplicationSettings application,
      Path work,
      @Nullable String servers,
      FakeMonitor monitor,
      long limit,
      BooleanSupplier happened)
      throws Exception {
    InputPlan input =
        new InputPlan(application, "test", () -> new UpdateByUpdate(happened), limit, 0);
    RunOutcome outcome =
        new EmbeddedRun(new EmbeddedRun.Plan(List.of(application), work, servers, input), monitor)
            .run(() -> false);
    assertThat(outcome.finished()).isTrue();
    return outcome;
  }

  private static TensorUse.@Nullable Loans loans(@Nullable UpdateRecord update) {
    UpdateRecord.Training training = update == null ? null : update.training();
    TensorUse tensors = training == null ? null : training.tensors();
    return tensors == null ? null : tensors.loans();
  }

  /** Returns whether an update says that tensors were in a loan. */
  private static boolean borrowed(FakeMonitor monitor) {
    return trained(monitor).stream()
        .map(LentRunIT::loans)
        .anyMatch(loans -> loans != null && loans.bytes() > 0 && loans.copiedBytes() > MANY_BYTES);
  }

  private static List<UpdateRecord> trained(FakeMonitor monitor) {
    return List.copyOf(monitor.events).stream()
        .map(DecisionEvent::update)
        .filter(update -> update != null && update.training() != null)
        .toList();
  }

  /**
   * The files of the model that serves, but for the weights of its mixture: they follow from
   * samples that are tested while trainings run.
   */
  private static SortedMap<String, ByteBuffer> model(Path work) throws Exception {
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    SortedMap<String, ByteBuffer> files = new TreeMap<>();
    store
        .load(store.current("demo", 0).orElseThrow())
        .forEach((file, bytes) -> files.put(file, ByteBuffer.wrap(bytes)));
    files.remove("mixture.json");
    return files;
  }

  private String address(Path log) {
    await().atMost(PATIENCE).until(() -> ADDRESS.matcher(Files.readString(log)).find());
    try {
      Matcher found = ADDRESS.matcher(Files.readString(log));
      assertThat(found.find()).isTrue();
      return found.group(1);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /**
   * Returns what waits for each next update, and kills a process with kill -9 after the first
   * update at which a condition holds. It returns whether it has killed the process.
   */
  private static BooleanSupplier killed(
      Process process, FakeMonitor monitor, BooleanSupplier condition) {
    AtomicLong updates = new AtomicLong();
    return () -> {
      long update = updates.incrementAndGet();
      await()
          .atMost(PATIENCE)
          .until(() -> trained(monitor).stream().anyMatch(each -> each.number() == update));
      boolean holds = condition.getAsBoolean();
      if (holds) {
        process.destroyForcibly().onExit().join();
      }
      return holds;
    };
  }

  @Test
  void run_whoseLenderIsKilled_goesOnWithTheSameModelAndSaysSo() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), SECRET + "\n");
    Path log = folder.resolve("memory-node.log");
    Process lender =
        ChildRun.start(
            log, "memory-node", "--lend", "64MiB", "--port", "0", "--token-file", token.toString());
    try {
      FakeMonitor monitor = new FakeMonitor();
      String address = address(log);
      Path work = folder.resolve("borrowing");
      RunOutcome outcome =
          run(
              borrowing(address),
              work,
              monitor,
              Long.MAX_VALUE,
              killed(lender, monitor, () -> borrowed(monitor)));
      assertThat(Files.readString(log)).contains("lent now: 16,777,216 bytes to 127.0.0.1:");

      TensorUse.Loans loans =
          Objects.requireNonNull(
              loans(outcome.view().updates().get(outcome.view().updates().size() - 1)));
      assertThat(loans.bytes())
          .as(
              "after the loss; loans by update: %s",
              outcome.view().updates().stream()
                  .map(each -> each.number() + ": " + loans(each))
                  .toList())
          .isZero();
      assertThat(loans.losses()).isEqualTo(1);
      assertThat(loans.nanos()).isPositive();
      assertThat(loans.localNanos()).isPositive();
      assertThat(loans.lenders())
          .singleElement()
          .satisfies(
              each -> {
                assertThat(each.address()).isEqualTo(address);
                assertThat(each.bytes()).isZero();
                assertThat(each.losses()).isEqualTo(1);
              });
      assertThat(outcome.view().learners().get(0).status().samples().quarantined()).isZero();

      Path plain = folder.resolve("plain");
      long events = outcome.view().learners().get(0).status().samples().received();
      run(application(""), plain, new FakeMonitor(), events, () -> false);
      SortedMap<String, ByteBuffer> expected = model(plain);
      assertThat(expected).containsKey("model.zip");
      SortedMap<String, ByteBuffer> found = model(work);
      assertThat(found.keySet()).isEqualTo(expected.keySet());
      expected.forEach((file, bytes) -> assertThat(found.get(file)).as(file).isEqualTo(bytes));
    } finally {
      lender.destroyForcibly().onExit().join();
    }
  }

  @Test
  void run_whoseLendersAreFoundOnATopic_goesOnWithTheOtherWhenOneIsKilled() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), SECRET + "\n");
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        Lenders lenders = new Lenders()) {
      String servers = broker.bootstrapServers();
      Process large = lenders.start("large.log", token, "64MiB", servers);
      lenders.start("small.log", token, "32MiB", servers);
      ApplicationSettings finding =
          application(
              """
              memory:
                tensors: {fast-bytes: 64KiB, slow-bytes: 16MiB, policy: cached-arrays,
                          borrow-bytes: 16MiB, place-order: lent-first}
                lending: {token: %s, topic: lenders}
              """
                  .formatted(SECRET));
      FakeMonitor monitor = new FakeMonitor();
      Path work = folder.resolve("finding");
      RunOutcome outcome =
          run(
              finding,
              work,
              servers,
              monitor,
              Long.MAX_VALUE,
              killed(large, monitor, () -> borrowed(monitor) && lending(monitor) == 2));
      List<UpdateRecord> all = outcome.view().updates();
      TensorUse.Loans last = Objects.requireNonNull(loans(all.get(all.size() - 1)));
      assertThat(last.losses()).isEqualTo(1);
      assertThat(last.lenders()).hasSize(2);
      assertThat(last.bytes()).as("of the other lender").isEqualTo(4 << 20);

      Path plain = folder.resolve("plain");
      long events = outcome.view().learners().get(0).status().samples().received();
      run(application(""), plain, new FakeMonitor(), events, () -> false);
      assertThat(model(work)).isEqualTo(model(plain));
    }
  }

  /** Returns the number of lenders that lend to the run. */
  private static long lending(FakeMonitor monitor) {
    List<UpdateRecord> trained = trained(monitor);
    TensorUse.Loans loans = loans(trained.get(trained.size() - 1));
    return loans == null ? 0 : loans.lenders().stream().filter(each -> each.bytes() > 0).count();
  }

  /** Processes that lend, which end with the test. */
  private final class Lenders implements AutoCloseable {
    private final List<Process> started = new ArrayList<>();

    Process start(String log, Path token, String lend, String servers) throws IOException {
      Process node =
          ChildRun.start(
              folder.resolve(log),
              "memory-node",
              "--lend",
              lend,
              "--port",
              "0",
              "--token-file",
              token.toString(),
              "--bootstrap-servers",
              servers,
              "--topic",
              "lenders");
      started.add(node);
      return node;
    }

    @Override
    public void close() {
      started.forEach(each -> each.destroyForcibly().onExit().join());
    }
  }
}
