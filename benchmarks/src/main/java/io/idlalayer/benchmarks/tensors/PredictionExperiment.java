package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.middleware.capacity.SteadyStep;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures how far the step times that {@code idla plan} predicts are from measured step times. The
 * slow device is emulated: its bytes are real, and delays are added. Needs an idle machine. The
 * target is an error of at most 15 % for each network and budget.
 */
@Command(name = "prediction", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class PredictionExperiment implements Callable<Integer> {
  private static final double BAR = 0.15;
  private static final double MILLIS = 1e3;

  /** Number of uncounted steps at the start of a turn, in which a policy measures and plans. */
  private static final int WARM_UPS = 8;

  @Option(names = "--models", split = ",", paramLabel = "NAME", description = "Networks.")
  List<String> models = List.of("vgg-s", "resnet-s", "densenet-s", "inception-s", "lstm-s", "mlp");

  @Option(names = "--fast", split = ",", paramLabel = "RATIO", description = "Shares of the peak.")
  List<String> budgets = List.of("0.2", "0.35", "0.5");

  @Option(
      names = "--policies",
      split = ",",
      paramLabel = "NAME",
      description = "Placement policies.")
  List<String> policies = List.of(ComparedPolicy.CACHED_ARRAYS.key(), ComparedPolicy.AUTO.key());

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Examples of a mini-batch; without it those of the network.")
  @Nullable Integer batch;

  @Option(names = "--scale", paramLabel = "FACTOR", description = "Size of the networks.")
  double scale = 1;

  @Option(names = "--steps", paramLabel = "N", description = "Measured steps, in all turns.")
  int steps = 20;

  @Option(names = "--turns", paramLabel = "N", description = "Turns.")
  int turns = 4;

  @Option(
      names = "--slow-directory",
      paramLabel = "DIR",
      description = "Where the slow device's file lies.")
  Path slowDirectory = Path.of("/dev/shm");

  public static void main(String[] options) {
    Experiment.run(new PredictionExperiment(), options);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.out.printf(
        "Steps, predicted (SIMULATED) and measured (EMULATED)%n%n| network | fast | policy | predicted, ms | measured, ms | error, %% |%n|---|---|---|---|---|---|%n");
    int missed = 0;
    int all = 0;
    for (String model : models) {
      for (String budget : budgets) {
        for (double error : errors(ReferenceNet.of(model), FastBudget.parse(budget))) {
          all++;
          missed += Math.abs(error) <= BAR ? 0 : 1;
        }
      }
    }
    System.out.printf(
        Locale.ROOT, "%n%d of %d are within %.0f %%.%n", all - missed, all, 100 * BAR);
    return missed == 0 ? 0 : 1;
  }

  /** Returns the relative error for each policy. */
  private List<Double> errors(ReferenceNet net, FastBudget budget)
      throws IOException, InterruptedException {
    NetScale size = new NetScale(scale);
    TensorPlan plan =
        new TensorPlan(
            net,
            size,
            batch == null ? net.batch(size) : batch,
            budget,
            policies.stream().map(ComparedPolicy::of).toList(),
            ClockKind.INJECT,
            new TensorPlan.Schedule(steps, turns, WARM_UPS),
            true,
            slowDirectory,
            FileAccess.MAPPED);
    // Kernels are recorded in wall time, because idla plan and the measurement below use wall time
    // too.
    TaskGraph graph = TensorBench.trainee(plan).recorded(System::nanoTime);
    TensorBench.Outcome outcome = new TensorBench(plan, graph, System.err::println).run();
    SteadyStep step =
        new SteadyStep(graph, outcome.devices().fast().speed(), outcome.devices().slowSpeed());
    List<Double> errors = new ArrayList<>();
    for (PolicyRow row : outcome.rows()) {
      double predicted =
          step.under(ComparedPolicy.of(row.name()).create(), outcome.fastBytes())
              .orElseThrow(
                  () -> new IllegalStateException("no place for the tensors of " + net.key()))
              .seconds();
      double measured = row.medianSeconds();
      errors.add(predicted / measured - 1);
      System.out.printf(
          Locale.ROOT,
          "| %s | %.0f %% | %s | %.2f | %.2f | %+.1f |%n",
          net.key(),
          100.0 * outcome.fastBytes() / graph.peakBytes(),
          row.name(),
          MILLIS * predicted,
          MILLIS * measured,
          100 * (predicted / measured - 1));
    }
    return errors;
  }
}
