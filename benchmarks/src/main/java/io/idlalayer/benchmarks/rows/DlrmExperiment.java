package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * What a training of a DLRM costs with some of its rows in DRAM, against all of them: made-up
 * clicks in updates, each trained by both in turns, with rows in keyed state of a job. REAL: only
 * wall time and processor time.
 */
@CommandLine.Command(name = "DlrmExperiment", mixinStandardHelpOptions = true)
public final class DlrmExperiment implements Callable<Integer> {
  private static final double BAR = 1.25;
  private static final double NANOS = 1e9;

  /** Samples that a learner tests at once. */
  private static final int MICRO_BATCH = 256;

  private static final long ENOUGH_BYTES = 8L << 30;

  @Option(names = "--rows", description = "ids of the largest table")
  private int rows = 1_000_000;

  @Option(names = "--dim", description = "floats of a row's vector")
  private int dim = 16;

  @Option(names = "--share", description = "of the bytes of all rows in DRAM")
  private double share = 0.1;

  @Option(names = "--samples", description = "of an update")
  private int samples = 2_048;

  @Option(names = "--mini-batch", description = "samples of a mini-batch (default 512)")
  private int miniBatch = 512;

  @Option(names = "--updates", description = "that count; as many before them do not")
  private int updates = 60;

  @Option(names = "--store-memory", description = "MiB for RocksDB (default 256)")
  private long storeMemory = 256;

  @Option(names = "--slow", description = "folder for a new one with RocksDB's files, deleted")
  private @Nullable Path slow;

  /**
   * The durations of the parts of an update, in seconds.
   *
   * @param gather time until the trainer had its rows
   * @param train time of the trainer alone
   * @param commit time from the end of the training, or of the operator's work during it
   * @param late time from the end of the training until the operator was free
   * @param all time from the decision to the end of the commit
   * @param operatorCpu processor time of the thread that reads and writes rows
   * @param trainerCpu processor time of the thread that trains
   * @param pathCpu processor time of both, without the operator's work during the training
   */
  private record Times(
      double gather,
      double train,
      double commit,
      double late,
      double all,
      double operatorCpu,
      double trainerCpu,
      double pathCpu) {}

  /** A training with what it took. */
  private record Trained(TrainingResult result, long endNanos, double seconds, double cpu) {}

  /** Tables with the network that is trained on them. */
  private static final class Lane {
    final String name;
    final RowTables tables;
    final Trainer trainer;
    final List<Times> times = new ArrayList<>();
    @Nullable ModelArtifact model;

    Lane(String name, RowTables tables, Trainer trainer) {
      this.name = name;
      this.tables = tables;
      this.trainer = trainer;
    }

    private Trained train(int number, List<TrainingRow> batch, RowBatch gathered) throws Exception {
      long cpu = CpuTime.nanos();
      long begin = System.nanoTime();
      TrainingResult result =
          trainer.train(
              new TrainingRequest(model, new TrainingBatch(number, batch), number, gathered));
      long end = System.nanoTime();
      return new Trained(result, end, (end - begin) / NANOS, (CpuTime.nanos() - cpu) / NANOS);
    }

    private void commit(int number, TrainingResult result) {
      model = result.model();
      tables.commit(Objects.requireNonNull(result.rows()), number);
    }

    /** One thread does everything, and nothing is known of the samples before. */
    Times serially(int number, List<TrainingRow> batch) throws Exception {
      long cpu = CpuTime.nanos();
      long begin = System.nanoTime();
      RowBatch gathered = tables.gatherToTrain(ids(batch), List.of());
      long trains = System.nanoTime();
      Trained trained = train(number, batch, gathered);
      commit(number, trained.result());
      tables.write();
      tables.maintain(number);
      long end = System.nanoTime();
      return new Times(
          (trains - begin) / NANOS,
          trained.seconds(),
          (end - trained.endNanos()) / NANOS,
          0,
          (end - begin) / NANOS,
          (CpuTime.nanos() - cpu) / NANOS - trained.cpu(),
          trained.cpu(),
          (CpuTime.nanos() - cpu) / NANOS);
    }

