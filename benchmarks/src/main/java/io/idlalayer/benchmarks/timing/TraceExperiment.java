package io.idlalayer.benchmarks.timing;

import io.idlalayer.jobs.replay.ArrivalFile;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Table (a) on real arrivals: G = w * eps * rate, w = 10, lambda such that training takes a tenth
 * of the time in the mean. The first {@code most} arrivals of each file. Arguments: FOLDER [most].
 */
public final class TraceExperiment {
  private static final double W = 10;

  private TraceExperiment() {}

  public static void main(String[] args) throws IOException {
    long most = args.length > 1 ? Long.parseLong(args[1]) : 200_000;
    System.out.println(
        "| trace | machine | G | adaptive | area | dla | dla-random | best-effort | speculative | periodic, best in hindsight | count, best in hindsight | paper | exact |\n"
            + "|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    List<Path> files;
    try (Stream<Path> found = Files.list(Path.of(args[0]))) {
      files = found.filter(file -> file.toString().endsWith(".gz")).sorted().toList();
    }
    for (Path file : files) {
      ArrivalTrace trace = head(ArrivalFile.read(file, null).trace(), most);
      double rate = trace.arrivals() / trace.spanSeconds();
      for (Machine machine : Machine.values()) {
        for (double g : new double[] {1, 10, 100, 1000}) {
          double eps = g / (W * rate);
          row(file, trace, new ScheduleCosts(0.1 / rate, eps, W), machine, g);
        }
      }
    }
  }

  private static ArrivalTrace head(ArrivalTrace trace, long most) {
    ArrivalTrace.Builder builder = new ArrivalTrace.Builder();
    long taken = 0;
    for (int run = 0; run < trace.runs() && taken < most; run++) {
      builder.add(trace.timeNanos(run), trace.count(run));
      taken += trace.count(run);
    }
    return builder.build();
  }

  private static void row(
      Path file, ArrivalTrace trace, ScheduleCosts costs, Machine machine, double g) {
    ReplayLab lab = new ReplayLab(trace, costs, machine);
    List<RuleOutcome> outcomes = new ArrayList<>();
    for (RuleName rule :
        new RuleName[] {
          RuleName.ADAPTIVE,
          RuleName.AREA,
          RuleName.DLA,
          RuleName.DLA_RANDOM,
          RuleName.BEST_EFFORT,
          RuleName.SPECULATIVE
        }) {
      outcomes.add(lab.run(UpdateSettings.of(rule, W)));
    }
    outcomes.add(
        lab.run(
            UpdateSettings.of(RuleName.PERIODIC, W)
                .with(Tuning.defaults().withPeriodSeconds(lab.bestPeriodSeconds()))));
    outcomes.add(
        lab.run(
            UpdateSettings.of(RuleName.COUNT, W)
                .with(Tuning.defaults().withCount(lab.bestCount()))));
    outcomes.add(lab.run(UpdateSettings.of(RuleName.PAPER, W)));
    ReplayLab.Optimum optimum = lab.optimum(outcomes);
    StringBuilder cells = new StringBuilder();
    for (RuleOutcome outcome : outcomes) {
      cells.append(String.format(Locale.ROOT, " %.3f |", lab.totalRatio(outcome, optimum)));
    }
    String name = String.valueOf(file.getFileName());
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %s |%s %s |%n",
        name.substring(0, name.indexOf('.')),
        machine.name().toLowerCase(Locale.ROOT),
        g,
        cells,
        optimum.exact() ? "yes" : "bound");
  }
}
