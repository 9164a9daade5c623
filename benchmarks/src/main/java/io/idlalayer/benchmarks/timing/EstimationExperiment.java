package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;

/**
 * Table (e): what a wrong estimate of the costs costs, and how well the regression predicts against
 * ordinary least squares over the last ten trainings (Continuum, Tian 2018).
 */
public final class EstimationExperiment {
  private static final int SAMPLES = 10_000;
  private static final int TRAININGS = 200;

  private EstimationExperiment() {}

  public static void main(String[] args) {
    wrongCosts();
    predictions();
  }

  private static void wrongCosts() {
    double[] factors = {0.1, 0.25, 0.5, 0.8, 1, 1.25, 2, 4, 10};
    System.out.println(
        "Controllable ratio, mean over Poisson and MMPP, G = 1, 10, 100, lambda 0.1, w 10, machine"
            + " many; the rule believes eps * m.\n");
    System.out.println(
        "| m | 0.1 | 0.25 | 0.5 | 0.8 | 1 | 1.25 | 2 | 4 | 10 |\n|---|---|---|---|---|---|---|---|---|---|");
    for (RuleName rule : List.of(RuleName.DLA, RuleName.AREA, RuleName.ADAPTIVE)) {
      StringBuilder row = new StringBuilder("| " + rule.key() + " |");
      for (double m : factors) {
        row.append(String.format(Locale.ROOT, " %.2f |", meanRatio(rule, m, 1)));
      }
      System.out.println(row);
    }
    System.out.println("\nThe same where the rule believes lambda * m.\n");
    System.out.println("| m | 0 | 0.5 | 1 | 2 | 4 |\n|---|---|---|---|---|---|");
    for (RuleName rule : List.of(RuleName.DLA, RuleName.AREA, RuleName.ADAPTIVE)) {
      StringBuilder row = new StringBuilder("| " + rule.key() + " |");
      for (double m : new double[] {0, 0.5, 1, 2, 4}) {
        row.append(String.format(Locale.ROOT, " %.2f |", meanRatio(rule, 1, m)));
      }
      System.out.println(row);
    }
  }

  private static double meanRatio(RuleName rule, double ofFixed, double ofEach) {
    double sum = 0;
    int count = 0;
    for (ArrivalFamily family : List.of(ArrivalFamily.POISSON, ArrivalFamily.MMPP)) {
      for (double g : new double[] {1, 10, 100}) {
        ArrivalTrace trace = family.generate(SAMPLES, new SplittableRandom(11));
        ScheduleCosts truth = new ScheduleCosts(0.1, g / 10, 10);
        ReplayLab lab = new ReplayLab(trace, truth, Machine.MANY);
        RuleCosts believed = new RuleCosts(0.1 * ofEach, g / 10 * ofFixed, 10);
        sum +=
            lab.controllableRatio(
                new VirtualRun(UpdateSettings.of(rule, 10), truth, Machine.MANY)
                    .believing(believed)
                    .run(rule.key(), trace),
                lab.optimum(List.of()));
        count++;
      }
    }
    return sum / count;
  }

  private static void predictions() {
    System.out.println(
        "\nMedian relative error of the predicted duration after ten trainings, %, 200 trainings, 10 %"
            + " noise, 40 seeds.\n");
    System.out.println(
        "| trainings | robust recursive least squares (shipped) | least squares over the last ten (Continuum) |\n|---|---|---|");
    row("clean, sizes 5..200", i -> 1, false, 1);
    row("3 % outliers x4, first five x3", i -> i < 5 ? 3 : 1, true, 1);
    row("sizes all equal", i -> 1, false, 0);
    row("eps doubles half way", i -> 1, false, 2);
  }

  private static void row(String name, IntToDoubleFunction slow, boolean outliers, int kind) {
    double shipped = 0;
    double ordinary = 0;
    int seeds = 40;
    for (int seed = 1; seed <= seeds; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int[] sizes = new int[TRAININGS];
      double[] seconds = new double[TRAININGS];
      for (int i = 0; i < TRAININGS; i++) {
        sizes[i] = kind == 0 ? 50 : 5 + random.nextInt(196);
        double eps = kind == 2 && i >= TRAININGS / 2 ? 2 : 1;
        double noise =
            1 + 0.1 * (random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5) * 2;
        double outlier = outliers && random.nextInt(100) < 3 ? 4 : 1;
        seconds[i] = (eps + 0.01 * sizes[i]) * noise * outlier * slow.applyAsDouble(i);
      }
      shipped += error(sizes, seconds, true) / seeds;
      ordinary += error(sizes, seconds, false) / seeds;
    }
    System.out.printf(Locale.ROOT, "| %s | %.1f | %.1f |%n", name, 100 * shipped, 100 * ordinary);
  }

  private static double error(int[] sizes, double[] seconds, boolean shipped) {
    TrainingCostModel model = new TrainingCostModel();
    double[] errors = new double[TRAININGS - 10];
    for (int i = 0; i < TRAININGS; i++) {
      if (i >= 10) {
        double predicted =
            shipped ? model.estimate().seconds(sizes[i]) : ordinary(sizes, seconds, i);
        errors[i - 10] = Math.abs(predicted - seconds[i]) / seconds[i];
      }
      model.observe(sizes[i], seconds[i]);
    }
    Arrays.sort(errors);
    return errors[errors.length / 2];
  }

  private static double ordinary(int[] sizes, double[] seconds, int next) {
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (int i = next - 10; i < next; i++) {
      x += sizes[i] / 10.0;
      y += seconds[i] / 10;
      xx += (double) sizes[i] * sizes[i] / 10;
      xy += sizes[i] * seconds[i] / 10;
    }
    double spread = xx - x * x;
    double slope = spread < 1e-9 ? 0 : (xy - x * y) / spread;
    return y + slope * (sizes[next] - x);
  }
}
