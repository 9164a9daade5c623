package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.rows.RowsExperiment.Effort;
import io.idlalayer.benchmarks.rows.RowsExperiment.Outcome;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What lookups, and lookups with updates, cost when no row is missing: the product's tables with
 * all rows in DRAM, against a plain array. REAL: only wall time and processor time.
 */
final class DramExperiment {
  private static final int LOOKED_UP_AT_ONCE = 1 << 16;
  private static final long SEED = 2;

  private DramExperiment() {}

  /** Tables with all rows of a table in DRAM. */
  static TablesContender whole(BenchTable table) {
    TablesContender whole =
        new TablesContender(
            "RowTables, all in DRAM",
            table,
            RowPolicyName.FREQUENCY,
            2L * table.rows() * table.payloadBytes(),
            ForgetfulStore.withAllRows(table));
    for (int from = 0; from < table.rows(); from += LOOKED_UP_AT_ONCE) {
      int first = from;
      int[] ids = new int[Math.min(LOOKED_UP_AT_ONCE, table.rows() - from)];
      Arrays.setAll(ids, i -> first + i);
      whole.lookup(IdBatch.of(ids, 1), new float[ids.length * table.dim()]);
    }
    return whole;
  }

  /** Measures both and prints tables and quotients. */
  static void run(BenchTable table, Effort effort, double exponent, PrintWriter out) {
    List<RowsContender> contenders = List.of(new ArrayContender(table), whole(table));
    for (boolean training : new boolean[] {false, true}) {
      RowsExperiment experiment =
          new RowsExperiment(
              table, effort, training, () -> IdStream.zipf(table.rows(), exponent, SEED, 0, 0));
      List<Outcome> outcomes = experiment.run(contenders, new int[0]);
      out.printf(
          Locale.ROOT,
          "%s: %d outputs of %d rows a batch, all rows in DRAM:%n%n",
          training ? "Lookups with updates" : "Lookups",
          effort.outputs(),
          effort.accesses());
      experiment.print(out, outcomes);
      out.printf(
          Locale.ROOT,
          "- all in DRAM / float[]: %.3f (%.3f by CPU time)%n%n",
          RowsExperiment.ratio(outcomes.get(1), outcomes.get(0)),
          RowsExperiment.cpuRatio(outcomes.get(1), outcomes.get(0)));
      out.flush();
    }
  }
}
