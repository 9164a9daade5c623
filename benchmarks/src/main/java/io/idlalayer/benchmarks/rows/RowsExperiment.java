package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Repeats;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Measures contenders side by side: they take turns, forth and back, each on ids of the same
 * distribution. Drawing ids is not timed. REAL: only wall time.
 */
final class RowsExperiment {
  private static final double NANOS = 1e9;

  /** Change of a hit rate between turns that is none. */
  private static final double STEADY = 0.003;

  /**
   * The size and duration of an experiment.
   *
   * @param outputs number of outputs of a batch
   * @param accesses number of rows that are added up for an output
   * @param turnSeconds seconds of each turn
   * @param warmUps least number of uncounted turns of each contender; more follow until its hit
   *     rate is steady
   * @param mostWarmUps most uncounted turns of each contender
   * @param turns number of counted turns of each contender
   */
  record Effort(
      int outputs, int accesses, double turnSeconds, int warmUps, int mostWarmUps, int turns) {}

  /**
   * The result of a contender.
   *
   * @param rates lookups per second of each turn
   * @param cpuNanos processor time of its thread for a lookup, in each turn
   * @param reads reads in these turns
   * @param warmUps number of turns before them
   * @param steady whether the hit rate was steady after the warm-up
   */
  record Outcome(
      RowsContender contender,
      double[] rates,
      double[] cpuNanos,
      RowsContender.Reads reads,
      int warmUps,
      boolean steady) {
    double median() {
      return Repeats.median(rates);
    }
  }

  private final Effort effort;
  private final boolean training;
  private final Supplier<IdStream> ids;
  private final float[] sums;
  private final float[] gradients;

  RowsExperiment(BenchTable table, Effort effort, boolean training, Supplier<IdStream> ids) {
    this.effort = effort;
    this.training = training;
    this.ids = ids;
    sums = new float[effort.outputs() * table.dim()];
    gradients = new float[sums.length];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < gradients.length; i++) {
      gradients[i] = (float) random.nextDouble(-1e-3, 1e-3);
    }
  }

  /**
   * Runs all, and returns what they reached, in their order.
   *
   * @param popular ids that each looks up once before its warm-up, so that its DRAM is full
   */
  List<Outcome> run(List<RowsContender> contenders, int[] popular) {
    List<Lane> lanes = new ArrayList<>();
    for (RowsContender each : contenders) {
      Lane lane = new Lane(each, ids.get(), new double[effort.turns()], new double[effort.turns()]);
      fill(each, popular);
      warmUp(lane);
      lane.before = each.reads();
      lanes.add(lane);
    }
    for (int turn = 0; turn < effort.turns(); turn++) {
      for (int i = 0; i < lanes.size(); i++) {
        Lane lane = lanes.get(turn % 2 == 0 ? i : lanes.size() - 1 - i);
        turn(lane, turn);
      }
    }
    return lanes.stream().map(Lane::outcome).toList();
  }

  /** Until the hit rate of a turn is that of the turn two before. */
  private void warmUp(Lane lane) {
    double[] rates = new double[effort.mostWarmUps()];
    while (lane.warmUps < effort.mostWarmUps()
        && !(lane.warmUps >= effort.warmUps() && lane.steady)) {
      RowsContender.Reads before = lane.contender.reads();
      turn(lane, 0);
      rates[lane.warmUps] = lane.contender.reads().since(before).hitRate();
      double change = lane.warmUps < 2 ? 1 : rates[lane.warmUps] - rates[lane.warmUps - 2];
      lane.steady = lane.contender.reads().all() == 0 || Math.abs(change) < STEADY;
      lane.warmUps++;
    }
  }

  private void fill(RowsContender contender, int[] popular) {
    for (int from = 0; from + effort.outputs() <= popular.length; from += effort.outputs()) {
      int[] ids = Arrays.copyOfRange(popular, from, from + effort.outputs());
      contender.lookup(IdBatch.of(ids, 1), sums);
    }
  }

  /** A contender with its ids and what it reached. */
  private static final class Lane {
    final RowsContender contender;
    final IdStream stream;
    final double[] rates;
    final double[] cpuNanos;
    RowsContender.Reads before = RowsContender.Reads.NONE;
    int warmUps;
    boolean steady;

    Lane(RowsContender contender, IdStream stream, double[] rates, double[] cpuNanos) {
      this.contender = contender;
      this.stream = stream;
      this.rates = rates;
      this.cpuNanos = cpuNanos;
    }

    Outcome outcome() {
      return new Outcome(
          contender, rates, cpuNanos, contender.reads().since(before), warmUps, steady);
    }
  }

  /** Writes down what was reached as that of a turn. */
  private void turn(Lane lane, int index) {
    RowsContender contender = lane.contender;
    long nanos = 0;
    long cpuNanos = 0;
    long lookups = 0;
    do {
      IdBatch batch = IdBatch.of(lane.stream, effort.outputs(), effort.accesses());
      Arrays.fill(sums, 0);
      long begin = System.nanoTime();
      long cpuBegin = CpuTime.nanos();
      if (training) {
        contender.train(batch, sums, gradients);
      } else {
        contender.lookup(batch, sums);
      }
      cpuNanos += CpuTime.nanos() - cpuBegin;
      nanos += System.nanoTime() - begin;
      lookups += batch.ids().length;
    } while (nanos < effort.turnSeconds() * NANOS);
    lane.rates[index] = lookups * NANOS / nanos;
    lane.cpuNanos[index] = (double) cpuNanos / lookups;
  }

  /** A table of the outcomes in Markdown. */
  void print(PrintWriter out, List<Outcome> outcomes) {
    out.println(
        "| REAL | lookups/s, millions | 95 % | CPU ns/lookup | hit rate | read ahead | rows in DRAM"
            + " | of them read ahead | bytes/row | turns before |");
    out.println("|---|---|---|---|---|---|---|---|---|---|");
    for (Outcome each : outcomes) {
      double[] interval = Repeats.interval(each.rates());
      RowsContender contender = each.contender();
      RowsContender.Reads reads = each.reads();
      out.printf(
          Locale.ROOT,
          "| %s | %.3f | %.3f..%.3f | %.0f | %s | %s | %,d | %,d | %s | %d%s |%n",
          contender.name(),
          each.median() / 1e6,
          interval[0] / 1e6,
          interval[1] / 1e6,
          Repeats.median(each.cpuNanos()),
          share(reads.hits(), reads.all()),
          share(reads.buffered(), reads.all()),
          contender.residentRows(),
          contender.bufferedRows(),
          contender.residentRows() == 0
              ? "-"
              : String.format(
                  Locale.ROOT, "%.1f", (double) contender.fastBytes() / contender.residentRows()),
          each.warmUps(),
          each.steady() ? "" : ", not steady");
    }
    out.println();
    out.flush();
  }

  private static String share(long part, long all) {
    return all == 0 ? "-" : String.format(Locale.ROOT, "%.4f", (double) part / all);
  }

  /** How many times less processor time one takes than another. */
  static double cpuRatio(Outcome one, Outcome other) {
    return Repeats.median(other.cpuNanos()) / Repeats.median(one.cpuNanos());
  }

  /** How many times the rate of one is that of another; medians of the quotients of each turn. */
  static double ratio(Outcome one, Outcome other) {
    double[] ratios = new double[one.rates().length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = one.rates()[i] / other.rates()[i];
    }
    return Repeats.median(ratios);
  }
}
