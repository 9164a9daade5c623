package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnnouncedStepTest {
  private static final TaskGraph GRAPH =
      new TaskGraph(
          List.of(
              new Kernel("a", List.of(0), List.of(1), 1),
              new Kernel("b", List.of(), List.of(), 1),
              new Kernel("c", List.of(1), List.of(0), 1),
              new Kernel("d", List.of(), List.of(), 1)),
          List.of(
              new Tensor("w", 10, TensorKind.PARAMETER, true),
              new Tensor("x", 20, TensorKind.INTERMEDIATE, false)));

  private final TieredMemory memory = Tiers.of(100, 100);
  private final MemObject w = Tiers.make(memory, FAST, 10);
  private final MemObject x = Tiers.make(memory, FAST, 20);
  private final AnnouncedStep step = new AnnouncedStep(GRAPH);

  private static KernelEvent kernel(int index, String name, List<MemObject> reads) {
    return new KernelEvent(index, name, reads, List.of());
  }

  @Test
  void nextUse_isExact() {
    step.named(w, "w");
    step.restart();
    assertThat(step.nextUse(w)).isEqualTo(1);
    assertThat(step.begins(kernel(0, "a", List.of(w)))).isTrue();
    step.named(x, "x");
    assertThat(step.nextUse(x)).isEqualTo(2);
    assertThat(step.begins(kernel(1, "b", List.of()))).isTrue();
    assertThat(step.begins(new KernelEvent(2, "c", List.of(x), List.of(w)))).isTrue();
    // Given up after its last use; what is kept is used again by the next step.
    assertThat(step.nextUse(x)).isEqualTo(MemoryView.NEVER);
    assertThat(step.nextUse(w)).isEqualTo(2);
    step.retired(x);
    assertThat(step.nextUse(x)).isEqualTo(MemoryView.UNKNOWN);
    assertThat(step.object(1)).isNull();
    assertThat(step.object(0)).isSameAs(w);
  }

  @Test
  void named_otherBytes_isNotThatTensor() {
    step.named(w, "x");
    assertThat(step.object(1)).isNull();
    step.named(x, "unheard of");
    assertThat(step.nextUse(x)).isEqualTo(MemoryView.UNKNOWN);
  }

  /** Objects that come and go while another step is announced are not those of this one. */
  @Test
  void begin_stepsThatTakeTurns_knowThePresentObjects() {
    TaskGraph other = new TaskGraph(List.of(), List.of());
    StepUses uses = new StepUses();
    uses.created(w, "w", null);
    uses.begin(GRAPH);
    assertThat(uses.object(0)).isSameAs(w);
    uses.end();
    uses.begin(other);
    assertThat(uses.nextUse(w)).isEqualTo(MemoryView.UNKNOWN);
    uses.retired(w);
    MemObject again = Tiers.make(memory, FAST, 10);
    uses.created(again, "w", null);
    uses.end();
    uses.begin(GRAPH);
    assertThat(uses.object(0)).isSameAs(again);
    assertThat(uses.nextUse(again)).isEqualTo(1);
    assertThat(uses.nextUse(w)).isEqualTo(MemoryView.UNKNOWN);
    uses.retired(again);
    uses.begin(other);
    uses.begin(GRAPH);
    assertThat(uses.object(0)).isNull();
  }

  @Test
  void begins_anotherKernel_isNoticedOnce() {
    step.named(w, "w");
    for (KernelEvent other :
        List.of(
            kernel(1, "a", List.of(w)),
            kernel(0, "b", List.of(w)),
            kernel(0, "a", List.of()),
            kernel(0, "a", List.of(w, x)))) {
      step.restart();
      assertThat(step.begins(other)).isFalse();
      assertThat(step.followed()).isFalse();
      assertThat(step.begins(kernel(1, "b", List.of()))).isTrue();
      assertThat(step.nextUse(w)).isEqualTo(MemoryView.UNKNOWN);
    }
    step.restart();
    assertThat(step.begins(kernel(0, "a", List.of(w)))).isTrue();
  }
}
