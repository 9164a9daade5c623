package io.idlalayer.benchmarks.timing;

import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.replay.RecordedRun;
import io.idlalayer.jobs.report.DecisionFile;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Table (g), REAL: the whole job on a file handed out in bursts, with real trainings; then its own
 * decision log against every rule and the optimum, with the costs that it had estimated at the end;
 * once whole, once without the first ten updates, in which the JVM warms up. Arguments: {@code
 * WORK_FOLDER INPUT APP.yaml...}; each file is one run.
 */
public final class RunningJobExperiment {
  private RunningJobExperiment() {}

  public static void main(String[] args) throws Exception {
    System.out.println(
        "| application | rule | samples | updates | ratio as it happened | certificate at the end |"
            + " rule again by replay | area | best period | best effort | lambda ms | eps s |"
            + " median error of predictions % |\n"
            + "|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 2; i < args.length; i++) {
      run(Path.of(args[0]).resolve("run-" + i), Path.of(args[1]), Path.of(args[i]));
    }
    System.exit(0);
  }

  private static void run(Path work, Path input, Path file) throws Exception {
    ApplicationSettings application = ApplicationFileReader.read(file, name -> null);
    InputPlan plan =
        new InputPlan(
            application,
            "bursts",
            () -> new BurstyReader(Inputs.open(input, application), 5),
            Long.MAX_VALUE,
            0);
    Path logFile = work.resolveSibling(work.getFileName() + ".jsonl");
    double certificate;
    try (DecisionFile log = new DecisionFile(logFile)) {
      RunOutcome outcome =
          new EmbeddedRun(
                  new EmbeddedRun.Plan(List.of(application), work, null, plan), new Quiet(log))
              .run(() -> false);
      certificate =
          outcome
              .view()
              .learners()
              .get(0)
              .status()
              .decision()
              .grounds()
              .guarantee()
              .certifiedRatio();
    }
    RecordedRun recorded = RecordedRun.read(logFile, null, System.out::println);
    print(application, recorded, certificate);
    if (recorded.updates() > 20) {
      print(application, recorded.without(10), Double.NaN);
    }
  }

  private static void print(
      ApplicationSettings application, RecordedRun recorded, double certificate) {
    ScheduleCosts costs = recorded.costs();
    ArrivalTrace trace = recorded.trace();
    ReplayLab lab = new ReplayLab(trace, costs, Machine.ONE);
    List<RuleOutcome> outcomes = new ArrayList<>();
    outcomes.add(lab.run(application.update()));
    outcomes.add(lab.run(UpdateSettings.of(RuleName.AREA, costs.weight())));
    outcomes.add(
        lab.run(
            UpdateSettings.of(RuleName.PERIODIC, costs.weight())
                .with(Tuning.defaults().withPeriodSeconds(lab.bestPeriodSeconds()))));
    outcomes.add(lab.run(UpdateSettings.of(RuleName.BEST_EFFORT, costs.weight())));
    ReplayLab.Optimum optimum = lab.optimum(outcomes);
    StringBuilder ratios = new StringBuilder();
    for (RuleOutcome outcome : outcomes) {
      ratios.append(String.format(Locale.ROOT, " %.3f |", lab.totalRatio(outcome, optimum)));
    }
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %,d | %d | %.3f | %.3f |%s %.4f | %.4f | %.1f |%n",
        application.name(),
        application.update().rule().key(),
        trace.arrivals(),
        recorded.updates(),
        lab.totalRatio(recorded.outcome(costs.weight()), optimum),
        certificate,
        ratios,
        1000 * costs.secondsPerSample(),
        costs.fixedSeconds(),
        100 * recorded.medianPredictionError());
  }

  /** Writes the log and nothing else. */
  private record Quiet(DecisionFile log) implements RunMonitor {
    @Override
    public void phase(String text) {}

    @Override
    public void event(RunView view, DecisionEvent event) {
      log.add(event);
    }

    @Override
    public void tick(RunView view) {}
  }
}
