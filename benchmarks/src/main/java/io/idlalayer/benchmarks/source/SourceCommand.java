package io.idlalayer.benchmarks.source;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The experiments of the source. */
@Command(
    name = "source",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Repeats the experiments of the source (Rang 2021, 5.5): MNIST, Criteo and PageRank arrive for"
          + " about ten minutes; the update rules of the product against an update every two minutes,"
          + " continuous updates, and the best period in hindsight.",
      "Time is virtual, so a run takes only the time of its trainings."
    })
public final class SourceCommand implements Callable<Integer> {
  /** The stream is longer or shorter by up to this share, so that no period fits it by design. */
  private static final double LENGTH_SPREAD = 0.1;

  private static final double SECONDS_PER_MINUTE = 60;

  /** A quick run has one of so many events. */
  private static final int QUICK_EVENTS = 5;

  @Spec CommandSpec spec;

  @Option(names = "--data", paramLabel = "FOLDER", description = "Has folders mnist, ctr, graph.")
  Path data = Path.of("../shared/data");

  @Option(
      names = "--applications",
      split = ",",
      paramLabel = "NAME",
      description = "mnist, criteo, pagerank.")
  List<Application> applications = List.of(Application.values());

  @Option(names = "--arrivals", split = ",", paramLabel = "NAME", description = "steady, bursts.")
  List<Arrivals> arrivals = List.of(Arrivals.values());

  @Option(
      names = "--slowdowns",
      split = ",",
      paramLabel = "X",
      description =
          "Machines: seconds that a training takes for each second of processor time here. The"
              + " source trained on a cluster, where an update took far longer.")
  List<Double> slowdowns = List.of(1.0, 100.0);

  @Option(
      names = "--periods",
      split = ",",
      paramLabel = "S",
      description = "Seconds; of these the best is looked for. It should not be the first or last.")
  List<Double> periods = List.of(0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 240.0);

  @Option(
      names = "--weight",
      paramLabel = "W",
      description = "Sample-seconds of waiting that a second of training is worth.")
  double weight = UpdateSettings.defaults().weight();

  @Option(names = "--minutes", paramLabel = "N", description = "About how long events arrive.")
  double minutes = 10;

  @Option(names = "--seeds", paramLabel = "N", description = "How many seeds, from 1.")
  int seeds = 5;

  @Option(names = "--quick", description = "A fifth of the events.")
  boolean quick;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    PrintWriter out = spec.commandLine().getOut();
    for (Application application : applications) {
      warmUp(application);
      for (Arrivals pattern : arrivals) {
        for (double slowdown : slowdowns) {
          out.printf(
              Locale.ROOT,
              "## %s, %s, machine %s times as slow%n%n%s%n",
              name(application),
              name(pattern),
              slowdown == Math.rint(slowdown)
                  ? Long.toString((long) slowdown)
                  : Double.toString(slowdown),
              compare(application, pattern, slowdown).markdown());
          out.flush();
        }
      }
    }
    return 0;
  }

  private void check() {
    if (seeds < 1) {
      throw wrong("--seeds=" + seeds + ": must be at least 1");
    }
    if (!(minutes > 0 && minutes <= 1e6)) {
      throw wrong("--minutes=" + minutes + ": must be above 0 and at most 1,000,000");
    }
    if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
      throw wrong("--weight=" + weight + ": must be above 0");
    }
    above0("--slowdowns", slowdowns);
    above0("--periods", periods);
    if (periods.stream().anyMatch(period -> period > 3_000)) {
      throw wrong("--periods: a run ends an hour after the last event; use at most 3,000 s");
    }
  }

  private void above0(String option, List<Double> values) {
    if (values.isEmpty() || values.stream().anyMatch(it -> !(it > 0 && it <= 1e6))) {
      throw wrong(option + "=" + values + ": must be above 0 and at most 1,000,000");
    }
  }

  private CommandLine.ParameterException wrong(String message) {
    return new CommandLine.ParameterException(spec.commandLine(), message);
  }

  private static String name(Enum<?> of) {
    return of.name().toLowerCase(Locale.ROOT);
  }

  private int events(Application application) {
    return quick ? application.events() / QUICK_EVENTS : application.events();
  }

  /** What is loaded and compiled at first counts for no arm. */
  private void warmUp(Application application) throws IOException, InterruptedException {
    List<Sample> samples = application.read(data, events(application), 1);
    Outcome unused = run(application, samples, Arrivals.STEADY, 1, Arm.ADAPTIVE, 1);
  }

  /** Runs all arms for one seed after the other, in turning order. */
  private SourceTable compare(Application application, Arrivals pattern, double slowdown)
      throws IOException, InterruptedException {
    List<Arm> all = Arm.all(periods);
    Map<Arm, List<Outcome>> outcomes = new LinkedHashMap<>();
    all.forEach(arm -> outcomes.put(arm, new ArrayList<>()));
    for (int seed = 1; seed <= seeds; seed++) {
      List<Sample> samples = application.read(data, events(application), seed);
      for (int turn = 0; turn < all.size(); turn++) {
        Arm arm = all.get((turn + seed) % all.size());
        Outcome outcome = run(application, samples, pattern, slowdown, arm, seed);
        outcomes.computeIfAbsent(arm, each -> new ArrayList<>()).add(outcome);
        progress(application, pattern, slowdown, arm, seed, outcome);
      }
    }
    return new SourceTable(outcomes);
  }

  private Outcome run(
      Application application,
      List<Sample> samples,
      Arrivals pattern,
      double slowdown,
      Arm arm,
      long seed)
      throws InterruptedException {
    double spread = LENGTH_SPREAD * (2 * new SplittableRandom(~seed).nextDouble() - 1);
    double seconds = minutes * SECONDS_PER_MINUTE * (1 + spread);
    return new SourceRun(
            arm,
            weight,
            new SourceRun.Machine(slowdown),
            application.workload(samples),
            pattern.millis(samples.size(), seconds, seed))
        .run(seed);
  }

  private void progress(
      Application application,
      Arrivals pattern,
      double slowdown,
      Arm arm,
      int seed,
      Outcome outcome) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf(
        Locale.ROOT,
        "%s, %s, %s, %s, seed %d: %d updates, %.1f s training, %.2f s mean wait, loss %.4f%n",
        name(application),
        name(pattern),
        slowdown,
        arm.label(),
        seed,
        outcome.updates(),
        outcome.trainingSeconds(),
        outcome.meanWaitSeconds(),
        outcome.quality().loss());
    err.flush();
  }
}