    /**
     * Runs an update as a learner does: while another thread trains, this thread writes rows and
     * tests the samples of the next update.
     *
     * @param next the samples of the next update
     */
    Times asInAJob(
        ExecutorService trains, int number, List<TrainingRow> batch, List<TrainingRow> next)
        throws Exception {
      long cpu = CpuTime.nanos();
      long begin = System.nanoTime();
      RowBatch gathered = tables.gatherToTrain(ids(batch), List.of());
      Future<Trained> training = trains.submit(() -> train(number, batch, gathered));
      long handed = System.nanoTime();
      long overlaps = CpuTime.nanos();
      tables.write();
      tables.maintain(number);
      test(next);
      long overlapping = CpuTime.nanos() - overlaps;
      long free = System.nanoTime();
      Trained trained = training.get();
      long commits = System.nanoTime();
      commit(number, trained.result());
      long end = System.nanoTime();
      double operatorCpu = (CpuTime.nanos() - cpu) / NANOS;
      return new Times(
          (handed - begin) / NANOS,
          trained.seconds(),
          (end - commits) / NANOS,
          Math.max(0, free - trained.endNanos()) / NANOS,
          (end - begin) / NANOS,
          operatorCpu,
          trained.cpu(),
          operatorCpu - overlapping / NANOS + trained.cpu());
    }

    /** Gathers the rows of samples as the tests before their training do. */
    void test(List<TrainingRow> rows) {
      List<IdLists> all = ids(rows);
      for (int from = 0; from < all.size(); from += MICRO_BATCH) {
        tables.gather(all.subList(from, Math.min(all.size(), from + MICRO_BATCH)));
      }
    }

    private static List<IdLists> ids(List<TrainingRow> rows) {
      return rows.stream().map(row -> row.sample().ids()).toList();
    }
  }

  /** Runs it. */
  public static void main(String[] arguments) {
    Experiment.run(new DlrmExperiment(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    ModelSpec spec = spec();
    List<Sample> events = events(spec.schema(), 2 * updates * samples);
    try (WorkFolder folder = WorkFolder.in(slow, "idla-dlrm")) {
      return run(spec, events, folder.path());
    }
  }

  /** Both ways on the same events, each with stores of its own. */
  private int run(ModelSpec spec, List<Sample> events, Path folder) throws Exception {
    System.out.printf(
        Locale.ROOT,
        "%d updates of %,d samples in mini-batches of %d, vectors of %d:%n%n",
        updates,
        samples,
        miniBatch,
        dim);
    System.out.println(
        "| REAL | rows | in DRAM | hit rate | gather, ms | train, ms | late, ms | commit, ms |"
            + " all, ms | CPU: operator, ms | trainer, ms | without what overlaps, ms |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|");
    List<Lane> serial = run(spec, events, folder.resolve("serial"), false);
    List<Lane> job = run(spec, events, folder.resolve("job"), true);
    System.out.println();
    tell("in one thread, tested nowhere", serial);
    boolean met = tell("as in a job", job);
    System.out.printf(
        Locale.ROOT, "- as in a job, at most %.2f asked: %s%n", BAR, met ? "met" : "MISSED");
    return met ? 0 : 1;
  }

  private List<Lane> run(ModelSpec spec, List<Sample> events, Path folder, boolean job)
      throws Exception {
    long memory = storeMemory << 20;
    ExecutorService trains = Executors.newSingleThreadExecutor(work -> new Thread(work, "trainer"));
    try (JobRows wholeStore = new JobRows(folder.resolve("whole"), memory);
        JobRows partStore = new JobRows(folder.resolve("part"), memory);
        Trainer wholeTrainer = trainer(spec);
        Trainer partTrainer = trainer(spec)) {
      long partBytes = (long) (share * differentIds(events) * payloadBytes());
      List<Lane> lanes = new ArrayList<>();
      lanes.add(
          new Lane(
              "all rows in DRAM", tables(spec, ENOUGH_BYTES, wholeStore.store()), wholeTrainer));
      lanes.add(
          new Lane("a part of them", tables(spec, partBytes, partStore.store()), partTrainer));
      for (int update = 1; update <= 2 * updates; update++) {
        List<TrainingRow> batch = batch(events, update);
        List<TrainingRow> next = update == 2 * updates ? List.of() : batch(events, update + 1);
        for (int i = 0; i < lanes.size(); i++) {
          Lane lane = lanes.get(update % 2 == 0 ? i : lanes.size() - 1 - i);
          Times times =
              job ? lane.asInAJob(trains, update, batch, next) : lane.serially(update, batch);
          if (update > updates) {
            lane.times.add(times);
          }
        }
      }
      lanes.forEach(lane -> tellTimes(job ? "as in a job" : "in one thread", lane));
      return lanes;
    } finally {
      trains.shutdownNow();
    }
  }

  private List<TrainingRow> batch(List<Sample> events, int update) {
    int from = (update - 1) * samples;
    return IntStream.range(from, from + samples)
        .mapToObj(i -> new TrainingRow(i, i, events.get(i), Float.NaN, true))
        .toList();
  }

  private static Trainer trainer(ModelSpec spec) {
    return EngineChoice.of(EngineName.ONEDNN, spec, null).trainer("clicks", false);
  }

  private static RowTables tables(ModelSpec spec, long fastBytes, RowStore store) {
    return new RowTables(
        EmbeddingPlans.of(spec),
        EmbeddingPlans.rule(spec, 1),
        new RowSettings(fastBytes, RowPolicyName.FREQUENCY, 1, Integer.MAX_VALUE, Expiry.NEVER),
        store);
  }

  /** Weights with the sums of Adagrad; key, count, time and steps. */
  private int payloadBytes() {
    return 2 * Float.BYTES * dim + Long.BYTES + 3 * Integer.BYTES;
  }

  private static long differentIds(List<Sample> events) {
    long ids = 0;
    for (int f = 0; f < CriteoEvents.FEATURES; f++) {
      int feature = f;
      ids += events.stream().mapToLong(each -> each.ids().key(feature)).distinct().count();
    }
    return ids;
  }

  private ModelSpec spec() {
    List<IdFeature> ids =
        IntStream.range(0, CriteoEvents.FEATURES)
            .mapToObj(f -> new IdFeature("c" + (f + 1), 1, RowIndex.OPEN))
            .toList();
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            IntStream.rangeClosed(1, CriteoEvents.NUMBERS)
                .mapToObj(i -> DenseFeature.of("i" + i))
                .toList(),
            List.of(),
            ids,
            new Label("label", Task.CLASSIFICATION, List.of("0", "1")),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Dlrm(List.of(64), List.of(64, 32)),
        new ModelSpec.Fit(miniBatch, 1, ModelSpec.Updater.ADAM, 0.001, 0),
        true,
        new ModelSpec.Embeddings(
            ids.stream().map(id -> new ModelSpec.Table(id.name(), dim)).toList(),
            IntStream.range(0, ids.size())
                .mapToObj(i -> new ModelSpec.Use(i, IdPooling.SUM))
                .toList(),
            new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.05, 0.01)));
  }

