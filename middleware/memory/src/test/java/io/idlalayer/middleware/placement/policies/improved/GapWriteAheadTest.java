package io.idlalayer.middleware.placement.policies.improved;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A step of twelve kernels, as forward and backward passes are: kernel k of the first six makes
 * tensor k from tensor k - 1, kernel 11 - k uses tensor k again. One more tensor is lasting, and
 * the last kernel changes it.
 */
class GapWriteAheadTest {
  private static final int LAYERS = 6;
  private static final int LASTING = LAYERS;
  private static final int BYTES = 100_000;

  private final FakeView view = new FakeView(4 * BYTES);
  private final GapWriteAhead ahead = new GapWriteAhead();

  private static TaskGraph step(int bytes) {
    List<TaskGraph.Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < LAYERS; i++) {
      tensors.add(new TaskGraph.Tensor("t" + i, bytes, TensorKind.INTERMEDIATE, false));
    }
    tensors.add(new TaskGraph.Tensor("lasting", bytes, TensorKind.PARAMETER, true));
    List<TaskGraph.Kernel> kernels = new ArrayList<>();
    for (int k = 0; k < LAYERS; k++) {
      List<Integer> reads = k == 0 ? List.of() : List.of(k - 1);
      kernels.add(new TaskGraph.Kernel("f" + k, reads, List.of(k), 1));
    }
    for (int k = LAYERS - 1; k >= 0; k--) {
      List<Integer> changed = k == 0 ? List.of(LASTING) : List.of();
      kernels.add(new TaskGraph.Kernel("b" + k, List.of(k), changed, 1));
    }
    return new TaskGraph(kernels, tensors);
  }

  private MemObject fast(int tensor, int place) {
    MemObject object = view.fast((long) place * BYTES, BYTES);
    view.tensor(tensor, object);
    return object;
  }

  private List<MemObject> written(int kernel) {
    return ahead.after(kernel, view).stream()
        .map(action -> ((Action.WriteBack) action).object())
        .toList();
  }

  @Test
  void gaps_areBetweenUsesThatAreFarApart() {
    StepGaps gaps = new StepGaps(step(BYTES));
    // Tensor 0 is used by kernels 0, 1 and 11, tensor 1 by 1, 2 and 10, tensor 2 by 2, 3 and 9.
    assertThat(gaps.writtenBy(0)).containsExactly(new StepGaps.Gap(0, 0, 1, 11));
    assertThat(gaps.writtenBy(1)).containsExactly(new StepGaps.Gap(1, 1, 2, 10));
    assertThat(gaps.writtenBy(2)).isEmpty();
    assertThat(gaps.writtenBy(11)).containsExactly(new StepGaps.Gap(LASTING, 11, 11, 23));
    assertThat(gaps.inherited()).containsExactly(new StepGaps.Gap(LASTING, -1, -1, 11));
    assertThat(gaps.peak()).isEqualTo(7 * BYTES);
    assertThat(gaps.live(0)).isEqualTo(2 * BYTES);
    assertThat(gaps.mostLiveAfter(6)).isEqualTo(6 * BYTES);
    assertThat(gaps.mostLiveAfter(11)).isZero();
  }

  @Test
  void gaps_ofSmallTensors_areNone() {
    StepGaps gaps = new StepGaps(step((int) StepGaps.SMALLEST_BYTES - 1));
    assertThat(gaps.inherited()).isEmpty();
    assertThat(gaps.writtenBy(0)).isEmpty();
  }

  @Test
  void after_whatIsNotChangedAgain_isWrittenBeforeItsGapBegins() {
    ahead.beginStep(step(BYTES));
    MemObject lasting = fast(LASTING, 0);
    MemObject first = fast(0, 1);
    // Three of seven tensors will have no room: that of the longest gap leaves first.
    assertThat(written(0)).containsExactly(lasting, first);
    view.clean.add(lasting);
    view.clean.add(first);
    MemObject second = fast(1, 2);
    assertThat(written(1)).containsExactly(second);
  }

  @Test
  void after_asMuchAsWillNotFit_isWritten() {
    FakeView wide = new FakeView(6 * BYTES);
    ahead.beginStep(step(BYTES));
    MemObject lasting = wide.fast(0, BYTES);
    MemObject first = wide.fast(BYTES, BYTES);
    wide.tensor(LASTING, lasting);
    wide.tensor(0, first);
    // One of seven has no room.
    assertThat(ahead.after(0, wide))
        .extracting(action -> ((Action.WriteBack) action).object())
        .containsExactly(lasting);
    wide.copying.add(lasting);
    assertThat(ahead.after(0, wide)).as("is under way").isEmpty();
    FakeView enough = new FakeView(7 * BYTES);
    enough.tensor(LASTING, enough.fast(0, BYTES));
    assertThat(ahead.after(1, enough)).isEmpty();
  }

  @Test
  void after_whatIsBusyOrSlowOrOver_isNotWritten() {
    ahead.beginStep(step(BYTES));
    MemObject lasting = fast(LASTING, 0);
    MemObject first = fast(0, 1);
    view.tensor(1, view.slow(BYTES));
    view.busy.add(lasting);
    assertThat(written(1)).containsExactly(first);
    view.copies = 8;
    assertThat(written(2)).isEmpty();
    view.copies = 0;
    view.busy.clear();
    // Only kernel 11 follows, which uses both.
    assertThat(written(10)).isEmpty();
    // Lasting until the next step, which has as little room.
    assertThat(written(11)).containsExactly(lasting);
  }

  @Test
  void gaps_ofWhatIsChangedAgain_areWrittenAfterThat() {
    List<TaskGraph.Kernel> kernels = new ArrayList<>();
    for (int k = 0; k < 40; k++) {
      List<Integer> reads = new ArrayList<>();
      List<Integer> writes = new ArrayList<>();
      // Tensor 0 is changed by 0 and 12; tensor 1 is filled by its owner and read; the last kernel
      // writes tensor 2, which lasts.
      if (k == 0 || k == 12) {
        reads.addAll(k == 0 ? List.of() : List.of(0));
        writes.add(0);
      }
      if (k == 22) {
        reads.add(0);
      }
      if (k == 1 || k == 11) {
        reads.add(1);
      }
      if (k == 15 || k == 30) {
        reads.add(2);
      }
      if (k == 39) {
        writes.add(2);
      }
      kernels.add(new TaskGraph.Kernel("k" + k, reads, writes, 1));
    }
    StepGaps gaps =
        new StepGaps(
            new TaskGraph(
                kernels,
                List.of(
                    new TaskGraph.Tensor("changed", BYTES, TensorKind.INTERMEDIATE, true),
                    new TaskGraph.Tensor("filled", BYTES, TensorKind.INPUT, false),
                    new TaskGraph.Tensor("lasting", BYTES, TensorKind.PARAMETER, true))));
    assertThat(gaps.writtenBy(0)).containsExactly(new StepGaps.Gap(0, 0, 0, 12));
    assertThat(gaps.writtenBy(12)).containsExactly(new StepGaps.Gap(0, 12, 12, 22));
    assertThat(gaps.writtenBy(1)).containsExactly(new StepGaps.Gap(1, 1, 1, 11));
    assertThat(gaps.writtenBy(39)).containsExactly(new StepGaps.Gap(2, 39, 39, 55));
    assertThat(gaps.inherited())
        .containsExactlyInAnyOrder(
            new StepGaps.Gap(2, -1, -1, 15),
            new StepGaps.Gap(2, -1, 15, 30),
            new StepGaps.Gap(2, -1, 30, 39));
  }

  @Test
  void after_aTensorOfSeveralGaps_isCountedOnce() {
    List<TaskGraph.Kernel> kernels = new ArrayList<>();
    for (int k = 0; k < 40; k++) {
      List<Integer> reads = k == 15 || k == 30 ? List.of(0, 1) : List.of();
      List<Integer> writes = k == 39 ? List.of(0, 1) : k == 20 ? List.of(2, 3) : List.of();
      kernels.add(new TaskGraph.Kernel("k" + k, reads, writes, 1));
    }
    List<TaskGraph.Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      TensorKind kind = i < 2 ? TensorKind.PARAMETER : TensorKind.INTERMEDIATE;
      tensors.add(new TaskGraph.Tensor("t" + i, BYTES, kind, true));
    }
    FakeView narrow = new FakeView(2 * BYTES);
    for (int tensor = 0; tensor < 2; tensor++) {
      narrow.tensor(tensor, narrow.fast((long) tensor * BYTES, BYTES));
    }
    ahead.beginStep(new TaskGraph(kernels, tensors));
    assertThat(ahead.after(0, narrow))
        .extracting(action -> ((Action.WriteBack) action).object())
        .containsExactlyInAnyOrder(narrow.object(0), narrow.object(1));
  }

  @Test
  void beginStep_ofTheNextStep_knowsWhatTheLastOneChanged() {
    TaskGraph step = step(BYTES);
    ahead.beginStep(step);
    for (int k = 0; k < 12; k++) {
      ahead.after(k, view);
    }
    ahead.beginStep(step);
    MemObject lasting = fast(LASTING, 0);
    MemObject first = fast(0, 1);
    MemObject second = fast(1, 2);
    assertThat(written(0)).as("and nothing of what comes").containsExactly(lasting, first);
    assertThat(written(1)).contains(second);
  }
}
