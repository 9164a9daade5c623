package io.idlalayer.middleware.cache.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.budget.Claim.Form;
import io.idlalayer.middleware.cache.budget.DramBudget.Decision;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DramBudgetTest {
  private static final DramBudget BUDGET = new DramBudget(100);

  private static Claim line(FastUse use, double secondsAtHundred) {
    BenefitCurve curve = new BenefitCurve(new long[] {0, 100}, new double[] {0, secondsAtHundred});
    return new Claim(use, 10, 100, curve, Form.CONCAVE);
  }

  private static FastSplit split(long samples, long rows) {
    return new FastSplit(Map.of(FastUse.SAMPLES, samples, FastUse.ROWS, rows));
  }

  @Test
  void decide_oneSavesMorePerByte_getsAllButTheLeastOfOthers() {
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 1), line(FastUse.ROWS, 2));

    Decision decision = BUDGET.decide(claims, split(50, 50), SplitHistory.NONE);

    assertThat(decision.moves()).isTrue();
    assertThat(decision.split()).isEqualTo(split(10, 90));
    assertThat(decision.gain()).isCloseTo(0.4, org.assertj.core.api.Assertions.within(1e-12));
  }

  @Test
  void decide_gainBelowFourPercentOfWhatIsLost_stays() {
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 1), line(FastUse.ROWS, 1.02));

    Decision decision = BUDGET.decide(claims, split(50, 50), SplitHistory.NONE);

    assertThat(decision.moves()).isFalse();
    assertThat(decision.split()).isEqualTo(split(50, 50));
    assertThat(decision.reason()).contains("less than 4 %");
  }

  @Test
  void decide_moveCostsMoreThanHalfOfWhatItSaves_stays() {
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 1), line(FastUse.ROWS, 2));
    // 0.4 s in each of 600 seconds.
    SplitHistory dear = costing(Map.of(FastUse.SAMPLES, 1.0, FastUse.ROWS, 120.0));
    SplitHistory cheap = costing(Map.of(FastUse.SAMPLES, 1.0, FastUse.ROWS, 118.0));

    assertThat(BUDGET.decide(claims, split(50, 50), dear).moves()).isFalse();
    assertThat(BUDGET.decide(claims, split(50, 50), cheap).moves()).isTrue();
  }

  private static SplitHistory costing(Map<FastUse, Double> seconds) {
    return new SplitHistory(Map.of(), Double.POSITIVE_INFINITY, seconds);
  }

  @Test
  void decide_useWhoseChangesAreDearStays_othersMove() {
    Claim tensors =
        new Claim(
            FastUse.TENSORS,
            40,
            40,
            new BenefitCurve(new long[] {40}, new double[] {1_000}),
            Form.STEPS);
    FastSplit now = split(30, 30).with(FastUse.TENSORS, 40);
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 1), line(FastUse.ROWS, 2), tensors);

    Decision decision = BUDGET.decide(claims, now, costing(Map.of(FastUse.TENSORS, 1e6)));

    assertThat(decision.split()).isEqualTo(split(10, 50).with(FastUse.TENSORS, 40));
  }

  /** What is saved in any case says nothing about what another split would save. */
  @Test
  void decide_gainIsLittleOfWhatIsSavedButMuchOfWhatIsLost_moves() {
    Claim tensors =
        new Claim(
            FastUse.TENSORS,
            40,
            40,
            new BenefitCurve(new long[] {40}, new double[] {1_000}),
            Form.STEPS);
    FastSplit now = split(50, 10).with(FastUse.TENSORS, 40);
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 0.001), line(FastUse.ROWS, 0.002), tensors);

    Decision decision = BUDGET.decide(claims, now, SplitHistory.NONE);

    assertThat(decision.split()).isEqualTo(split(10, 50).with(FastUse.TENSORS, 40));
  }

  @Test
  void decide_secondTurnWithinTenMinutes_stays() {
    SplitHistory grown = SplitHistory.NONE.moved(split(50, 50), split(90, 10), Map.of());
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 1), line(FastUse.ROWS, 2));

    Decision first = BUDGET.decide(claims, split(90, 10), grown);
    SplitHistory turned = grown.moved(split(90, 10), first.split(), Map.of());
    List<Claim> back = List.of(line(FastUse.SAMPLES, 2), line(FastUse.ROWS, 1));

    assertThat(first.split()).isEqualTo(split(10, 90));
    assertThat(BUDGET.decide(back, first.split(), turned.after(599)).moves()).isFalse();
    assertThat(BUDGET.decide(back, first.split(), turned.after(600)).moves()).isTrue();
  }

  @Test
  void decide_nothingSavesAnything_stays() {
    Claim samples = new Claim(FastUse.SAMPLES, 10, 100, BenefitCurve.none(), Form.CONCAVE);
    Claim rows = new Claim(FastUse.ROWS, 10, 100, BenefitCurve.none(), Form.CONCAVE);

    Decision decision = BUDGET.decide(List.of(samples, rows), split(80, 20), SplitHistory.NONE);

    assertThat(decision.moves()).isFalse();
  }

  @Test
  void decide_useBelowItsLeast_movesWithoutGain() {
    Claim samples = new Claim(FastUse.SAMPLES, 10, 100, BenefitCurve.none(), Form.CONCAVE);
    Claim rows = new Claim(FastUse.ROWS, 40, 100, BenefitCurve.none(), Form.CONCAVE);

    Decision decision = BUDGET.decide(List.of(samples, rows), split(80, 20), SplitHistory.NONE);

    assertThat(decision.moves()).isTrue();
    assertThat(decision.split().of(FastUse.ROWS)).isEqualTo(40);
    assertThat(decision.split().of(FastUse.SAMPLES)).isEqualTo(60);
  }

  @Test
  void decide_planThatNeedsItsBytes_getsAllOrTheLeast() {
    BenefitCurve plans = new BenefitCurve(new long[] {20, 60}, new double[] {0, 10});
    Claim tensors = new Claim(FastUse.TENSORS, 20, 100, plans, Form.STEPS);

    Decision worth =
        BUDGET.decide(List.of(line(FastUse.SAMPLES, 1), tensors), split(80, 0), SplitHistory.NONE);
    Decision tooDear =
        BUDGET.decide(List.of(line(FastUse.SAMPLES, 30), tensors), split(80, 0), SplitHistory.NONE);

    assertThat(worth.split().of(FastUse.TENSORS)).isEqualTo(60);
    assertThat(worth.split().of(FastUse.SAMPLES)).isEqualTo(40);
    assertThat(tooDear.split().of(FastUse.TENSORS)).isEqualTo(20);
    assertThat(tooDear.split().of(FastUse.SAMPLES)).isEqualTo(80);
  }

  @Test
  void decide_budgetBelowAllLeast_isRefusedWithBothNumbers() {
    Claim rows = new Claim(FastUse.ROWS, 95, 100, BenefitCurve.none(), Form.CONCAVE);

    assertThatThrownBy(
            () ->
                BUDGET.decide(
                    List.of(line(FastUse.SAMPLES, 1), rows), split(50, 50), SplitHistory.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("100")
        .hasMessageContaining("105");
  }

  @Test
  void curve_valuesThatFall_areRaised() {
    BenefitCurve curve = new BenefitCurve(new long[] {0, 10, 20}, new double[] {0, 5, 3});

    assertThat(curve.at(20)).isEqualTo(5);
    assertThat(curve.at(5)).isEqualTo(2.5);
    assertThat(curve.at(1_000)).isEqualTo(5);
  }

  @Test
  void curve_sizesThatDoNotAscend_areRefused() {
    assertThatThrownBy(() -> new BenefitCurve(new long[] {5, 5}, new double[] {0, 1}))
        .hasMessageContaining("ascend");
  }

  /** All that saves something fits, so the slightest noise is much of what is lost. */
  @Test
  void decide_gainOfLessThanAHundredthOfASecondADay_stays() {
    List<Claim> claims = List.of(line(FastUse.SAMPLES, 1e-8), line(FastUse.ROWS, 2e-7));

    assertThat(BUDGET.decide(claims, split(50, 50), SplitHistory.NONE).moves()).isFalse();
  }
}
