package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import io.idlalayer.middleware.placement.plan.solver.SolverFolder;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training that follows plans makes the parameters of one whose tensors are not placed. */
final class PlannedTrainingTest {
  private static final int INPUTS = 256;
  private static final int ROWS = 32;
  private static final int STEPS = 12;
  private static final long SLOW_BYTES = 1 << 24;
  private static final long KERNEL_NANOS = 1_000_000;
  private static final ModelSpec SPEC =
      new ModelSpec(
          Trainings.classes(INPUTS, 2),
          new ModelSpec.Network.Cnn(16, 16, 1, List.of(8, 8), 16),
          new ModelSpec.Fit(ROWS, 1, ModelSpec.Updater.ADAM, 0.01, 1e-3),
          false);

  private static final Planner PLANNER = new AutoTmPlanner(Form.SYNCHRONOUS);
  private static final Map<PlacementName, Set<String>> PLANNERS =
      Map.of(
          PlacementName.AUTO,
          Set.of("autovm", "autotm", "autovm-recompute", "autotm-recompute"),
          PlacementName.AUTOVM,
          Set.of("autovm"),
          PlacementName.AUTOTM,
          Set.of("autotm"),
          PlacementName.AUTOTM_EXACT,
          Set.of("autotm", "autotm-exact"),
          PlacementName.AUTOTM_SYNC,
          Set.of("autotm-sync"),
          PlacementName.AUTOTM_STATIC,
          Set.of("autotm-static"));

  private static TaskGraph timed(TaskGraph step) {
    long[] nanos = new long[step.kernels().size()];
    Arrays.fill(nanos, KERNEL_NANOS);
    return step.timed(nanos);
  }

  private static byte[] trained(TensorMemory memory) throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    try (EngineNetwork network =
        new EngineNetworks(SPEC, MachineKernels.best(), () -> memory, new NetworkForms())
            .create(1)) {
      for (int step = 0; step < STEPS; step++) {
        // The last mini-batch of an update is smaller, and is another step.
        int rows = step % 4 == 3 ? ROWS / 2 : ROWS;
        float[] features = new float[rows * INPUTS];
        for (int i = 0; i < features.length; i++) {
          features[i] = (float) random.nextDouble();
        }
        float[] labels = new float[rows * 2];
        for (int row = 0; row < rows; row++) {
          labels[2 * row + random.nextInt(2)] = 1;
        }
        network.fit(features, labels, rows, null, null, null);
      }
      return network.encode();
    }
  }

  private static PlacedMemory memory(PlacementPolicy policy, long fastBytes) {
    return VirtualMemories.of(policy, fastBytes, SLOW_BYTES);
  }

  private static long done(PlacementStats stats, Reason reason) {
    return stats.actions().getOrDefault(reason, PlacementStats.ActionCost.NONE).done();
  }

  @Test
  void plan_followedInTraining_givesTheSameBits() throws Exception {
    byte[] plain = trained(new DramTensors());
    for (long fastBytes : List.of(1L << 18, 3L << 17, 1L << 19)) {
      Map<TaskGraph, PlacementPlan> plans = new HashMap<>();
      PlacementPolicy policy =
          new PlannedPolicy(
              "planned",
              (graph, view) ->
                  plans.computeIfAbsent(
                      graph, step -> PLANNER.plan(timed(step), PlanDevices.of(view))),
              PlacementName.CACHED_ARRAYS.unplanned());
      try (PlacedMemory memory = memory(policy, fastBytes)) {
        assertThat(trained(new PlacedTensors(memory, "1/"))).isEqualTo(plain);
        PlacementStats stats = memory.stats();
        assertThat(stats.policy().planMismatches()).isZero();
        assertThat(done(stats, Reason.OFFLOAD)).as("%,d bytes", fastBytes).isPositive();
        assertThat(memory.memory().verify(true).problems()).isEmpty();
      }
    }
  }

  @Test
  void auto_measuresAndDecides_givesTheSameBits() throws Exception {
    byte[] plain = trained(new DramTensors());
    for (PlacementName name : PLANNERS.keySet()) {
      try (PlanDesk desk = PlanDesk.on(Runnable::run, null, System::nanoTime);
          PlacedMemory memory = memory(name.create(desk), 1L << 18)) {
        assertThat(trained(new PlacedTensors(memory, "1/"))).isEqualTo(plain);
        PlanUse use = memory.planUse().orElseThrow();
        assertThat(use.unplannedNanos()).isPositive();
        assertThat(use.predictedNanos()).isPositive();
        assertThat(use.planningNanos()).isPositive();
        assertThat(use.differingSteps()).isZero();
        Set<String> said = new HashSet<>(use.refused().keySet());
        boolean follows = !use.planner().equals(PlanUse.UNPLANNED);
        assertThat(!follows || said.add(use.planner())).as("followed and refused").isTrue();
        assertThat(said).as("planners of %s", name).isEqualTo(PLANNERS.get(name));
      }
    }
  }

  @Test
  void autotmExact_solverThatFails_trainsWithTheSameBits(@TempDir Path empty) throws Exception {
    byte[] plain = trained(new DramTensors());
    // Java ends, because the solver's class is not there.
    System.setProperty(SolverFolder.PROPERTY, empty.toString());
    try (PlanDesk desk = PlanDesk.on(Runnable::run, null, System::nanoTime);
        PlacedMemory memory = memory(PlacementName.AUTOTM_EXACT.create(desk), 1L << 18)) {
      assertThat(trained(new PlacedTensors(memory, "1/"))).isEqualTo(plain);
      assertThat(memory.planUse().orElseThrow().refused().get("autotm-exact"))
          .contains("the solver ended with exit status 1", "SolverMain");
    } finally {
      System.clearProperty(SolverFolder.PROPERTY);
    }
  }

  @Test
  void auto_everythingFits_plansNothing() throws Exception {
    try (PlanDesk desk = PlanDesk.on(Runnable::run, null, System::nanoTime);
        PlacedMemory memory = memory(PlacementName.AUTO.create(desk), SLOW_BYTES)) {
      assertThat(trained(new PlacedTensors(memory, "1/"))).isEqualTo(trained(new DramTensors()));
      assertThat(memory.planUse().orElseThrow().planner()).isEqualTo(PlanUse.FITS);
    }
  }
}
