package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedlPolicyTest {
  private static final TaskGraph LEARNER = RandomGraphs.chain(6, 640, 1280);
  private static final TaskGraph GATE = RandomGraphs.chain(3, 640, 1280);

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
