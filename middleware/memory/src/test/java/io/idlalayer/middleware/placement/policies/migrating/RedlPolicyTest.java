package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedlPolicyTest {
  private static final TaskGraph LEARNER = RandomGraphs.chain(6, 640, 1280);
  private static final TaskGraph GATE = RandomGraphs.chain(3, 640, 1280);

  /**
   * Nothing is known of the kernels of a step that ran as a whole, so it tells a search nothing.
   */
  @Test
  void endOfStep_withoutPlacedKernels_isNotReported() {
    List<long[]> reported = new ArrayList<>();
    PeriodSource source =
        new PeriodSource() {
          @Override
          public Periods begin(StepProfile step, MemoryView view) {
            return Periods.NONE;
          }

          @Override
          public void ended(StepProfile step, long[] kernelNanos, long nanos, MemoryView view) {
            reported.add(kernelNanos);
          }
        };
    RedlPolicy policy =
        new RedlPolicy("redl", RedlPolicy.Mode.BY_COST, source, new ImprovedPolicy("rest"));
    FakeView view = new FakeView(4_096);
    view.known = true;
    policy.beginStep(GATE, view);
    policy.endOfStep(view);
    assertThat(reported).isEmpty();
    policy.beginStep(GATE, view);
    policy.after(new KernelEvent(0, "k", List.of(), List.of()), 7, view);
    policy.endOfStep(view);
    assertThat(reported).hasSize(1);
    assertThat(reported.get(0)[0]).isEqualTo(7);
    policy.beginStep(GATE, view);
    policy.endOfStep(view);
    assertThat(reported).hasSize(1);
  }

  @Test
  void beginStep_networksInTurns_keepWhatIsKnownOfEach() {
    List<StepProfile> asked = new ArrayList<>();
    RedlPolicy policy =
        new RedlPolicy(
            "redl",
            RedlPolicy.Mode.BY_COST,
            (step, view) -> {
              asked.add(step);
              return Periods.NONE;
            },
            new ImprovedPolicy("rest"));
    FakeView view = new FakeView(4_096);
    for (TaskGraph each : List.of(LEARNER, GATE, LEARNER, GATE)) {
      policy.beginStep(each, view);
    }
    assertThat(asked.get(0).graph()).isEqualTo(LEARNER);
    assertThat(asked.get(2)).isSameAs(asked.get(0));
    assertThat(asked.get(3)).isSameAs(asked.get(1)).isNotSameAs(asked.get(0));
  }
}
