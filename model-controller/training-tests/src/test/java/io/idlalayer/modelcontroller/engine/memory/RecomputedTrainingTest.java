package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.plan.recompute.RecomputingPlanner;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.StepShapes;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Training that computes tensors again makes the parameters of one in which all are kept. */
@Tag("natives")
final class RecomputedTrainingTest {
  private static final int ROWS = 1_024;
  private static final int STEPS = 4;
  private static final long SLOW_BYTES = 1 << 27;

  /** So short that nothing is moved that can be computed again. */
  private static final long KERNEL_NANOS = 10;

  private static final Planner PLANNER = new RecomputingPlanner(new AutoVmPlanner());

  /**
   * Dense layers, convolutions with batch normalization and pooling, dropout, recurrence, layer
   * normalization, and activations with outputs of their own.
   */
  static List<ModelSpec> networks() {
    return TestNetworks.ofEveryLayer().subList(0, 5);
  }

  private static byte[] trained(ModelSpec spec, TensorMemory memory) throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    try (EngineNetwork network =
        new EngineNetworks(spec, MachineKernels.best(), () -> memory, new NetworkForms())
            .create(1)) {
      for (int step = 0; step < STEPS; step++) {
        // The last mini-batch is smaller, and is another step.
        int rows = step == STEPS - 1 ? ROWS / 2 : ROWS;
        float[] features = new float[rows * spec.inputWidth()];
        for (int i = 0; i < features.length; i++) {
          features[i] = (float) random.nextDouble();
        }
        int classes = spec.outputWidth();
        float[] labels = new float[rows * classes];
        for (int row = 0; row < rows; row++) {
          labels[classes * row + random.nextInt(classes)] = 1;
        }
        network.fit(features, labels, rows, null, null, null);
      }
      return network.encode();
    }
  }

  /** Half of what a step has at once, in units of the devices. */
  private static long budget(ModelSpec spec) throws Exception {
    StepShapes shapes =
        new StepShapes(
            spec, EngineNetworks.plan(spec, true, new NetworkForms()), MachineKernels.best());
    return shapes.peakBytes(ROWS) / 128 * 64;
  }

  private static PlacedMemory memory(PlacementPolicy policy, long fastBytes) {
    return VirtualMemories.of(policy, fastBytes, SLOW_BYTES);
  }

  /** The plans of a training, by the steps that they are for. */
  private static final class Plans {
    final Map<TaskGraph, List<PlacementPlan>> candidates = new HashMap<>();
    final int choice;

    Plans(int choice) {
      this.choice = choice;
    }

    PlacementPlan of(TaskGraph step, PlanDevices devices) {
      List<PlacementPlan> all =
          candidates.computeIfAbsent(
              step,
              any -> {
                long[] nanos = new long[any.kernels().size()];
                Arrays.fill(nanos, KERNEL_NANOS);
                return PLANNER.candidates(any.timed(nanos), devices);
              });
      return all.isEmpty() ? PlacementPlan.NONE : all.get(Math.min(choice, all.size() - 1));
    }

    /** Returns the names of the kernels that run again. */
    Set<String> again() {
      Set<String> again = new TreeSet<>();
      candidates.forEach(
          (step, plans) ->
              plans.forEach(
                  plan ->
                      plan.recomputation()
                          .reruns()
                          .forEach(
                              rerun ->
                                  rerun
                                      .kernels()
                                      .forEach(k -> again.add(step.kernels().get(k).name())))));
      return again;
    }
  }

  @ParameterizedTest
  @MethodSource("networks")
  void training_thatComputesTensorsAgain_givesTheSameBits(ModelSpec spec) throws Exception {
    byte[] plain = trained(spec, new DramTensors());
    List<String> again = new ArrayList<>();
    for (int choice = 0; choice < 3; choice++) {
      Plans plans = new Plans(choice);
      PlacementPolicy policy =
          new PlannedPolicy(
              "planned",
              (graph, view) -> plans.of(graph, PlanDevices.of(view)),
              PlacementName.CACHED_ARRAYS.unplanned());
      try (PlacedMemory memory = memory(policy, budget(spec))) {
        assertThat(trained(spec, new PlacedTensors(memory, "1/"))).isEqualTo(plain);
        PlacementStats stats = memory.stats();
        assertThat(stats.policy().planMismatches()).isZero();
        assertThat(memory.memory().verify(true).problems()).isEmpty();
        assertThat(memory.memory().objects()).isEmpty();
      }
      again.addAll(plans.again());
    }
    // A recurrent layer cannot be run again, because the numbers that it reads are gone.
    String network = ((ModelSpec.Network.Dl4jJson) spec.network()).json();
    assertThat(again.isEmpty()).isEqualTo(network.contains("LSTM"));
    if (network.contains("LayerNormalization")) {
      assertThat(again).anyMatch(name -> name.contains("normalization"));
    }
    assertThat(again)
        .noneMatch(name -> name.contains("dropout"))
        .noneMatch(name -> name.contains("loss"))
        .noneMatch(name -> name.startsWith("update"));
  }
}
