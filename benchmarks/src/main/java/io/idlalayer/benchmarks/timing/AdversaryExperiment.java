package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateRules;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Table (f): the largest total ratio that any rule can be made to pay. Random instances with gaps
 * of every kind and costs of every scale, half of them answering the last commit of the learned
 * rule; then the adversary that does the opposite of what the rule expects. Arguments: [instances].
 */
public final class AdversaryExperiment {
  private static final List<RuleName> RULES =
      List.of(RuleName.DLA, RuleName.AREA, RuleName.ADAPTIVE, RuleName.PAPER, RuleName.BEST_EFFORT);

  private AdversaryExperiment() {}

  public static void main(String[] args) {
    long instances = args.length > 0 ? Long.parseLong(args[0]) : 1_000_000;
    for (Machine machine : Machine.values()) {
      long count = machine == Machine.MANY ? instances : instances / 4;
      Map<String, Double> worst =
          LongStream.range(0, count)
              .parallel()
              .mapToObj(seed -> instance(seed, machine))
              .collect(
                  () -> new TreeMap<String, Double>(),
                  AdversaryExperiment::keep,
                  (a, b) -> b.forEach((k, v) -> a.merge(k, v, Math::max)));
      System.out.printf(
          Locale.ROOT,
          "%n%,d instances, machine %s%n%n| rule | largest total ratio |%n|---|---|%n",
          count,
          machine.name().toLowerCase(Locale.ROOT));
      worst.forEach(
          (rule, ratio) -> System.out.printf(Locale.ROOT, "| %s | %.6g |%n", rule, ratio));
    }
    contrary();
  }

  private static void keep(Map<String, Double> worst, Map<String, Double> one) {
    one.forEach((rule, ratio) -> worst.merge(rule, ratio, Math::max));
  }

  private static Map<String, Double> instance(long seed, Machine machine) {
    SplittableRandom random = new SplittableRandom(seed);
    ScheduleCosts costs =
        new ScheduleCosts(
            random.nextBoolean() ? 0 : Math.pow(10, random.nextDouble() * 3 - 2.7),
            Math.pow(10, random.nextDouble() * 3 - 2),
            Math.pow(10, random.nextDouble() * 3 - 1));
    double[] arrivals =
        random.nextBoolean()
            ? random(random)
            : ArrivalAdversary.arrivals(costs, 1 + random.nextInt(30), 6, seed, true);
    ReplayLab lab = new ReplayLab(ArrivalTrace.ofSeconds(arrivals), costs, machine);
    List<RuleOutcome> outcomes = new ArrayList<>();
    RULES.forEach(rule -> outcomes.add(lab.run(UpdateSettings.of(rule, costs.weight()))));
    ReplayLab.Optimum optimum = lab.optimum(outcomes);
    Map<String, Double> ratios = new TreeMap<>();
    outcomes.forEach(outcome -> ratios.put(outcome.rule(), lab.totalRatio(outcome, optimum)));
    return ratios;
  }

  private static double[] random(SplittableRandom random) {
    double[] arrivals = new double[1 + random.nextInt(random.nextBoolean() ? 8 : 40)];
    double now = 0;
    for (int i = 0; i < arrivals.length; i++) {
      now +=
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(6);
            case 2 -> random.nextDouble();
            default -> Math.pow(10, random.nextDouble() * 6 - 3);
          };
      arrivals[i] = now;
    }
    return arrivals;
  }

  private static void contrary() {
    System.out.println(
        "\nThe adversary that does the opposite of what the rule expects, machine many\n\n"
            + "| lambda | w | samples | patience | unguarded | guarded |\n|---|---|---|---|---|---|");
    for (double lambda : new double[] {0, 0.02}) {
      for (double w : new double[] {10, 100}) {
        for (int samples : new int[] {100, 1000}) {
          for (double patience : new double[] {0.5, 2}) {
            ScheduleCosts costs = new ScheduleCosts(lambda, 0.1, w);
            double[] arrivals = ArrivalAdversary.contrary(costs, samples, patience);
            System.out.printf(
                Locale.ROOT,
                "| %s | %s | %d | %s | %.3f | %.3f |%n",
                lambda,
                w,
                samples,
                patience,
                adaptive(arrivals, costs, false),
                adaptive(arrivals, costs, true));
          }
        }
      }
    }
  }

  /** Cost of the learned rule, with its guard or without, by that of the optimum. */
  static double adaptive(double[] arrivals, ScheduleCosts costs, boolean guarded) {
    ArrivalTrace trace = ArrivalTrace.ofSeconds(arrivals);
    double cost =
        new VirtualRun(
                RuleName.ADAPTIVE,
                new Certificate(RuleCosts.of(costs)),
                certificate ->
                    guarded
                        ? UpdateRules.of(
                            UpdateSettings.of(RuleName.ADAPTIVE, costs.weight()),
                            certificate,
                            false)
                        : UpdateRules.unguardedAdaptive(certificate, false),
                costs,
                Machine.MANY)
            .run("", trace)
            .cost();
    OverlapOptimum optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    for (int run = 0; run < trace.runs(); run++) {
      optimum.arrived(trace.timeNanos(run), trace.count(run));
    }
    return cost / (optimum.cost() + trace.arrivals() * costs.unavoidable());
  }
}
