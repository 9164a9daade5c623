package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Runs every requested configuration on every requested stream, and appends one line for each run
 * to a file. Runs that are already in the file are skipped, so a killed experiment can be
 * continued. With {@code --part}, several processes share the work, each with its own file.
 */
@CommandLine.Command(name = "QualityExperiment", mixinStandardHelpOptions = true)
public final class QualityExperiment implements Callable<Integer> {
  private static final int QUICK_ROWS = 60_000;
  private static final int WARM_UP_ROWS = 3_000;

  @Option(names = "--data", description = "directory with the folder drift")
  private Path data = Path.of("../shared/data");

  @Option(names = "--streams", split = ",", description = "names of streams")
  private List<String> streams = DriftStreams.names();

  @Option(names = "--policies", split = ",", description = "policies and references (moa_...)")
  private List<String> policies = allPolicies();

  @Option(names = "--batches", split = ",", description = "only these batches of the grid")
  private List<Integer> batches = List.of();

  @Option(names = "--budgets", split = ",", description = "only these replay budgets of the grid")
  private List<Integer> budgets = List.of();

  @Option(names = "--rule", description = "count (and period), or weight: the product's rule")
  private Contender.Rule rule = Contender.Rule.COUNT;

  @Option(names = "--mini-batches", split = ",", description = "rows of a step")
  private List<Integer> miniBatches = List.of(Contender.Fitting.STANDARD.miniBatch());

  @Option(names = "--epochs", split = ",", description = "passes of an update over its rows")
  private List<Integer> epochs = List.of(Contender.Fitting.STANDARD.epochs());

  @Option(names = "--rates", split = ",", description = "learning rates")
  private List<Double> rates = List.of(Contender.Fitting.STANDARD.learningRate());

  @Option(names = "--engine", description = "onednn (default) or deeplearning4j")
  private EngineName engine = EngineName.ONEDNN;

  @Option(names = "--seeds", description = "how many seeds, from 1")
  private int seeds = 5;

  @Option(names = "--noise", split = ",", description = "shares of flipped labels")
  private List<Double> noise = List.of(0.0);

  @Option(names = "--duplicates", split = ",", description = "shares of repeating events")
  private List<Double> duplicates = List.of(0.0);

  @Option(names = "--quick", description = "at most 60,000 rows of a stream")
  private boolean quick;

  @Option(names = "--rows", description = "most rows of a stream")
  private int rows = Integer.MAX_VALUE;

  @Option(names = "--part", description = "I/N: of every N runs only the I-th, from 1")
  private String part = "1/1";

  @Option(names = "--out", required = true, description = "CSV file to append to")
  private Path out = Path.of("");

  private int counted;
  private boolean warm;

  QualityExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new QualityExperiment(), args);
  }

  /** Returns what is compared by default: all policies, and the fast references. */
  private static List<String> allPolicies() {
    List<String> all = new ArrayList<>();
    Arrays.stream(Contender.Policy.values()).forEach(each -> all.add(each.key()));
    List.of(MoaReference.MAJORITY, MoaReference.NO_CHANGE, MoaReference.ADAPTIVE_RANDOM_FOREST)
        .forEach(each -> all.add(each.key()));
    return all;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Set<RunKey> done = new HashSet<>();
    RunFile.read(out).forEach(run -> done.add(run.key()));
    for (int seed = 1; seed <= seeds; seed++) {
      for (String name : streams) {
        DriftStream stream =
            DriftStreams.read(data, name, quick ? Math.min(rows, QUICK_ROWS) : rows);
        for (double flips : noise) {
          for (double share : duplicates) {
            runAll(stream, new Adversary(flips, share), seed, done);
          }
        }
      }
    }
    return 0;
  }

  /**
   * Trains once before the first measured run, because the first trainings of a process cost far
   * more than later ones.
   */
  private void warmUp() throws IOException, InterruptedException {
    DriftStream stream = DriftStreams.read(data, RecurringStreams.names().get(0), WARM_UP_ROWS);
    Contender contender = new Contender(Contender.Policy.UNIFORM, Contender.Rule.COUNT, 128, 64);
    try (QualityRun run = new QualityRun(engine, stream, contender, 1)) {
      run.run();
    }
    warm = true;
  }

  private void runAll(DriftStream clean, Adversary adversary, long seed, Set<RunKey> done)
      throws IOException, InterruptedException {
    DriftStream stream = adversary.apply(clean, seed);
    for (String policy : policies) {
      for (MoaReference reference : MoaReference.values()) {
        RunKey key = RunKey.of(stream.name(), adversary, reference, seed);
        if (reference.key().equals(policy) && mine() && done.add(key)) {
          book(key, reference.run(stream, seed));
        }
      }
      if (policy.startsWith("moa_")) {
        continue;
      }
      for (Contender contender : grid(Contender.Policy.of(policy))) {
        RunKey key = RunKey.of(stream.name(), adversary, contender, seed);
        if (mine() && done.add(key)) {
          run(stream, contender, key);
        }
      }
    }
  }

  private boolean mine() {
    String[] parts = part.split("/");
    return counted++ % Integer.parseInt(parts[1]) == Integer.parseInt(parts[0]) - 1;
  }

  private List<Contender> grid(Contender.Policy policy) {
    return Contender.grid(policy, rule).stream()
        .filter(each -> batches.isEmpty() || batches.contains(each.batch()))
        .filter(
            each ->
                budgets.isEmpty()
                    || each.replayBudget() == 0
                    || budgets.contains(each.replayBudget()))
        .flatMap(each -> fittings().stream().map(each::with))
        .toList();
  }

  private List<Contender.Fitting> fittings() {
    List<Contender.Fitting> all = new ArrayList<>();
    for (int miniBatch : miniBatches) {
      for (int passes : epochs) {
        rates.forEach(rate -> all.add(new Contender.Fitting(miniBatch, passes, rate)));
      }
    }
    return all;
  }

  private void run(DriftStream stream, Contender contender, RunKey key)
      throws IOException, InterruptedException {
    if (!warm) {
      warmUp();
    }
    try (QualityRun run = new QualityRun(engine, stream, contender, key.seed())) {
      book(key, run.run());
    }
  }

  private void book(RunKey key, RunOutcome outcome) throws IOException {
    RunFile.append(out, new RunFile.Run(key, outcome));
    System.out.printf(
        Locale.ROOT,
        "%s, %s, %s, seed %d: accuracy %.4f, training %.2f s, %,d rows in %,d updates%n",
        key.circumstances(),
        key.policy(),
        key.configuration(),
        key.seed(),
        outcome.quality().trueAccuracy(),
        outcome.costs().trainCpuSeconds(),
        outcome.costs().trainedRows(),
        outcome.costs().updates());
  }
}
