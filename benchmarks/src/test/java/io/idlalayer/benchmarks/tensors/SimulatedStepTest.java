package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.placement.ForwardingPlacementPolicy;
import io.idlalayer.benchmarks.tensors.AblatedPolicy.Part;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SimulatedStepTest {
  private static final double BYTES_PER_SECOND = 1e9;

  private static SimulatedStep step;

  @BeforeAll
  static void record() throws Exception {
    TaskGraph graph = Trainee.of(ReferenceNet.MLP, new NetScale(0.1), 8).recorded();
    step = SimulatedStep.of(graph, BYTES_PER_SECOND);
  }

  private static SimulatedStep.Cost under(ComparedPolicy name, double share) throws Exception {
    return step.under(name.create(), bytes(share));
  }

  private static long bytes(double share) {
    return FastBudget.aligned((long) (share * step.graph().peakBytes()));
  }

  @Test
  void under_enoughFastMemory_takesTheTimeOfTheKernels() throws Exception {
    SimulatedStep.Cost cost = under(ComparedPolicy.CACHED_ARRAYS, 2);
    double recorded = step.graph().fastNanos() / 1e9;
    // Sums in another order differ in the last bit.
    assertThat(cost.seconds()).isBetween(0.999 * recorded, 1.01 * recorded);
    assertThat(cost.hiddenSeconds()).isBetween(0.999 * recorded, 1.01 * recorded);
    assertThat(cost.slowBytes()).isZero();
  }

  @Test
  void under_everythingSlow_takesLongestAndMovesMost() throws Exception {
    SimulatedStep.Cost slow = under(ComparedPolicy.ALL_SLOW, 0.2);
    SimulatedStep.Cost placed = under(ComparedPolicy.CACHED_ARRAYS, 0.2);
    assertThat(placed.seconds()).isLessThan(slow.seconds());
    assertThat(placed.slowBytes()).isPositive().isLessThan(slow.slowBytes());
    assertThat(slow.hiddenSeconds()).as("nothing is copied").isEqualTo(slow.seconds());
  }

  @Test
  void under_copiesThatAreHidden_takesLess() throws Exception {
    SimulatedStep.Cost placed = under(ComparedPolicy.CACHED_ARRAYS_LMP, 0.5);
    assertThat(placed.hiddenSeconds()).isLessThan(placed.seconds());
  }

  /** Three pages in turn: two of them never are where the next kernel needs one. */
  @Test
  void pageLru_oneMorePageThanFits_faultsAtEveryUse() throws Exception {
    long page = 64L << 10;
    List<TaskGraph.Tensor> tensors = new ArrayList<>();
    List<TaskGraph.Kernel> kernels = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      tensors.add(new TaskGraph.Tensor("p" + i, page, TaskGraph.TensorKind.PARAMETER, false));
      kernels.add(new TaskGraph.Kernel("k" + i, List.of(i), List.of(), 1_000_000));
    }
    SimulatedStep pages = SimulatedStep.of(new TaskGraph(kernels, tensors), BYTES_PER_SECOND);
    double readSeconds = (double) page / (0.344 * pages.slow().readBytesPerSecond());
    double faultSeconds = readSeconds + pages.slow().readLatencyNanos() / 1e9;
    SimulatedStep.Cost fits = pages.under(ComparedPolicy.PAGE_LRU.create(), 3 * page);
    SimulatedStep.Cost thrashes = pages.under(ComparedPolicy.PAGE_LRU.create(), 2 * page);
    assertThat(fits.seconds()).isCloseTo(0.003, within(1e-6));
    assertThat(fits.slowBytes()).isZero();
    assertThat(thrashes.seconds()).isCloseTo(0.003 + 3 * faultSeconds, within(1e-6));
    assertThat(thrashes.slowBytes()).isEqualTo(3.0 * page);
  }

  /** What a policy has the engine do. */
  private static final class Recorder extends ForwardingPlacementPolicy {
    private final List<Action> actions = new ArrayList<>();

    Recorder(PlacementPolicy policy) {
      super(policy);
    }

    @Override
    public List<Action> before(KernelEvent kernel, MemoryView view) {
      return recorded(super.before(kernel, view));
    }

    @Override
    public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
      return recorded(super.after(kernel, nanos, view));
    }

    private List<Action> recorded(List<Action> some) {
      actions.addAll(some);
      return some;
    }
  }

  private static Recorder recorded(Part without) throws Exception {
    Recorder recorder =
        new Recorder(new AblatedPolicy(ComparedPolicy.CACHED_ARRAYS.create(), without));
    step.under(recorder, bytes(0.2));
    return recorder;
  }

  @Test
  void ablatedPolicy_withoutNothing_isTheWholePolicy() throws Exception {
    SimulatedStep.Cost whole = under(ComparedPolicy.CACHED_ARRAYS, 0.2);
    AblatedPolicy policy = new AblatedPolicy(ComparedPolicy.CACHED_ARRAYS.create(), Part.NOTHING);
    assertThat(step.under(policy, bytes(0.2))).isEqualTo(whole);
  }

  @Test
  void ablatedPolicy_withoutAPart_doesNothingOfIt() throws Exception {
    Recorder whole = recorded(Part.NOTHING);
    assertThat(whole.actions).anyMatch(Action.Stream.class::isInstance);
    assertThat(recorded(Part.STREAMS).actions).noneMatch(Action.Stream.class::isInstance);
    assertThat(whole.actions).anyMatch(Action.WriteBack.class::isInstance);
    assertThat(recorded(Part.WRITE_AHEAD).actions).noneMatch(Action.WriteBack.class::isInstance);
    assertThat(recorded(Part.OUTPUT_SPACE).actions)
        .noneMatch(action -> action.reason() == Reason.OUTPUT_SPACE);
    assertThat(whole.actions).anyMatch(Action.Fetch.class::isInstance);
    assertThat(recorded(Part.FETCHING).actions).noneMatch(Action.Fetch.class::isInstance);
  }
}
