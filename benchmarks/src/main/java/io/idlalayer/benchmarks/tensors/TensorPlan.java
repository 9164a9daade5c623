package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import java.nio.file.Path;
import java.util.List;

/**
 * The plan of a run: what is measured, and how.
 *
 * @param batch number of examples of a mini-batch
 * @param slowAccess way to access the slow device's file
 * @param undersized whether to continue if a kernel's arguments do not fit into the fast device
 */
record TensorPlan(
    ReferenceNet net,
    NetScale scale,
    int batch,
    FastBudget fast,
    List<ComparedPolicy> policies,
    ClockKind clock,
    Schedule schedule,
    boolean undersized,
    Path slowDirectory,
    FileAccess slowAccess) {
  /**
   * The number of measured and uncounted steps.
   *
   * @param steps number of measured steps of each policy, in all turns together
   * @param turns number of turns of each policy; turns go forth and back through the policies
   * @param warmUps number of uncounted steps at the start of each turn
   */
  record Schedule(int steps, int turns, int warmUps) {
    int stepsOfTurn() {
      return (steps + turns - 1) / turns;
    }
  }
}
