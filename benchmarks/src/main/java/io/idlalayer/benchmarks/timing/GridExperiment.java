package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateRules;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.Draw;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Table (a): every rule on the synthetic grid against the exact optimum of the same model.
 * Arguments: {@code one|many} [samples] [seeds].
 */
public final class GridExperiment {
  private GridExperiment() {}

  /** One rule on one instance. */
  record Cell(
      RuleGrid.Instance instance,
      String rule,
      double total,
      double controllable,
      double latency,
      double machine) {}

  public static void main(String[] args) {
    Machine machine = Machine.valueOf(args[0].toUpperCase(Locale.ROOT));
    int n = args.length > 1 ? Integer.parseInt(args[1]) : machine == Machine.ONE ? 2_000 : 10_000;
    int seeds = args.length > 2 ? Integer.parseInt(args[2]) : machine == Machine.ONE ? 1 : 2;
    List<RuleGrid.Instance> instances = RuleGrid.instances(machine, n, seeds);
    List<Cell> cells =
        instances.parallelStream().flatMap(each -> solve(each, machine).stream()).toList();
    System.out.printf(
        Locale.ROOT,
        "%d instances, n=%,d, %d seeds, machine %s. Cells: mean / 95th / max.%n%n",
        instances.size(),
        n,
        seeds,
        machine.name().toLowerCase(Locale.ROOT));
    print(cells);
    periodComparison(cells);
    System.out.println("\nWorst instances of adaptive:\n");
    cells.stream()
        .filter(cell -> cell.rule().equals("adaptive"))
        .sorted(java.util.Comparator.comparingDouble(Cell::total).reversed())
        .limit(8)
        .forEach(
            cell ->
                System.out.printf(
                    Locale.ROOT,
                    "- %.3f (controllable %.3f): %s%n",
                    cell.total(),
                    cell.controllable(),
                    cell.instance()));
  }

  private static List<Cell> solve(RuleGrid.Instance instance, Machine machine) {
    ArrivalTrace trace = instance.trace();
    ScheduleCosts costs = instance.costs();
    ReplayLab lab = new ReplayLab(trace, costs, machine);
    Map<String, RuleOutcome> outcomes = new LinkedHashMap<>();
    for (RuleName rule :
        new RuleName[] {
          RuleName.PAPER, RuleName.DLA, RuleName.AREA, RuleName.BEST_EFFORT, RuleName.SPECULATIVE,
        }) {
      outcomes.put(rule.key(), lab.run(UpdateSettings.of(rule, costs.weight())));
    }
    outcomes.put(
        "dla, newest included",
        lab.run(
            UpdateSettings.of(RuleName.DLA, costs.weight())
                .with(Tuning.defaults().withIncludeNewest(true))));
    for (Draw draw : Draw.values()) {
      outcomes.put(
          "dla-random per " + draw.name().toLowerCase(Locale.ROOT), random(lab, costs, draw));
    }
    double best = lab.bestPeriodSeconds();
    outcomes.put("periodic, best in hindsight", lab.run(periodic(costs, best)));
    double eoq = Math.sqrt(2 * costs.updateCost() * trace.spanSeconds() / trace.arrivals());
    outcomes.put("periodic, economic order quantity", lab.run(periodic(costs, eoq)));
    outcomes.put("periodic, 10 mean gaps", lab.run(periodic(costs, 10)));
    outcomes.put("count, best in hindsight", lab.run(count(costs, lab.bestCount())));
    outcomes.put(
        "adaptive without guard",
        new VirtualRun(
                RuleName.ADAPTIVE,
                new Certificate(RuleCosts.of(costs)),
                certificate -> UpdateRules.unguardedAdaptive(certificate, machine == Machine.ONE),
                costs,
                machine)
            .run("adaptive without guard", trace));
    outcomes.put("best single expert in hindsight", bestExpert(trace, costs, machine));
    outcomes.put("adaptive", lab.run(UpdateSettings.of(RuleName.ADAPTIVE, costs.weight())));
    ReplayLab.Optimum optimum = lab.optimum(new ArrayList<>(outcomes.values()));
    if (!optimum.exact()) {
      throw new IllegalStateException("no exact optimum for " + instance);
    }
    double latency = optimum.cost();
    List<Cell> cells = new ArrayList<>();
    outcomes.forEach(
        (name, outcome) ->
            cells.add(
                new Cell(
                    instance,
                    name,
                    lab.totalRatio(outcome, optimum),
                    lab.controllableRatio(outcome, optimum),
                    outcome.meanLatencySeconds() * trace.arrivals() / latency,
                    costs.weight() * outcome.machineSeconds() / latency)));
    return cells;
  }

  /** The floor of the family that the adaptive rule learns from. */
  private static RuleOutcome bestExpert(ArrivalTrace trace, ScheduleCosts costs, Machine machine) {
    RuleOutcome best = null;
    for (int expert = 0; expert < UpdateRules.experts(); expert++) {
      int one = expert;
      RuleOutcome outcome =
          new VirtualRun(
                  RuleName.ADAPTIVE,
                  new Certificate(RuleCosts.of(costs)),
                  certificate -> UpdateRules.expert(one, certificate, machine == Machine.ONE),
                  costs,
                  machine)
              .run("expert " + expert, trace);
      if (best == null || outcome.cost() < best.cost()) {
        best = outcome;
      }
    }
    return java.util.Objects.requireNonNull(best);
  }

