package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.placement.trace.StepTraffic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;

/** What was measured under a policy, or under DL4J's own fit, over all of its turns. */
final class PolicyRow {
  private static final int RESAMPLES = 2000;
  private static final double TAIL = 0.025;

  private final String name;
  private final long budgetBytes;
  private final List<Double> seconds = new ArrayList<>();
  private final List<StepTraffic> turns = new ArrayList<>();
  private final List<String> digests = new ArrayList<>();

  PolicyRow(String name, long budgetBytes) {
    this.name = name;
    this.budgetBytes = budgetBytes;
  }

  String name() {
    return name;
  }

  long budgetBytes() {
    return budgetBytes;
  }

  void step(double stepSeconds) {
    seconds.add(stepSeconds);
  }

  void turn(StepTraffic traffic) {
    turns.add(traffic);
  }

  void digest(String digest) {
    digests.add(digest);
  }

  /** Of the parameters after each turn. */
  List<String> digests() {
    return digests;
  }

  int steps() {
    return seconds.size();
  }

  double medianSeconds() {
    return median(seconds.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Bounds of the median with 95 % confidence, by resampling; always the same for equal times. */
  double[] intervalSeconds() {
    double[] all = seconds.stream().mapToDouble(Double::doubleValue).toArray();
    SplittableRandom random = new SplittableRandom(all.length);
    double[] medians = new double[RESAMPLES];
    double[] drawn = new double[all.length];
    for (int i = 0; i < RESAMPLES; i++) {
      for (int j = 0; j < drawn.length; j++) {
        drawn[j] = all[random.nextInt(all.length)];
      }
      medians[i] = median(drawn);
    }
    Arrays.sort(medians);
    return new double[] {
      medians[(int) (TAIL * RESAMPLES)], medians[(int) Math.ceil((1 - TAIL) * RESAMPLES) - 1]
    };
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Mean of a count over all steps of all turns, rounded. */
  long perStep(ToLongFunction<StepTraffic> count) {
    long total = turns.stream().mapToLong(count).sum();
    long steps = turns.stream().mapToLong(StepTraffic::steps).sum();
    return steps == 0 ? 0 : Math.round((double) total / steps);
  }

  long highWaterBytes() {
    return turns.stream().mapToLong(StepTraffic::highWaterBytes).max().orElse(0);
  }
}
