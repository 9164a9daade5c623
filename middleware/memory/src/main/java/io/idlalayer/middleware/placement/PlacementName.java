package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.plan.DeskPlans;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.ExactPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.plan.recompute.RecomputingPlanner;
import io.idlalayer.middleware.placement.plan.redl.DriftSwitch;
import io.idlalayer.middleware.placement.plan.redl.SearchedPeriods;
import io.idlalayer.middleware.placement.plan.solver.SolverFolder;
import io.idlalayer.middleware.placement.policies.fixed.AllFast;
import io.idlalayer.middleware.placement.policies.fixed.AllSlow;
import io.idlalayer.middleware.placement.policies.fixed.FirstTouch;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.policies.migrating.RedlPolicy;
import io.idlalayer.middleware.placement.policies.migrating.RedlPolicy.Mode;
import io.idlalayer.middleware.placement.policies.migrating.SearchedOnline;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The placement policies that an application file may name. */
public enum PlacementName {
  /** Policy that places every object on the fast device. */
  ALL_FAST,
  /** Policy that places every object on the slow device. */
  ALL_SLOW,
  /**
   * Policy that places an object on the fast device while there is room, then on the slow one, and
   * never moves it.
   */
  FIRST_TOUCH,
  /**
   * Improved form of the CachedArrays policy of Hildebrand 2022, which moves objects between the
   * devices.
   */
  CACHED_ARRAYS,
  /** Policy that follows the best plan of all planners, if one is better than cached-arrays. */
  AUTO,
  /** Policy that follows plans of AutoVM, which uses the measured times of kernels. */
  AUTOVM,
  /** Policy that follows plans of AutoTM, whose copies are made beside kernels. */
  AUTOTM,
  /**
   * Policy that follows plans of AutoTM, also those of a solver of integer linear programs, which a
   * user installs.
   */
  AUTOTM_EXACT,
  /** Policy that follows plans of AutoTM that never move a tensor. */
  AUTOTM_STATIC,
  /** Policy that follows plans of AutoTM in which everything waits for copies. */
  AUTOTM_SYNC,
  /**
   * Policy that migrates tensors one period of a step ahead of their use, after ReDL of Rang 2021,
   * where that gains time.
   */
  REDL,
  /** Policy that migrates tensors as ReDL of Rang 2021 is described. */
  REDL_PAPER;

  /** Returns the name of this policy in application files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether the policy of this name follows plans. */
  public boolean planned() {
    return !planners().isEmpty();
  }

  /**
   * Returns the planners whose plans the policy of this name may follow, those first that plan
   * faster; empty if it follows none.
   */
  private List<Planner> planners() {
    return switch (this) {
      case ALL_FAST, ALL_SLOW, FIRST_TOUCH, CACHED_ARRAYS, REDL, REDL_PAPER -> List.of();
      case AUTO -> {
        List<Planner> all =
            new ArrayList<>(
                List.of(
                    new AutoVmPlanner(),
                    new RecomputingPlanner(new AutoVmPlanner()),
                    new AutoTmPlanner(Form.WINDOWS),
                    new RecomputingPlanner(new AutoTmPlanner(Form.WINDOWS))));
        if (SolverFolder.find().isPresent()) {
          all.add(new ExactPlanner());
        }
        yield List.copyOf(all);
      }
      case AUTOVM -> List.of(new AutoVmPlanner());
      case AUTOTM -> List.of(new AutoTmPlanner(Form.WINDOWS));
      case AUTOTM_EXACT -> List.of(new AutoTmPlanner(Form.WINDOWS), new ExactPlanner());
      case AUTOTM_STATIC -> List.of(new AutoTmPlanner(Form.STATIC));
      case AUTOTM_SYNC -> List.of(new AutoTmPlanner(Form.SYNCHRONOUS));
    };
  }

  /**
   * Creates the policy of this name.
   *
   * @param desk plans the steps of a policy that follows plans, and searches periods; other
   *     policies do not use it
   */
  public PlacementPolicy create(PlanDesk desk) {
    return switch (this) {
      case AUTO -> {
        DriftSwitch plans = new DriftSwitch(new DeskPlans(desk, planners()));
        yield new PlannedPolicy(
            key(), plans, new RedlPolicy(key(), Mode.BY_COST, plans, unplanned()));
      }
      case AUTOVM, AUTOTM, AUTOTM_EXACT, AUTOTM_STATIC, AUTOTM_SYNC ->
          new PlannedPolicy(key(), new DeskPlans(desk, planners()), unplanned());
      case REDL ->
          new RedlPolicy(
              key(), Mode.BY_COST, new SearchedPeriods(desk::execute), new ImprovedPolicy(key()));
      case ALL_FAST, ALL_SLOW, FIRST_TOUCH, CACHED_ARRAYS, REDL_PAPER -> unplanned();
    };
  }

  /**
   * Returns the policy by which rehearsals size memory: it needs as much memory as the policy of
   * this name, but never plans. For a policy that follows plans this is cached-arrays, with which
   * such a policy begins and to which it falls back.
   */
  public PlacementPolicy unplanned() {
    return switch (this) {
      case ALL_FAST -> new AllFast();
      case ALL_SLOW -> new AllSlow();
      case FIRST_TOUCH -> new FirstTouch();
      case CACHED_ARRAYS, AUTO, AUTOVM, AUTOTM, AUTOTM_EXACT, AUTOTM_STATIC, AUTOTM_SYNC, REDL ->
          new ImprovedPolicy(key());
      case REDL_PAPER ->
          new RedlPolicy(key(), Mode.PAPER, new SearchedOnline(), new ImprovedPolicy(key()));
    };
  }
}
