package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.quality.CpuTime;
import io.idlalayer.benchmarks.tensors.Medians;
import io.idlalayer.middleware.embedding.Expiry;
import io.idlalayer.middleware.embedding.Pooling;
import io.idlalayer.middleware.embedding.RowBatch;
import io.idlalayer.middleware.embedding.RowPolicyName;
import io.idlalayer.middleware.embedding.RowSettings;
import io.idlalayer.middleware.embedding.RowTables;
import io.idlalayer.middleware.embedding.RowUpdater;
import io.idlalayer.middleware.sample.IdLists;
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
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.EngineName;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * What a training of a DLRM costs with some of its rows in DRAM, against all of them: made-up
 * clicks in updates, each trained by both in turns, with rows in RocksDB. REAL: only wall time and
 * processor time.
 */
@CommandLine.Command(name = "DlrmExperiment", mixinStandardHelpOptions = true)
public final class DlrmExperiment implements Callable<Integer> {
  private static final double BAR = 1.25;
  private static final double NANOS = 1e9;
  private static final long ENOUGH_BYTES = 8L << 30;

  @Option(names = "--rows", description = "ids of the largest table")
  private int rows = 1_000_000;

  @Option(names = "--dim", description = "floats of a row's vector")
  private int dim = 16;

  @Option(names = "--share", description = "of the bytes of all rows in DRAM")
  private double share = 0.1;

  @Option(names = "--samples", description = "of an update")
  private int samples = 2_048;

  @Option(names = "--updates", description = "that count; as many before them do not")
  private int updates = 60;

  @Option(
      names = "--slow",
      description = "folder for RocksDB's files, which stay (default: a new one, deleted)")
  private @Nullable Path slow;

  /** What the parts of an update took. */
  private record Times(double gather, double train, double commit, double cpu) {
    double all() {
      return gather + train + commit;
    }
  }

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

    Times update(int number, List<TrainingRow> batch) throws Exception {
      List<IdLists> ids = batch.stream().map(row -> row.sample().ids()).toList();
      long cpu = CpuTime.nanos();
      long begin = System.nanoTime();
      RowBatch gathered = tables.gatherToTrain(ids, List.of());
      long trains = System.nanoTime();
      TrainingResult result =
          trainer.train(
              new TrainingRequest(model, new TrainingBatch(number, batch), number, gathered));
      long commits = System.nanoTime();
      model = result.model();
      tables.commit(Objects.requireNonNull(result.rows()), number);
      tables.maintain(number);
      long end = System.nanoTime();
      return new Times(
          (trains - begin) / NANOS,
          (commits - trains) / NANOS,
          (end - commits) / NANOS,
          (CpuTime.nanos() - cpu) / NANOS);
    }
  }

  /** Runs it. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new DlrmExperiment()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    ModelSpec spec = spec();
    List<Sample> events = events(spec.schema(), 2 * updates * samples);
    Path folder = slow == null ? Files.createTempDirectory("idla-dlrm") : slow;
    try {
      return run(spec, events, folder);
    } finally {
      if (slow == null) {
        RowsCommand.delete(folder);
      }
    }
  }

  private int run(ModelSpec spec, List<Sample> events, Path folder) throws Exception {
    Files.createDirectories(folder);
    try (RocksDbRowStore wholeStore = new RocksDbRowStore(folder.resolve("whole"));
        RocksDbRowStore partStore = new RocksDbRowStore(folder.resolve("part"));
        Trainer wholeTrainer = trainer(spec);
        Trainer partTrainer = trainer(spec)) {
      long partBytes = (long) (share * differentIds(events) * payloadBytes());
      List<Lane> lanes =
          List.of(
              new Lane("all rows in DRAM", tables(spec, ENOUGH_BYTES, wholeStore), wholeTrainer),
              new Lane("a part of them", tables(spec, partBytes, partStore), partTrainer));
      for (int update = 1; update <= 2 * updates; update++) {
        List<TrainingRow> batch = batch(events, update);
        for (int i = 0; i < lanes.size(); i++) {
          Lane lane = lanes.get(update % 2 == 0 ? i : lanes.size() - 1 - i);
          Times times = lane.update(update, batch);
          if (update > updates) {
            lane.times.add(times);
          }
        }
      }
      return tell(lanes);
    }
  }

  private List<TrainingRow> batch(List<Sample> events, int update) {
    int from = (update - 1) * samples;
    return IntStream.range(from, from + samples)
        .mapToObj(i -> new TrainingRow(i, events.get(i), 1, Float.NaN, true))
        .toList();
  }

  private static Trainer trainer(ModelSpec spec) {
    return EngineChoice.of(EngineName.ONEDNN, spec, null).trainer("clicks", false);
  }

  private static RowTables tables(ModelSpec spec, long fastBytes, RocksDbRowStore store) {
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
        IntStream.rangeClosed(1, CriteoEvents.FEATURES)
            .mapToObj(i -> new IdFeature("c" + i, 1))
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
        new ModelSpec.Fit(128, 1, ModelSpec.Updater.ADAM, 0.001, 0),
        true,
        new ModelSpec.Embeddings(
            ids.stream().map(id -> new ModelSpec.Table(id.name(), dim)).toList(),
            IntStream.range(0, ids.size())
                .mapToObj(i -> new ModelSpec.Use(i, Pooling.SUM))
                .toList(),
            new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.05, 0.01)));
  }

  private List<Sample> events(SampleSchema schema, int count) throws Exception {
    CriteoEvents drawn = new CriteoEvents(rows, 1.05, count, 1);
    SampleDecoder decoder = new CriteoTsvSampleDecoder(schema);
    List<Sample> events = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] line = drawn.next(CriteoEvents.Format.TSV).getBytes(StandardCharsets.UTF_8);
      events.add(decoder.decode(line));
    }
    return events;
  }

  private int tell(List<Lane> lanes) {
    System.out.printf(
        Locale.ROOT, "%d updates of %,d samples, vectors of %d:%n%n", updates, samples, dim);
    System.out.println(
        "| REAL | rows | in DRAM | hit rate | gather, ms | train, ms | commit, ms | all, ms |"
            + " CPU of the thread, ms |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (Lane lane : lanes) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %,d | %,d | %.4f | %.2f | %.2f | %.2f | %.2f | %.2f |%n",
          lane.name,
          lane.tables.usage().rows(),
          lane.tables.usage().hotRows(),
          lane.tables.usage().hitRate(),
          1e3 * Medians.of(lane.times.stream().mapToDouble(Times::gather).toArray()),
          1e3 * Medians.of(lane.times.stream().mapToDouble(Times::train).toArray()),
          1e3 * Medians.of(lane.times.stream().mapToDouble(Times::commit).toArray()),
          1e3 * Medians.of(lane.times.stream().mapToDouble(Times::all).toArray()),
          1e3 * Medians.of(lane.times.stream().mapToDouble(Times::cpu).toArray()));
    }
    double[] wall = new double[updates];
    double[] cpu = new double[updates];
    Arrays.setAll(wall, i -> lanes.get(1).times.get(i).all() / lanes.get(0).times.get(i).all());
    Arrays.setAll(cpu, i -> lanes.get(1).times.get(i).cpu() / lanes.get(0).times.get(i).cpu());
    boolean met = Medians.of(wall) <= BAR;
    System.out.printf(
        Locale.ROOT,
        "%n- a part / all: %.2f (%.2f by CPU time), at most %.2f asked: %s%n",
        Medians.of(wall),
        Medians.of(cpu),
        BAR,
        met ? "met" : "MISSED");
    return met ? 0 : 1;
  }
}
