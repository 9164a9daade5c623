package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.autotm.ExactPlanner.Search;
import io.idlalayer.middleware.placement.plan.solver.ChildSolver;
import io.idlalayer.middleware.placement.plan.solver.SolverLimits;
import io.idlalayer.middleware.solver.InProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The solver of OR-Tools as a child process. */
class ExactPlannerTest {
  private static final PlanDevices DEVICES = SourceExamples.devices(4, 0.25, 4);

  @TempDir Path temporary;

  @BeforeAll
  static void natives() {
    InProcess.assumeNatives();
  }

  private ExactPlanner planner(SolverLimits limits) {
    return new ExactPlanner(() -> Optional.of(ChildSolver.in(temporary, limits)), System::nanoTime);
  }

  /** Returns limits that are as long as a busy machine needs. */
  private static SolverLimits limits(long memoryBytes) {
    return new SolverLimits(memoryBytes, Duration.ofMinutes(3), 0);
  }

  @Test
  void candidates_sixKernels_takeTheKnownTimeAndLeaveNothing() {
    ExactPlanner planner = planner(limits(SolverLimits.DEFAULT.memoryBytes()));
    List<Search> searches = planner.searches(SourceExamples.six(), DEVICES);
    assertThat(searches).hasSize(3);
    assertThat(searches.get(0).answer().solver()).isEqualTo("scip");
    PlacementPlan plan = searches.get(0).plan();
    assertThat(plan).isNotNull();
    assertThat(plan.predictedNanos()).isEqualTo(66 * SourceExamples.UNIT_NANOS);
    assertThat(plan.boundNanos()).isPositive().isLessThanOrEqualTo(plan.predictedNanos());
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void plan_solverWithoutEnoughMemory_isRefusedWithWhatItMayUse() {
    ExactPlanner planner = planner(limits(300L << 20));
    assertThatThrownBy(() -> planner.plan(SourceExamples.six(), DEVICES))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining("it may use 300 MiB of addresses");
    assertThat(temporary).isEmptyDirectory();
  }
}
