package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.rows.RowsExperiment.Effort;
import io.idlalayer.benchmarks.rows.RowsExperiment.Outcome;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * What it costs that rows do not begin at lines of the processor's cache: the same rows outside the
 * heap, at lines and 16 bytes behind them, and in an array of the heap, whose numbers begin 16
 * bytes behind a multiple of 8. REAL: only wall time and processor time.
 */
final class AlignmentExperiment {
  /** Of the head of an array of the heap. */
  private static final int HEAD_BYTES = 16;

  private static final long SEED = 2;

  private final BenchTable table;
  private final Effort effort;

  AlignmentExperiment(BenchTable table, Effort effort) {
    this.table = table;
    this.effort = effort;
  }

  /** Measures all and prints tables and quotients. */
  void run(double exponent, PrintWriter out) {
    List<RowsContender> contenders =
        List.of(
            new OutsideContender(table, 0),
            new OutsideContender(table, HEAD_BYTES),
            new ArrayContender(table));
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
          "- at lines / 16 bytes behind: %.3f (%.3f by CPU time)%n"
              + "- at lines / float[]: %.3f (%.3f)%n%n",
          RowsExperiment.ratio(outcomes.get(0), outcomes.get(1)),
          RowsExperiment.cpuRatio(outcomes.get(0), outcomes.get(1)),
          RowsExperiment.ratio(outcomes.get(0), outcomes.get(2)),
          RowsExperiment.cpuRatio(outcomes.get(0), outcomes.get(2)));
      out.flush();
    }
  }
}
