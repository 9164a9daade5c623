package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.rows.RowsExperiment.Effort;
import io.idlalayer.benchmarks.rows.RowsExperiment.Outcome;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What lookups, and lookups with updates, cost when no row is missing. REAL: only wall time and
 * processor time.
 */
final class DramExperiment {
  private static final int LOOKED_UP_AT_ONCE = 1 << 16;
  private static final long SEED = 2;

  /** Size of the head of an array on the heap. */
  private static final int HEAD_BYTES = 16;

  private final BenchTable table;
  private final Effort effort;
  private final List<RowsContender> contenders;
  private final List<Quotient> quotients;

  /**
   * The quotient of the rates of two contenders.
   *
   * @param of index of the contender whose rate is divided
   * @param by index of the other
   */
  private record Quotient(String name, int of, int by) {}

  private DramExperiment(
      BenchTable table, Effort effort, List<RowsContender> contenders, List<Quotient> quotients) {
    this.table = table;
    this.effort = effort;
    this.contenders = contenders;
    this.quotients = quotients;
  }

  /** The product's tables with all rows in DRAM, against a plain array. */
  static DramExperiment ofTables(BenchTable table, Effort effort) {
    return new DramExperiment(
        table,
        effort,
        List.of(new ArrayContender(table), whole(table)),
        List.of(new Quotient("all in DRAM / float[]", 1, 0)));
  }

  /**
   * What it costs that rows do not begin at lines of the processor's cache: the same rows outside
   * the heap, at lines and 16 bytes behind them, and in an array of the heap, whose numbers begin
   * 16 bytes behind a multiple of 8.
   */
  static DramExperiment ofAlignment(BenchTable table, Effort effort) {
    return new DramExperiment(
        table,
        effort,
        List.of(
            new OutsideContender(table, 0),
            new OutsideContender(table, HEAD_BYTES),
            new ArrayContender(table)),
        List.of(
            new Quotient("at lines / 16 bytes behind", 0, 1),
            new Quotient("at lines / float[]", 0, 2)));
  }

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

  /** Measures all and prints tables and quotients. */
  void run(double exponent, PrintWriter out) {
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
      for (Quotient each : quotients) {
        Outcome of = outcomes.get(each.of());
        Outcome by = outcomes.get(each.by());
        out.printf(
            Locale.ROOT,
            "- %s: %.3f (%.3f by CPU time)%n",
            each.name(),
            RowsExperiment.ratio(of, by),
            RowsExperiment.cpuRatio(of, by));
      }
      out.println();
      out.flush();
    }
  }
}
