package io.idlalayer.middleware.cache.donation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.donation.DonationPlan.Move;
import io.idlalayer.middleware.cache.donation.DonationPlan.Reason;
import io.idlalayer.middleware.cache.policy.HitCurve;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class DonationPlannerTest {
  private static final double MIB = 1 << 20;

  private final DonationPlanner planner = new DonationPlanner(DonationSettings.defaults());

  /** The two rules of the worked example. */
  static double example(double s) {
    double small = Math.max(0, Math.min(1, (512 - s) / 384));
    return small * (40 - 0.05 * s) + (1 - small) * (20 + 0.01 * s);
  }

  private static PlanRequest.Owner owner(
      String name, long current, DoubleUnaryOperator seconds, PlanRequest.Limits limits) {
    return new PlanRequest.Owner(name, 1, current, seconds, limits, OptionalLong.empty());
  }

  private Move only(PlanRequest request) {
    DonationPlan plan = planner.plan(request);
    assertThat(plan.moves()).hasSize(1);
    assertThat(plan.toString()).contains(plan.moves().get(0).why());
    return plan.moves().get(0);
  }

  private static PlanRequest one(PlanRequest.Owner owner, long ceiling) {
    return new PlanRequest(List.of(owner), ceiling, null);
  }

  private static PlanRequest.Limits step(long mib) {
    return new PlanRequest.Limits(4096, mib);
  }

  @Test
  void example_hasTheOutputsOfTheSpec() {
    double[][] table = {
      {128, 33.6}, {256, 25.653}, {320, 23.6}, {384, 22.827}, {448, 23.333}, {512, 25.12}
    };
    for (double[] row : table) {
      assertThat(example(row[0])).isCloseTo(row[1], within(5e-4));
    }
    double best = 0;
    for (double s = 128; s <= 512; s += 0.1) {
      best = example(s) < example(best) || best == 0 ? s : best;
    }
    assertThat(best).isCloseTo(390.7, within(0.11));
  }

  @Test
  void plan_example_gives384AndUnderACeilingOf300Gives256() {
    PlanRequest.Owner owner =
        owner("a", 128, DonationPlannerTest::example, new PlanRequest.Limits(4096, Long.MAX_VALUE));

    Move free = only(one(owner, 4096));
    assertThat(free.afterMib()).isEqualTo(384);
    assertThat(free.targetMib()).isEqualTo(384);
    assertThat(free.reason()).isEqualTo(Reason.BETTER);
    assertThat(free.beforeSeconds()).isCloseTo(33.6, within(1e-9));
    assertThat(free.afterSeconds()).isCloseTo(22.827, within(5e-4));
    assertThat(only(one(owner, 300)).afterMib()).isEqualTo(256);
  }

  @Test
  void changes_areAtMost64MiBEach_towardsTheBest() {
    long current = 128;
    for (long next : new long[] {192, 256, 320, 384, 384}) {
      Move move = only(one(owner("a", current, DonationPlannerTest::example, step(64)), 4096));
      assertThat(move.afterMib()).isEqualTo(next);
      assertThat(move.targetMib()).isEqualTo(384);
      current = next;
    }
    assertThat(only(one(owner("a", 384, DonationPlannerTest::example, step(64)), 4096)).reason())
        .isEqualTo(Reason.BEST);
  }

  @Test
  void bound_isMemoryPerExecutorLessTheMinimumHeap() {
    DonationSettings settings = DonationSettings.defaults();
    assertThat(settings.mostMib(1024, 4)).isEqualTo(192);
    assertThat(settings.mostMib(100, 4)).isZero();
  }

  @Test
  void gainBelowTwoPercent_staysAndSaysSo() {
    Move move = only(one(owner("a", 320, s -> s == 384 ? 9.81 : 10, step(64)), 4096));

    assertThat(move.reason()).isEqualTo(Reason.GAIN_TOO_SMALL);
    assertThat(move.afterMib()).isEqualTo(320);
    assertThat(move.targetMib()).isEqualTo(384);
    assertThat(move.why()).isEqualTo("10.0000 -> 9.81000 s at best saves less than 2.0 %");
    assertThat(only(one(owner("a", 320, s -> s == 384 ? 9.8 : 10, step(64)), 4096)).afterMib())
        .isEqualTo(384);
  }

  @Test
  void farGain_allowsSmallSteps_butNoneThatIsWorse() {
    DoubleUnaryOperator slope = s -> 100 - s / 1000;
    DoubleUnaryOperator hump = s -> s == 640 ? 11 : s > 640 ? 5 : 10;

    assertThat(only(one(owner("a", 576, slope, step(64)), 4096)).afterMib()).isEqualTo(640);
    Move stuck = only(one(owner("a", 576, hump, step(64)), 4096));
    assertThat(stuck.afterMib()).isEqualTo(576);
    assertThat(stuck.reason()).isEqualTo(Reason.BEST);
    assertThat(stuck.targetMib()).isEqualTo(704);
  }

  @Test
  void equalDonations_areLeftAsTheyAre() {
    assertThat(only(one(owner("a", 100, s -> 7, step(64)), 4096)).afterMib()).isEqualTo(100);
  }

  @Test
  void ceiling_isSharedOut_whereItSavesMost() {
    PlanRequest.Owner needy = owner("needy", 64, s -> 100 - s / 10, step(64));
    PlanRequest.Owner modest = owner("modest", 192, s -> 10 - s / 1000, step(64));
    DonationPlan plan = planner.plan(new PlanRequest(List.of(needy, modest), 256, null));

    assertThat(plan.moves()).extracting(Move::afterMib).containsExactly(128L, 128L);
    assertThat(plan.exact()).isTrue();
    assertThat(plan.totalMib()).isEqualTo(256);
    assertThat(plan.afterSeconds()).isLessThan(plan.beforeSeconds());
    assertThat(plan.beforeSeconds()).isCloseTo((93.6 + 9.808) / 2, within(1e-9));
  }

  @Test
  void tasks_weighTheOwners() {
    PlanRequest.Limits limits = new PlanRequest.Limits(64, Long.MAX_VALUE);
    DoubleUnaryOperator falls = s -> 10 - s / 64;
    for (double tasks : new double[] {0.5, 2}) {
      PlanRequest.Owner a =
          new PlanRequest.Owner("a", tasks, 0, falls, limits, OptionalLong.empty());
      PlanRequest.Owner b = new PlanRequest.Owner("b", 1, 0, falls, limits, OptionalLong.empty());
      DonationPlan plan = planner.plan(new PlanRequest(List.of(a, b), 64, null));
      assertThat(plan.moves().get(tasks > 1 ? 0 : 1).afterMib()).isEqualTo(64);
      assertThat(plan.totalMib()).isEqualTo(64);
    }
  }

  private static HitCurve curve(double... hitsPer64Mib) {
    return new HitCurve(64 * MIB, hitsPer64Mib, 100_000);
  }

  @Test
  void growth_withoutHitsInSight_isRefusedWithTheNumbers() {
    PlanRequest.Owner owner = owner("a", 128, DonationPlannerTest::example, step(64));
    HitCurve flat = curve(50_000, 10_000, 199, 40_000);
    HitCurve rising = curve(50_000, 10_000, 200, 0);

    Move refused = only(new PlanRequest(List.of(owner), 4096, flat));
    assertThat(refused.reason()).isEqualTo(Reason.VETO);
    assertThat(refused.afterMib()).isEqualTo(128);
    assertThat(refused.why())
        .isEqualTo(
            "128 -> 192 MiB refused: the hit ratio would go from 0.6000 to 0.6020; the change that is needed is 0.0020");
    assertThat(only(new PlanRequest(List.of(owner), 4096, rising)).afterMib()).isEqualTo(192);
  }

  @Test
  void shrinking_thatLosesHits_isRefused() {
    PlanRequest.Owner owner = owner("a", 128, s -> 1 + s, step(64));

    assertThat(only(new PlanRequest(List.of(owner), 4096, curve(50_000, 201))).reason())
        .isEqualTo(Reason.VETO);
    assertThat(only(new PlanRequest(List.of(owner), 4096, curve(50_000, 199))).afterMib())
        .isEqualTo(64);
  }

  @Test
  void fewReferences_refuseNothing() {
    PlanRequest.Owner owner = owner("a", 128, DonationPlannerTest::example, step(64));
    HitCurve young = new HitCurve(64 * MIB, new double[] {5_000}, 9_999);

    assertThat(only(new PlanRequest(List.of(owner), 4096, young)).afterMib()).isEqualTo(192);
  }

  @Test
  void refusedShrinking_givesNoRoomToOthers() {
    PlanRequest.Owner grows = owner("grows", 64, s -> 100 - s, step(64));
    PlanRequest.Owner shrinks = owner("shrinks", 64, s -> 1 + s / 100, step(64));
    // Without the one that shrinks the pool would grow, and that would be worth much.
    HitCurve worth = curve(50_000, 10_000, 30_000, 0);
    DonationPlan plan = planner.plan(new PlanRequest(List.of(grows, shrinks), 128, worth));

    assertThat(plan.totalMib()).isLessThanOrEqualTo(128);
    assertThat(plan.moves().get(1).reason()).isEqualTo(Reason.VETO);
    assertThat(plan.moves()).extracting(Move::afterMib).containsExactly(64L, 64L);
  }

  @Test
  void boundThatFell_isMetStepByStep_whateverTheModelAndTheHitsSay() {
    HitCurve precious = curve(10_000, 10_000, 10_000, 10_000, 10_000);
    long current = 320;
    for (long next : new long[] {256, 192, 128, 128}) {
      PlanRequest.Limits fallen = new PlanRequest.Limits(160, 64);
      PlanRequest.Owner owner = owner("a", current, s -> 1000 - s, fallen);
      Move move = only(new PlanRequest(List.of(owner), 4096, precious));
      assertThat(move.afterMib()).isEqualTo(next);
      if (next != current) {
        assertThat(move.reason()).isEqualTo(Reason.ABOVE_BOUND);
        assertThat(move.why()).isEqualTo("at most 160 MiB may be given");
      }
      current = next;
    }
  }

  @Test
  void boundThatFell_isMet_alsoWithoutAModel() {
    PlanRequest.Limits limits = new PlanRequest.Limits(100, 1000);
    PlanRequest.Owner owner =
        new PlanRequest.Owner("a", 1, 500, null, limits, OptionalLong.empty());
    Move move = only(one(owner, 500));

    assertThat(move.reason()).isEqualTo(Reason.ABOVE_BOUND);
    assertThat(move.afterMib()).isEqualTo(64);
    assertThat(move.why()).isEqualTo("at most 100 MiB may be given");
  }

  @Test
  void withoutAModel_orWithOneThatIsBroken_itStays() {
    PlanRequest.Owner none =
        new PlanRequest.Owner("none", 1, 100, null, step(64), OptionalLong.empty());
    PlanRequest.Owner broken = owner("broken", 100, s -> Double.NaN, step(64));
    PlanRequest.Owner partly =
        owner("partly", 128, s -> s > 128 ? Double.POSITIVE_INFINITY : s, step(64));
    DonationPlan plan = planner.plan(new PlanRequest(List.of(none, broken, partly), 4096, null));

    assertThat(plan.moves()).extracting(Move::afterMib).containsExactly(100L, 100L, 64L);
    assertThat(plan.moves())
        .extracting(Move::reason)
        .containsExactly(Reason.NOT_READY, Reason.NOT_READY, Reason.BETTER);
    assertThat(plan.beforeSeconds()).isEqualTo(128);
    assertThat(planner.plan(one(none, 4096)).beforeSeconds()).isNaN();
  }

  @Test
  void probe_withinChangeBoundAndCeiling_isTakenUnlessHitsAreLost() {
    for (long probe : new long[] {128, 192, 256}) {
      PlanRequest.Owner owner =
          new PlanRequest.Owner("a", 1, 128, null, step(64), OptionalLong.of(probe));
      boolean taken = probe == 192;
      Move move = only(one(owner, 200));
      assertThat(move.reason()).isEqualTo(taken ? Reason.PROBE : Reason.NOT_READY);
      assertThat(only(one(owner, 150)).afterMib()).isEqualTo(128);
    }
    PlanRequest.Owner owner =
        new PlanRequest.Owner("a", 1, 128, null, step(64), OptionalLong.of(192));
    Move refused = only(new PlanRequest(List.of(owner), 200, curve(1, 1, 1)));
    assertThat(refused.reason()).isEqualTo(Reason.VETO);
    assertThat(refused.afterMib()).isEqualTo(128);
  }

  @Test
  void nobody_isAPlanOfNothing() {
    DonationPlan plan = planner.plan(new PlanRequest(List.of(), 0, null));
    assertThat(plan.moves()).isEmpty();
    assertThat(plan.totalMib()).isZero();
  }

  @Test
  void badRequests_sayWhatIsWrong() {
    PlanRequest.Owner owner = owner("a", 100, s -> s, step(64));
    assertThatThrownBy(() -> one(owner, 99))
        .hasMessage("the owners give 100 MiB and the ceiling is 99");
    assertThatThrownBy(() -> owner("b", -1, s -> s, step(64))).hasMessageContaining("-1 MiB");
    assertThatThrownBy(() -> step(-1)).hasMessageContaining("-1 MiB");
  }
}
