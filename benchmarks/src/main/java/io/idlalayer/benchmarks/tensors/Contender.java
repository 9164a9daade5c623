package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.placement.DirectPlans;
import io.idlalayer.benchmarks.placement.autovm.WindowPlanner;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.plan.DeskPlans;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.plan.recompute.RecomputingPlanner;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The contenders of {@link BudgetExperiment}: policies, plans that are followed without a
 * rehearsal, planners that only {@code auto} asks, and the proved bound.
 */
enum Contender {
  BOUND(() -> PlacementName.ALL_FAST.unplanned()),
  AUTO(() -> PlacementName.AUTO.create(desk())),
  CACHED_ARRAYS(ComparedPolicy.CACHED_ARRAYS::create),
  ALL_SLOW(ComparedPolicy.ALL_SLOW::create),
  FIRST_TOUCH(ComparedPolicy.FIRST_TOUCH::create),
  TWO_LEVEL_MEMORY_M(ComparedPolicy.TWO_LEVEL_MEMORY_M::create),
  CACHED_ARRAYS_LM(ComparedPolicy.CACHED_ARRAYS_LM::create),
  VDNN_ALL(ComparedPolicy.VDNN_ALL::create),
  PAGE_LRU(ComparedPolicy.PAGE_LRU::create),
  PAGE_ORDER(ComparedPolicy.PAGE_ORDER::create),
  REDL(() -> PlacementName.REDL.create(desk())),
  AUTOVM(() -> PlacementName.AUTOVM.create(desk())),
  AUTOTM(() -> PlacementName.AUTOTM.create(desk())),
  RECOMPUTE(() -> rehearsed("recompute", recomputing())),
  PLAN_OF_AUTOVM_UNKNOWN(
      () -> followed("plan-of-autovm-unknown", new WindowPlanner(WindowPlanner.Form.UNKNOWN))),
  PLAN_OF_AUTOTM_STATIC(() -> followed("plan-of-autotm-static", new AutoTmPlanner(Form.STATIC))),
  PLAN_OF_AUTOTM_SYNC(() -> followed("plan-of-autotm-sync", new AutoTmPlanner(Form.SYNCHRONOUS)));

  private final Supplier<PlacementPolicy> policy;

  Contender(Supplier<PlacementPolicy> policy) {
    this.policy = policy;
  }

  /**
   * Returns a desk that plans at once. Its time limits are in processor time, so that it makes
   * equal plans on a busy and on an idle machine.
   */
  private static PlanDesk desk() {
    return PlanDesk.on(Runnable::run, null, CpuTime::nanos);
  }

  private static List<Planner> recomputing() {
    return List.of(
        new RecomputingPlanner(new AutoVmPlanner()),
        new RecomputingPlanner(new AutoTmPlanner(Form.WINDOWS)));
  }

  private static PlacementPolicy rehearsed(String name, List<Planner> planners) {
    return new PlannedPolicy(
        name, new DeskPlans(desk(), planners), PlacementName.CACHED_ARRAYS.unplanned());
  }

  private static PlacementPolicy followed(String name, Planner planner) {
    return new PlannedPolicy(
        name, new DirectPlans(planner), PlacementName.CACHED_ARRAYS.unplanned());
  }

  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  PlacementPolicy create() {
    return policy.get();
  }

  static List<String> keys() {
    return Arrays.stream(values()).map(Contender::key).toList();
  }

  /**
   * Returns the contender with a key.
   *
   * @throws IllegalArgumentException if there is no such contender
   */
  static Contender of(String key) {
    return Arrays.stream(values())
        .filter(each -> each.key().equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no contender is called %s; there are %s"
                        .formatted(key, String.join(", ", keys()))));
  }
}
