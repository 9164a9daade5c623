package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Pins what the files of a folder with plans depend on. If one of these tests fails, files of
 * earlier builds would be taken for what this build plans: raise {@link PlanKey#VERSION}, then pin
 * what the test finds.
 */
class PlanKeyTest {
  private static final TaskGraph STEP = Plans.chain(12);
  private static final PlanDevices DEVICES = Plans.devices(STEP.peakBytes() / 2 / 64 * 64);
  private static final List<Planner> PLANNERS =
      List.of(Plans.autoVm(), new AutoTmPlanner(Form.WINDOWS));

  private static String text(PlacementPlan plan) {
    return "created %s\nbefore %s\nafter %s\ntakes %d, at least %d\n"
        .formatted(
            new TreeMap<>(plan.places()),
            moves(plan.before()),
            moves(plan.after()),
            plan.predictedNanos(),
            plan.boundNanos());
  }

  private static Map<Integer, List<Move>> moves(Map<Integer, List<Move>> moves) {
    return new TreeMap<>(moves);
  }

  @Test
  void digest_ofAFixedRequest_changesOnlyWithTheVersion() {
    PlanKey key = PlanKey.of(PLANNERS, STEP, DEVICES);
    assertThat("version %d: %s".formatted(key.version(), key.digest()))
        .isEqualTo("version 8: a586492e75bda66889f6e416b2f9c6e85882713aeddb546e0690b6dbfc7ad879");
  }

  @Test
  void plan_ofAFixedRequest_changesOnlyWithTheVersion() throws Exception {
    StringBuilder plans = new StringBuilder();
    for (Planner planner : PLANNERS) {
      PlacementPlan plan = planner.plan(STEP, DEVICES);
      assertThat(plan.isEmpty()).as(planner.name()).isFalse();
      plans.append(planner.name()).append('\n').append(text(plan));
    }
    byte[] bytes = plans.toString().getBytes(StandardCharsets.UTF_8);
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    assertThat("version %d: %s".formatted(PlanKey.VERSION, digest))
        .as(plans.toString())
        .isEqualTo("version 8: 11ca4ea2ed736d9720a9ee120be309de8ed7d0381e80af44a849116437883210");
  }
}
