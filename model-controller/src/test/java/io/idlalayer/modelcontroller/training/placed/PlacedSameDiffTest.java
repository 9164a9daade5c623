package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.trace.KernelTrace;
import io.idlalayer.modelcontroller.training.placed.Graphs.Graph;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.autodiff.listeners.impl.ScoreListener;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** SameDiff graphs in a placed memory train to the bits of plain training, and leave nothing. */
class PlacedSameDiffTest {
  private static final long LARGE = 1 << 20;
  private static final int STEPS = 5;
  private static final Map<Graph, Map<String, List<Double>>> PLAIN = new EnumMap<>(Graph.class);
  private static final Map<Graph, Long> PEAKS = new EnumMap<>(Graph.class);

  private static Map<String, List<Double>> plain(Graph which) {
    return PLAIN.computeIfAbsent(
        which,
        each -> {
          SameDiff graph = each.graph.get();
          Nd4j.getRandom().setSeed(5);
          for (int step = 0; step < STEPS; step++) {
            graph.fit(each.batches.apply(step));
          }
          assertThat(Graphs.values(graph).values())
              .allSatisfy(values -> assertThat(values).allMatch(Double::isFinite));
          return Graphs.values(graph);
        });
  }

  private static PlacedMemory memory(PlacementName policy, long fastBytes) {
    return PlacedNetworkTest.memory(policy, fastBytes, null);
  }

  /** Bytes that a step needs. */
  private static long peak(Graph which) throws InterruptedException {
    if (!PEAKS.containsKey(which)) {
      try (PlacedMemory memory = memory(PlacementName.ALL_SLOW, 64);
          PlacedSameDiff placed = PlacedSameDiff.of(which.graph.get(), memory)) {
        placed.fit(which.placeholders(0));
        PEAKS.put(which, placed.peakBytes());
      }
    }
    return PEAKS.get(which);
  }

  static Stream<Arguments> placements() {
    List<Arguments> all = new ArrayList<>();
    for (Graph graph : Graph.values()) {
      for (PlacementName policy : PlacementName.values()) {
        for (int percent : new int[] {100, 50, 20}) {
          if (policy != PlacementName.ALL_FAST || percent == 100) {
            all.add(Arguments.of(graph, policy, percent));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("placements")
  void fit_underEveryPolicy_givesTheSameBits(Graph which, PlacementName policy, int percent)
      throws Exception {
    // The peak is in bytes of objects, which are aligned and leave gaps.
    long fast = policy == PlacementName.ALL_FAST ? LARGE : peak(which) * percent / 100;
    SameDiff graph = which.graph.get();
    try (PlacedMemory memory = memory(policy, fast)) {
      Nd4j.getRandom().setSeed(5);
      try (PlacedSameDiff placed = PlacedSameDiff.of(graph, memory)) {
        for (int step = 0; step < STEPS; step++) {
          placed.fit(which.placeholders(step));
          assertThat(memory.memory().verify(false).problems()).isEmpty();
        }
      }
      assertThat(memory.memory().verify(true).problems()).isEmpty();
      assertThat(Graphs.values(graph)).isEqualTo(plain(which));
      assertThat(graph.getTrainingConfig().getIterationCount()).isEqualTo(STEPS);
      assertThat(graph.getTrainingConfig().getEpochCount()).isZero();
      DeviceUse used = memory.stats().fast();
      assertThat(used.highWaterBytes()).isLessThanOrEqualTo(used.budgetBytes());
      if (percent < 100) {
        assertThat(memory.stats().policy().evictions() + memory.stats().slowUses()).isPositive();
      }
    }
  }

  /** Plain steps and placed ones in turn. */
  @ParameterizedTest
  @EnumSource(Graph.class)
  void aGraphGoesOn_whereItWasGivenBack(Graph which) throws Exception {
    SameDiff graph = which.graph.get();
    long fast = peak(which) / 3;
    Nd4j.getRandom().setSeed(5);
    graph.fit(which.batches.apply(0));
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, fast)) {
      for (int[] steps : new int[][] {{1, 3}, {3, 4}}) {
        try (PlacedSameDiff placed = PlacedSameDiff.of(graph, memory)) {
          for (int step = steps[0]; step < steps[1]; step++) {
            placed.fit(which.placeholders(step));
          }
        }
        assertThat(memory.memory().objects()).isEmpty();
      }
    }
    graph.fit(which.batches.apply(4));
    assertThat(Graphs.values(graph)).isEqualTo(plain(which));
  }

  @Test
  void steps_dozens_leaveNothing() throws Exception {
    assertNothingIsLeft(60);
  }

  @Test
  @Tag("stress")
  void steps_hundreds_leaveNothing() throws Exception {
    assertNothingIsLeft(500);
  }

  private static void assertNothingIsLeft(int steps) throws Exception {
    Graph which = Graph.DENSE_ADAM;
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS_LMP, 4096);
        PlacedSameDiff placed = PlacedSameDiff.of(which.graph.get(), memory)) {
      int objects = memory.memory().objects().size();
      // A variable and the state of its updater each.
      assertThat(objects).isEqualTo(8);
      Map<String, INDArray> batch = which.placeholders(0);
      placed.fit(batch);
      long peak = placed.peakBytes();
      for (int step = 1; step < steps; step++) {
        placed.fit(batch);
        assertThat(memory.memory().objects()).hasSize(objects);
      }
      assertThat(placed.peakBytes()).isEqualTo(peak);
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Graph.class)
  void fit_kernels_changeOnlyWhatTheyDeclare(Graph which) throws Exception {
    WatchingPolicy policy = new WatchingPolicy(PlacementName.CACHED_ARRAYS.create());
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, peak(which) / 2, null);
        PlacedSameDiff placed = PlacedSameDiff.of(which.graph.get(), memory)) {
      for (int step = 0; step < 2; step++) {
        placed.fit(which.placeholders(step));
      }
      assertThat(policy.broken).isEmpty();
    }
  }