  private List<Sample> events(SampleSchema schema, int count) throws Exception {
    CriteoEvents drawn = new CriteoEvents(rows, 1.05, count, 1);
    SampleDecoder decoder = new CriteoTsvSampleDecoder(schema, EventEncoding.UTF_8);
    List<Sample> events = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] line = drawn.next(CriteoEvents.Format.TSV).getBytes(StandardCharsets.UTF_8);
      events.add(decoder.decode(line));
    }
    return events;
  }

  private static void tellTimes(String how, Lane lane) {
    System.out.printf(
        Locale.ROOT,
        "| %s, %s | %,d | %,d | %.4f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |%n",
        how,
        lane.name,
        lane.tables.usage(StoreTraffic.NONE).rows(),
        lane.tables.usage(StoreTraffic.NONE).hotRows(),
        lane.tables.usage(StoreTraffic.NONE).hitRate(),
        millis(lane, Times::gather),
        millis(lane, Times::train),
        millis(lane, Times::late),
        millis(lane, Times::commit),
        millis(lane, Times::all),
        millis(lane, Times::operatorCpu),
        millis(lane, Times::trainerCpu),
        millis(lane, Times::pathCpu));
  }

  private static double millis(Lane lane, ToDoubleFunction<Times> part) {
    return 1e3 * Repeats.median(lane.times.stream().mapToDouble(part).toArray());
  }

  /** Tells the quotients, and whether that of all wall time is at most the bar. */
  private boolean tell(String how, List<Lane> lanes) {
    for (Lane lane : lanes.subList(1, lanes.size())) {
      System.out.printf(
          Locale.ROOT,
          "- %s: %s / all %.2f; by CPU time %.2f, with what overlaps %.2f%n",
          how,
          lane.name,
          quotient(lane, lanes.get(0), Times::all),
          quotient(lane, lanes.get(0), Times::pathCpu),
          quotient(lane, lanes.get(0), times -> times.operatorCpu() + times.trainerCpu()));
    }
    return quotient(lanes.get(1), lanes.get(0), Times::all) <= BAR;
  }

  private double quotient(Lane lane, Lane whole, ToDoubleFunction<Times> part) {
    double[] quotients = new double[updates];
    Arrays.setAll(
        quotients,
        i -> part.applyAsDouble(lane.times.get(i)) / part.applyAsDouble(whole.times.get(i)));
    return Repeats.median(quotients);
  }
}
