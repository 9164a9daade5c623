package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelTimesTest {
  private static final TaskGraph GRAPH =
      new TaskGraph(
          List.of(
              new TaskGraph.Kernel("a", List.of(), List.of(0), 0),
              new TaskGraph.Kernel("b", List.of(0), List.of(), 0)),
          List.of(new TaskGraph.Tensor("x", 10, TaskGraph.TensorKind.PARAMETER, false)));

  private final FakeView view = new FakeView(100);
  private final KernelTimes times = new KernelTimes(2);

  private void run(int kernel, long nanos, MemObject written) {
    times.ran(kernel, new KernelEvent(kernel, "k", List.of(), List.of(written)), nanos, view);
  }

  private long nanos(int kernel) {
    return times.of(GRAPH).kernels().get(kernel).fastNanos();
  }

  @Test
  void ran_allFast_isTheMedianOfTheLastFiveRuns() {
    MemObject fast = view.fast(0, 10);
    for (long nanos : new long[] {1, 2, 900, 30, 40, 50, 20}) {
      run(0, nanos, fast);
    }
    // Of 900, 30, 40, 50 and 20.
    assertThat(nanos(0)).isEqualTo(40);
    assertThat(nanos(1)).isZero();
    assertThat(times.complete()).isFalse();
    run(1, 7, fast);
    assertThat(times.complete()).isTrue();
    assertThat(times.sumNanos()).isEqualTo(47);
  }

  @Test
  void ran_someSlow_isLessWhatTheModelAddsForStores() {
    MemObject slow = view.slow(1000);
    long storing = Math.round(view.times().inPlace(0, 0, 1000));
    assertThat(storing).isPositive();
    run(0, 5_000 + storing, slow);
    assertThat(nanos(0)).isEqualTo(5_000);
    // The model may be wrong: a time is never below 1.
    run(0, 1, slow);
    assertThat(nanos(0)).isOne();
    // A run with everything fast is worth more than any that has not.
    run(0, 4_000, view.fast(0, 10));
    run(0, 9_000_000, slow);
    assertThat(nanos(0)).isEqualTo(4_000);
  }

  @Test
  void ran_boundBySlowLoads_isWhatTheFastDeviceNeeds() {
    MemObject slow = view.slow(1_000_000);
    long loading = Math.round(view.times().inPlace(0, 1_000_000, 0));
    KernelEvent kernel = new KernelEvent(0, "k", List.of(slow), List.of());
    times.ran(kernel.index(), kernel, loading, view);
    assertThat(nanos(0)).isEqualTo(view.times().copyWithin(1_000_000)).isLessThan(loading);
    // Computing took longer than the loads beside it.
    times.ran(kernel.index(), kernel, 2 * loading, view);
    assertThat(nanos(0)).isEqualTo(2 * loading);
  }

  /** Buffers of 4 bytes each, so 250 pieces: their copies are hidden but for the first and last. */
  @Test
  void ran_slowArgumentsThroughBuffers_isLessTheFirstAndTheLastCopy() {
    MemObject slow = view.slow(1000);
    KernelEvent kernel = new KernelEvent(0, "k", List.of(slow), List.of(slow)).inPieces();
    view.streamed = true;
    double in = view.times().copyIn(1000);
    double out = view.times().copyOut(1000);
    times.ran(0, kernel, 100_000, view);
    assertThat(nanos(0)).isEqualTo(Math.round(100_000 - (in + out) / 250));
    times.ran(0, kernel, Math.round(out), view);
    assertThat(nanos(0)).as("bound by its copies").isEqualTo(view.times().copyWithin(1000));
  }

  /** There was no space for buffers. */
  @Test
  void ran_divisibleKernelInPlace_isLessWhatTheModelAddsForStores() {
    MemObject slow = view.slow(1000);
    KernelEvent kernel = new KernelEvent(0, "k", List.of(), List.of(slow)).inPieces();
    long storing = Math.round(view.times().inPlace(0, 0, 1000));
    times.ran(0, kernel, 5_000 + storing, view);
    assertThat(nanos(0)).isEqualTo(5_000);
  }

  @Test
  void ran_kernelThatTheStepLacks_isLeftOut() {
    run(2, 5, view.fast(0, 10));
    assertThat(times.sumNanos()).isZero();
  }
}
