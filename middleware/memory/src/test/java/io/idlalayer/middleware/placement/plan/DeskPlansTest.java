package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
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

  private static TaskGraph training(TaskGraph graph) {
    List<TaskGraph.Kernel> kernels = new ArrayList<>(graph.kernels());
    int last = kernels.size() - 1;
    kernels.set(last, kernels.get(last).of(KernelSite.Phase.UPDATE, 1));
    return new TaskGraph(kernels, graph.tensors());
  }

  /** A learner trains two networks of the same kernels if one is held out. */
  @Test
  void costs_twoNetworksThatTrain_countTheStepsOfBoth() {
    TaskGraph first = training(OLD);
    TaskGraph second = training(NEW);
    try (PlanDesk desk = PlanDesk.on(work -> {}, null, () -> 0)) {
      DeskPlans plans = new DeskPlans(desk, List.of(Plans.autoVm()));
      run(plans, first, OLD_NANOS);
      run(plans, first, OLD_NANOS);
      run(plans, second, NEW_NANOS);
      run(plans, OLD, OLD_NANOS);
      assertThat(plans.costs(view).orElseThrow().steps()).isEqualTo(3);
    }
  }

  /** A test of many rows has more bytes than a training of few. */
  @Test
  void use_testWithMoreBytes_isNotReported() {
    TaskGraph training = training(OLD);
    TaskGraph testing = Plans.chain(30);
    assertThat(testing.peakBytes()).isGreaterThan(training.peakBytes());
    try (PlanDesk desk = PlanDesk.on(work -> {}, null, () -> 0)) {
      DeskPlans plans = new DeskPlans(desk, List.of(Plans.autoVm()));
      run(plans, testing, NEW_NANOS);
      assertThat(plans.use().orElseThrow().unplannedNanos()).isEqualTo(NEW_NANOS);
      run(plans, training, OLD_NANOS);
      run(plans, testing, NEW_NANOS);
      assertThat(plans.use().orElseThrow().unplannedNanos()).isEqualTo(OLD_NANOS);
    }
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
