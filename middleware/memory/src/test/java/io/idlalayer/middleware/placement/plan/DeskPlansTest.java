package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeskPlansTest {
  private static final TaskGraph OLD = Plans.chain(12);
  private static final TaskGraph NEW = renamed(OLD);
  private static final long OLD_NANOS = 100;
  private static final long NEW_NANOS = 200;

  private final FakeView view = new FakeView(OLD.peakBytes() / 2 / 64 * 64);

  private static TaskGraph renamed(TaskGraph graph) {
    return new TaskGraph(
        graph.kernels(),
        graph.tensors().stream()
            .map(
                each ->
                    new TaskGraph.Tensor(
                        "2/" + each.name(), each.bytes(), each.kind(), each.mutable()))
            .toList());
  }

  private void run(DeskPlans plans, TaskGraph graph, long nanos) {
    view.known = true;
    plans.begin(graph, view);
    for (int k = 0; k < graph.kernels().size(); k++) {
      plans.ran(new KernelEvent(k, "k", List.of(), List.of()), 1, view);
    }
    view.nanos += nanos;
    plans.ended(view);
  }

  @Test
  void use_networkThatTookThePlaceOfAnother_isThatOne() {
    try (PlanDesk desk = PlanDesk.on(work -> {}, null, () -> 0)) {
      DeskPlans plans = new DeskPlans(desk, List.of(Plans.autoVm()));
      run(plans, OLD, OLD_NANOS);
      run(plans, NEW, NEW_NANOS);
      assertThat(plans.use().orElseThrow().unplannedNanos()).isEqualTo(NEW_NANOS);
      run(plans, OLD, OLD_NANOS);
      assertThat(plans.use().orElseThrow().unplannedNanos()).isEqualTo(OLD_NANOS);
    }
  }
}
