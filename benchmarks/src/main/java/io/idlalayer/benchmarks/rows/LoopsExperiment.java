package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.quality.CpuTime;
import io.idlalayer.benchmarks.tensors.Medians;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * What lookups and updates of rows in DRAM take, and which part of it the loops over their numbers
 * are, with the loops that this process has: run it with and without {@code
 * IDLA_JAVA_OPTS="--add-modules jdk.incubator.vector"} in turns. A digest of all sums tells whether
 * two runs computed the same bits. REAL: processor time of one thread.
 */
@CommandLine.Command(name = "LoopsExperiment", mixinStandardHelpOptions = true)
public final class LoopsExperiment implements Callable<Integer> {
  private static final int WARM_UPS = 3;
  private static final int BATCHES = 24;
  private static final int OUTPUTS = 1_024;
  private static final int ACCESSES = 26;
  private static final int USES = BATCHES * OUTPUTS * ACCESSES;
  private static final double EXPONENT = 1.05;
  private static final long NOW_SECONDS = 1_800_000_000;

  @Option(names = "--rows", description = "of the table, all in DRAM")
  private int rows = 100_000;

  @Option(names = "--dim", split = ",", description = "numbers of a row; several with commas")
  private List<Integer> dims = List.of(16, 64, 128, 256);

  @Option(names = "--updater", split = ",", description = "one or several with commas")
  private List<RowUpdater> updaters = List.of(RowUpdater.values());

  @Option(names = "--turns", description = "that count; three before them do not")
  private int turns = 7;

  /** Runs it. */
  public static void main(String[] arguments) {
    CommandLine command = new CommandLine(new LoopsExperiment());
    System.exit(command.setCaseInsensitiveEnumValuesAllowed(true).execute(arguments));
  }

  /** Nanoseconds of one turn. */
  private static final class Turn {
    long lookup;
    long fill;
    long update;
    long step;
  }

  @Override
  public Integer call() {
    boolean there = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    System.out.printf(
        "Java %s %s the Vector API%n%n", Runtime.version(), there ? "with" : "without");
    System.out.println(
        "| numbers | updater | lookup: loop | lookup: whole | update: loop | update: whole | sums |");
    System.out.println("|---|---|---|---|---|---|---|");
    for (int dim : dims) {
      for (RowUpdater updater : updaters) {
        measure(dim, updater);
      }
    }
    return 0;
  }

  private void measure(int dim, RowUpdater updater) {
    EmbeddingPlan plan =
        new EmbeddingPlan(
            List.of(new EmbeddingPlan.Table("rows", dim, new RowLayout(dim, updater))),
            List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
            dim,
            dim);
    long rowBytes = 64L + (long) Float.BYTES * plan.tables().get(0).layout().stride();
    RowSettings settings =
        new RowSettings(
            2L * rows * rowBytes, RowPolicyName.FREQUENCY, 1, Integer.MAX_VALUE, Expiry.NEVER);
    RowTables tables = new RowTables(plan, BenchTable.RULE, settings, ForgetfulStore.withoutRows());
    IdStream stream = IdStream.zipf(rows, EXPONENT, 1, 0, 0);
    List<List<IdLists>> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(IdBatch.of(stream, OUTPUTS, ACCESSES).samples());
    }
    float[] sums = new float[OUTPUTS * dim];
    float[] errors = new float[sums.length];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextDouble(-1e-3, 1e-3);
    }
    double[][] nanos = new double[4][turns];
    int digest = 0;
    for (int turn = -WARM_UPS; turn < turns; turn++) {
      Turn taken = new Turn();
      for (List<IdLists> batch : batches) {
        digest = 31 * digest + lookup(tables, batch, sums, taken);
        update(tables, batch, errors, taken);
      }
      if (turn >= 0) {
        nanos[0][turn] = taken.fill;
        nanos[1][turn] = taken.lookup;
        nanos[2][turn] = taken.step;
        nanos[3][turn] = taken.update;
      }
    }
    System.out.printf(
        Locale.ROOT,
        "| %d | %s | %.1f | %.1f | %.1f | %.1f | %08x |%n",
        dim,
        updater,
        Medians.of(nanos[0]) / USES,
        Medians.of(nanos[1]) / USES,
        Medians.of(nanos[2]) / USES,
        Medians.of(nanos[3]) / USES,
        digest);
  }

  /** Returns a digest of the sums. */
  private static int lookup(RowTables tables, List<IdLists> samples, float[] sums, Turn taken) {
    int dim = tables.plan().width();
    Arrays.fill(sums, 0);
    long begin = CpuTime.nanos();
    RowBatch rows = tables.gather(samples);
    long gathered = CpuTime.nanos();
    for (int i = 0; i < samples.size(); i++) {
      rows.fill(samples.get(i), sums, i * dim);
    }
    long end = CpuTime.nanos();
    tables.write();
    taken.fill += end - gathered;
    taken.lookup += end - begin;
    return Arrays.hashCode(sums);
  }

  private static void update(RowTables tables, List<IdLists> samples, float[] errors, Turn taken) {
    long begin = CpuTime.nanos();
    RowBatch rows = tables.gatherToTrain(samples, List.of());
    long gathered = CpuTime.nanos();
    rows.update(samples, errors);
    long updated = CpuTime.nanos();
    tables.commit(rows, NOW_SECONDS);
    tables.write();
    taken.step += updated - gathered;
    taken.update += CpuTime.nanos() - begin;
    while (tables.busy()) {
      tables.maintain(NOW_SECONDS);
    }
  }
}