  /** The mean of eight seeds. */
  private static RuleOutcome random(ReplayLab lab, ScheduleCosts costs, Draw draw) {
    double cost = 0;
    double latency = 0;
    double machine = 0;
    int seeds = 8;
    for (int seed = 1; seed <= seeds; seed++) {
      RuleOutcome outcome =
          lab.run(
              UpdateSettings.of(RuleName.DLA_RANDOM, costs.weight())
                  .with(Tuning.defaults().withDraw(draw).withSeed(seed)));
      cost += outcome.cost() / seeds;
      latency += outcome.meanLatencySeconds() / seeds;
      machine += outcome.machineSeconds() / seeds;
    }
    return new RuleOutcome("", cost, latency, 0, 0, machine, 0, 0);
  }

  private static UpdateSettings periodic(ScheduleCosts costs, double seconds) {
    return UpdateSettings.of(RuleName.PERIODIC, costs.weight())
        .with(Tuning.defaults().withPeriodSeconds(seconds));
  }

  private static UpdateSettings count(ScheduleCosts costs, int count) {
    return UpdateSettings.of(RuleName.COUNT, costs.weight())
        .with(Tuning.defaults().withCount(count));
  }

  private static void print(List<Cell> cells) {
    List<String> rules = cells.stream().map(Cell::rule).distinct().toList();
    System.out.println(
        "| rule | total ratio | controllable ratio | latency / J* | machine / J* |\n"
            + "|---|---|---|---|---|");
    for (String rule : rules) {
      List<Cell> own = cells.stream().filter(cell -> cell.rule().equals(rule)).toList();
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %s | %.3f | %.3f |%n",
          rule,
          summary(own, true).text(),
          summary(own, false).text(),
          own.stream().mapToDouble(Cell::latency).average().orElse(0),
          own.stream().mapToDouble(Cell::machine).average().orElse(0));
    }
    split(cells, rules, "family, total ratio", cell -> cell.instance().family().label(), true);
    split(cells, rules, "G, total ratio", cell -> String.valueOf(cell.instance().g()), true);
    split(cells, rules, "G, controllable", cell -> String.valueOf(cell.instance().g()), false);
    split(cells, rules, "w, total ratio", cell -> "" + cell.instance().costs().weight(), true);
  }

  private static void split(
      List<Cell> cells,
      List<String> rules,
      String by,
      java.util.function.Function<Cell, String> key,
      boolean total) {
    List<String> columns = cells.stream().map(key).distinct().toList();
    System.out.printf(
        "%n| rule \\ %s | %s |%n|---|%s%n",
        by, String.join(" | ", columns), "---|".repeat(columns.size()));
    for (String rule : rules) {
      StringBuilder row = new StringBuilder("| " + rule);
      for (String column : columns) {
        Predicate<Cell> own = cell -> cell.rule().equals(rule) && key.apply(cell).equals(column);
        row.append(" | ").append(summary(cells.stream().filter(own).toList(), total).text());
      }
      System.out.println(row.append(" |"));
    }
  }

  /** What adaptive saves against the best period chosen in hindsight, family by G. */
  private static void periodComparison(List<Cell> cells) {
    for (boolean total : new boolean[] {true, false}) {
      List<Double> gs = cells.stream().map(cell -> cell.instance().g()).distinct().toList();
      System.out.printf(
          "%n| adaptive against the best period, mean %s cost, %% \\ G |%s%n|---|%s%n",
          total ? "total" : "controllable",
          gs.stream().map(g -> " " + g + " |").reduce("", String::concat) + " all |",
          "---|".repeat(gs.size() + 1));
      for (ArrivalFamily family : ArrivalFamily.values()) {
        StringBuilder row = new StringBuilder("| " + family.label() + " |");
        for (Double g : gs) {
          row.append(saved(cells, family, g, total));
        }
        System.out.println(row.append(saved(cells, family, Double.NaN, total)));
      }
    }
  }

  private static String saved(List<Cell> cells, ArrivalFamily family, double g, boolean total) {
    Predicate<Cell> here =
        cell -> cell.instance().family() == family && (Double.isNaN(g) || cell.instance().g() == g);
    double adaptive =
        summary(
                cells.stream().filter(here).filter(c -> c.rule().equals("adaptive")).toList(),
                total)
            .mean();
    double period =
        summary(
                cells.stream()
                    .filter(here)
                    .filter(c -> c.rule().equals("periodic, best in hindsight"))
                    .toList(),
                total)
            .mean();
    return String.format(Locale.ROOT, " %+.1f |", 100 * (adaptive / period - 1));
  }

  private static Summary summary(List<Cell> cells, boolean total) {
    return Summary.of(
        cells.stream().mapToDouble(cell -> total ? cell.total() : cell.controllable()).toArray());
  }
}
