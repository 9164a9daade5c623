package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A grid of streams and costs: families x seeds x G x w x lambda, rate 1. */
final class RuleGrid {
  private static final double[] G = {0.3, 1, 3, 10, 30, 100, 1000};
  private static final double[] W = {1, 10, 100};
  private static final double LONGEST_FIXED_SECONDS = 30;

  private RuleGrid() {}

  /** One instance; G = w * eps * rate. */
  record Instance(ArrivalFamily family, long seed, int n, double g, ScheduleCosts costs) {
    ArrivalTrace trace() {
      return family.generate(n, new SplittableRandom(seed * 7919 + family.label().hashCode()));
    }
  }

  static List<Instance> instances(Machine machine, int n, int seeds) {
    double[] lambdas =
        machine == Machine.ONE ? new double[] {0, 0.02, 0.25} : new double[] {0, 0.02, 0.3};
    List<Instance> instances = new ArrayList<>();
    for (ArrivalFamily family : ArrivalFamily.values()) {
      for (int seed = 1; seed <= seeds; seed++) {
        for (double g : G) {
          for (double w : W) {
            if (machine == Machine.ONE && g / w > LONGEST_FIXED_SECONDS) {
              continue;
            }
            for (double lambda : lambdas) {
              instances.add(new Instance(family, seed, n, g, new ScheduleCosts(lambda, g / w, w)));
            }
          }
        }
      }
    }
    return instances;
  }
}
