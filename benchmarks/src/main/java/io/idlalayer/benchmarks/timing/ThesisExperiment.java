package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Table (b): Rang 2021 claims a latency of 1.32 times the optimal. Poisson arrivals at 1/s, eps 2,
 * lambda 0.02, trainings may overlap, 40 seeds; latency against that of the schedule of least cost.
 */
public final class ThesisExperiment {
  private static final int SEEDS = 40;

  private ThesisExperiment() {}

  public static void main(String[] args) {
    System.out.println(
        "| w | n | dla latency | area latency | paper latency | adaptive latency | dla cost | area cost | paper cost | adaptive cost |\n"
            + "|---|---|---|---|---|---|---|---|---|---|");
    RuleName[] rules = {RuleName.DLA, RuleName.AREA, RuleName.PAPER, RuleName.ADAPTIVE};
    for (double w : new double[] {0.5, 1, 2, 3, 10, 30, 100}) {
      for (int n : new int[] {200, 400, 600}) {
        StringBuilder latencies = new StringBuilder();
        StringBuilder prices = new StringBuilder();
        for (RuleName rule : rules) {
          double[] ratios = ratios(rule, new ScheduleCosts(0.02, 2, w), n);
          latencies.append(String.format(Locale.ROOT, " %.3f |", ratios[0]));
          prices.append(String.format(Locale.ROOT, " %.3f |", ratios[1]));
        }
        System.out.printf(Locale.ROOT, "| %s | %d |%s%s%n", w, n, latencies, prices);
      }
    }
  }

  private static double[] ratios(RuleName rule, ScheduleCosts costs, int n) {
    double latency = 0;
    double cost = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      ArrivalTrace trace = ArrivalFamily.POISSON.generate(n, new SplittableRandom(seed));
      OverlapSchedule best = OverlapSchedule.of(trace.seconds(), costs);
      RuleOutcome outcome =
          new VirtualRun(UpdateSettings.of(rule, costs.weight()), costs, Machine.MANY)
              .run(rule.key(), trace);
      latency += outcome.meanLatencySeconds() * n / best.latencySeconds() / SEEDS;
      cost +=
          outcome.cost() / (best.latencySeconds() + costs.weight() * best.machineSeconds()) / SEEDS;
    }
    return new double[] {latency, cost};
  }
}
