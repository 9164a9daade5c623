package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.OneMachineOptimum;
import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/** Table (d): how long the exact optima take. Median of seven after a warm-up. */
public final class SolverExperiment {
  private static final int REPEATS = 7;

  private SolverExperiment() {}

  public static void main(String[] args) {
    ScheduleCosts costs = new ScheduleCosts(0.02, 3, 10);
    System.out.println(
        "| optimum | samples | milliseconds, median (least..most) | exact |\n|---|---|---|---|");
    for (int n : new int[] {10_000, 100_000, 1_000_000}) {
      ArrivalTrace trace = ArrivalFamily.POISSON.generate(n, new SplittableRandom(1));
      row("trainings may overlap", n, () -> overlap(trace, costs) > 0);
    }
    for (int n : new int[] {1_000, 3_000, 10_000, 100_000}) {
      ArrivalTrace trace = ArrivalFamily.POISSON.generate(n, new SplittableRandom(1));
      ReplayLab lab = new ReplayLab(trace, costs, Machine.ONE);
      double known =
          lab.run(UpdateSettings.of(RuleName.AREA, costs.weight())).cost()
              - trace.arrivals() * costs.unavoidable();
      double[] seconds = trace.seconds();
      row(
          "one machine",
          n,
          () -> OneMachineOptimum.of(seconds, costs, known + 1e-3, 2_000_000_000L).exact());
    }
  }

  private static double overlap(ArrivalTrace trace, ScheduleCosts costs) {
    OverlapOptimum optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    for (int run = 0; run < trace.runs(); run++) {
      optimum.arrived(trace.timeNanos(run), trace.count(run));
    }
    return optimum.cost();
  }

  private static void row(String name, int n, java.util.function.BooleanSupplier solve) {
    boolean exact = true;
    double[] millis = new double[REPEATS];
    for (int i = -3; i < REPEATS; i++) {
      long start = System.nanoTime();
      exact &= solve.getAsBoolean();
      if (i >= 0) {
        millis[i] = (System.nanoTime() - start) / 1e6;
      }
    }
    Arrays.sort(millis);
    System.out.printf(
        Locale.ROOT,
        "| %s | %,d | %.2f (%.2f..%.2f) | %s |%n",
        name,
        n,
        millis[REPEATS / 2],
        millis[0],
        millis[REPEATS - 1],
        exact);
  }
}
