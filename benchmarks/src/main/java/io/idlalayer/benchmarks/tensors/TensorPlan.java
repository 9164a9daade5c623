package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.middleware.memory.clock.ClockKind;
import java.nio.file.Path;
import java.util.List;

/**
 * What is to be measured.
 *
 * @param batch examples of a mini-batch
 * @param undersized whether to go on although a kernel's arguments do not fit the fast device
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
    Path slowDirectory) {
  /**
   * Who runs for how long.
   *
   * @param steps measured under each policy, in all turns together
   * @param turns of each policy, forth and back through all of them
   * @param warmUps steps at the beginning of each turn that do not count
   */
  record Schedule(int steps, int turns, int warmUps) {
    int stepsOfTurn() {
      return (steps + turns - 1) / turns;
    }
  }
}
