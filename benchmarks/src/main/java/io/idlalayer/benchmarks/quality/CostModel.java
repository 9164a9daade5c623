package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.quality.RunFile.Run;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A linear model of the cost of a run: seconds per update times updates, plus seconds per row times
 * passes over rows. The model is fitted to measured processor seconds. Equal work then has equal
 * costs, even if the machine did other work during a run. A row costs less in a larger step, so
 * each size of steps has its own model.
 */
record CostModel(double secondsPerUpdate, double secondsPerRow) {

  /**
   * Fits a model by least squares of relative errors. A coefficient that would be negative is 0.
   *
   * @param runs runs with at least one training and steps of one size
   * @param seconds returns the seconds of a run, above 0
   */
  static CostModel fit(List<Run> runs, ToDoubleFunction<RunCosts> seconds) {
    double uu = 0;
    double ur = 0;
    double rr = 0;
    double u1 = 0;
    double r1 = 0;
    for (Run run : runs) {
      RunCosts costs = run.outcome().costs();
      double u = costs.updates() / seconds.applyAsDouble(costs);
      double r = rowPasses(run) / seconds.applyAsDouble(costs);
      uu += u * u;
      ur += u * r;
      rr += r * r;
      u1 += u;
      r1 += r;
    }
    double determinant = uu * rr - ur * ur;
    double update = (u1 * rr - r1 * ur) / determinant;
    double row = (r1 * uu - u1 * ur) / determinant;
    if (!(determinant > 1e-9 * uu * rr) || update < 0) {
      return new CostModel(0, r1 / rr);
    }
    return row < 0 ? new CostModel(u1 / uu, 0) : new CostModel(update, row);
  }

  double seconds(Run run) {
    return secondsPerUpdate * run.outcome().costs().updates() + secondsPerRow * rowPasses(run);
  }

  /** Returns the number of trained rows, each counted as often as an update passes over it. */
  private static double rowPasses(Run run) {
    return (double) run.outcome().costs().trainedRows() * run.key().fitting().epochs();
  }
}