  /** Fails at every allocation of a step in turn. */
  @ParameterizedTest
  @EnumSource(Graph.class)
  void aStepThatFails_canBeTriedAgain_andClosed(Graph which) throws Exception {
    WatchingPolicy policy = new WatchingPolicy(PlacementName.CACHED_ARRAYS_LM.create());
    policy.watch = false;
    SameDiff graph = which.graph.get();
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, peak(which) / 2, null)) {
      PlacedSameDiff placed = PlacedSameDiff.of(graph, memory);
      int kept = memory.memory().objects().size();
      int before = policy.allocations();
      placed.fit(which.placeholders(0));
      int perStep = policy.allocations() - before;
      assertThat(perStep).isGreaterThan(15);
      for (int i = 0; i < perStep; i++) {
        boolean interrupts = i % 2 == 0;
        policy.failAt = interrupts ? -1 : policy.allocations() + i;
        policy.interruptAt = interrupts ? policy.allocations() + i : -1;
        assertThatThrownBy(() -> placed.fit(which.placeholders(0)))
            .isInstanceOf(interrupts ? InterruptedException.class : DeviceFullException.class);
        checkAtRest(memory, kept);
      }
      assertThat(graph.getTrainingConfig().getIterationCount()).isEqualTo(1);
      placed.fit(which.placeholders(0));
      checkAtRest(memory, kept);
      placed.close();
      checkAtRest(memory, 0);
    }
    graph.fit(which.batches.apply(1));
    assertThat(graph.getTrainingConfig().getIterationCount()).isEqualTo(3);
  }

  private static void checkAtRest(PlacedMemory memory, int objects) throws InterruptedException {
    assertThat(memory.memory().objects()).hasSize(objects);
    assertThat(memory.memory().objects().stream().anyMatch(MemObject::pinned)).isFalse();
    assertThat(memory.memory().verify(true).problems()).isEmpty();
    assertThat(memory.memory().verify().regionsInFlight()).isZero();
    assertThat(memory.memory().verify().quarantined()).isZero();
  }

  @Test
  void anInterrupt_endsTheStep_andStaysPendingThroughClosing() throws Exception {
    Graph which = Graph.CONVOLUTION_ADAM;
    SameDiff graph = which.graph.get();
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, peak(which) / 2)) {
      PlacedSameDiff placed = PlacedSameDiff.of(graph, memory);
      int kept = memory.memory().objects().size();
      int[] kernels = new int[1];
      placed.observe(
          trace -> {
            if (++kernels[0] == 16) {
              Thread.currentThread().interrupt();
            }
          });
      assertThatThrownBy(() -> placed.fit(which.placeholders(0)))
          .isInstanceOf(InterruptedException.class);
      assertThat(kernels[0]).isEqualTo(16);
      checkAtRest(memory, kept);
      Thread.currentThread().interrupt();
      placed.close();
      assertThat(Thread.interrupted()).isTrue();
      checkAtRest(memory, 0);
    }
    graph.fit(which.batches.apply(1));
  }

  @Test
  void anObserverThatThrows_endsTheStep() throws Exception {
    Graph which = Graph.DENSE_SGD;
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, 2048);
        PlacedSameDiff placed = PlacedSameDiff.of(which.graph.get(), memory)) {
      placed.observe(
          trace -> {
            if (trace.name().startsWith("update")) {
              throw new IllegalStateException("enough");
            }
          });
      assertThatThrownBy(() -> placed.fit(which.placeholders(0))).hasMessage("enough");
      checkAtRest(memory, 4);
    }
  }

  /** What has been retired is not used again, and the same happens in every step. */
  @ParameterizedTest
  @EnumSource(Graph.class)
  void observe_fit_reportsAllOperations(Graph which) throws Exception {
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS_LM, peak(which) / 2);
        PlacedSameDiff placed = PlacedSameDiff.of(which.graph.get(), memory)) {
      List<KernelTrace> traces = new ArrayList<>();
      placed.observe(traces::add);
      List<List<String>> names = new ArrayList<>();
      for (int step = 0; step < 2; step++) {
        traces.clear();
        placed.fit(which.placeholders(step));
        names.add(traces.stream().map(KernelTrace::name).toList());
        Set<MemObject> gone = new HashSet<>();
        for (KernelTrace trace : traces) {
          trace.uses().forEach(use -> assertThat(gone).doesNotContain(use.object()));
          gone.addAll(trace.retired());
        }
        assertThat(gone).hasSizeGreaterThan(10);
      }
      assertThat(names.get(0)).doesNotHaveDuplicates().contains("matmul", "matmul_bp");
      assertThat(names.get(1)).isEqualTo(names.get(0));
    }
  }

  @Test
  void aFastDeviceThatIsTooSmall_isSaid_andTheGraphIsAsItWas() throws Exception {
    Graph which = Graph.DENSE_ADAM;
    SameDiff graph = which.graph.get();
    Nd4j.getRandom().setSeed(5);
    try (PlacedMemory memory = memory(PlacementName.ALL_FAST, 2048)) {
      assertThatThrownBy(() -> PlacedSameDiff.of(graph, memory))
          .isInstanceOf(DeviceFullException.class);
      assertThat(memory.memory().objects()).isEmpty();
    }
    for (int step = 0; step < STEPS; step++) {
      graph.fit(which.batches.apply(step));
    }
    assertThat(Graphs.values(graph)).isEqualTo(plain(which));
  }

  @Test
  void whatIsClosed_isNotUsed_andClosesOnce() throws Exception {
    Graph which = Graph.DENSE_SGD;
    try (PlacedMemory memory = memory(PlacementName.ALL_SLOW, 64)) {
      PlacedSameDiff placed = PlacedSameDiff.of(which.graph.get(), memory);
      assertThatThrownBy(() -> placed.fit(Map.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("[in, labels]");
      assertThatThrownBy(() -> placed.fit(Map.of("w1", Nd4j.scalar(1f))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("w1 is no placeholder");
      placed.close();
      placed.close();
      assertThatThrownBy(() -> placed.fit(which.placeholders(0)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void doublesForFloats_areCast_asPlainTrainingDoes() throws Exception {
    Graph which = Graph.DENSE_ADAM;
    SameDiff graph = which.graph.get();
    Nd4j.getRandom().setSeed(5);
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, 4096);
        PlacedSameDiff placed = PlacedSameDiff.of(graph, memory)) {
      for (int step = 0; step < STEPS; step++) {
        DataSet batch = which.batches.apply(step);
        placed.fit(
            Map.of("in", batch.getFeatures().castTo(DataType.DOUBLE), "labels", batch.getLabels()));
      }
    }
    assertThat(Graphs.values(graph)).isEqualTo(plain(which));
  }

  private static void refused(Consumer<SameDiff> change, String why) throws Exception {
    SameDiff graph = Graphs.dense(new Sgd(0.1), DataType.FLOAT);
    change.accept(graph);
    Map<String, List<Double>> before = Graphs.values(graph);
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, 4096)) {
      assertThatThrownBy(() -> PlacedSameDiff.of(graph, memory))
          .isInstanceOf(UnsupportedNetworkException.class)
          .hasMessageContaining(why);
      assertThat(memory.memory().objects()).isEmpty();
    }
    assertThat(Graphs.values(graph)).isEqualTo(before);
  }

  @Test
  void whatCannotBePlaced_isRefused() throws Exception {
    refused(graph -> graph.setListeners(new ScoreListener(10)), "listeners");
    refused(graph -> graph.var("half", Nd4j.create(DataType.FLOAT16, 3)), "half is of type HALF");
    refused(graph -> graph.var("count", Nd4j.create(DataType.INT32, 3)), "count is of type INT");
    refused(graph -> graph.placeHolder("short", DataType.BFLOAT16, 2), "BFLOAT16");
    refused(
        graph -> {
          SDVariable predicate = graph.constant("predicate", Nd4j.scalar(true));
          graph.switchOp(graph.getVariable("in"), predicate);
        },
        "control flow");
    refused(
        graph -> graph.assign(graph.getVariable("w1"), graph.getVariable("w1")),
        "gives an input back");
    refused(
        graph ->
            graph.createView(
                graph.getVariable("in"), graph.constant("all", Nd4j.createFromArray(0L))),
        "of type CreateView");
    SameDiff untrained = SameDiff.create();
    untrained.var("w", Nd4j.scalar(1f)).add(1).markAsLoss();
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, 4096)) {
      assertThatThrownBy(() -> PlacedSameDiff.of(untrained, memory))
          .isInstanceOf(UnsupportedNetworkException.class)
          .hasMessageContaining("training configuration");
    }
  }
}
