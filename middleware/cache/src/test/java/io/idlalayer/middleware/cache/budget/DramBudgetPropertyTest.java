package io.idlalayer.middleware.cache.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.budget.Claim.Form;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The policy against every split that there is. */
class DramBudgetPropertyTest {
  private static final double EXACT = 1e-9;

  private static BenefitCurve curve(SplittableRandom random, int points, boolean concave) {
    double[] rises = new double[points];
    for (int i = 0; i < points; i++) {
      rises[i] = random.nextInt(3) == 0 ? 0 : random.nextDouble(0, 5);
    }
    if (concave) {
      Arrays.sort(rises);
    }
    long[] bytes = new long[points + 1];
    double[] seconds = new double[points + 1];
    for (int i = 1; i <= points; i++) {
      bytes[i] = i;
      seconds[i] = seconds[i - 1] + (concave ? rises[points - i] : rises[i - 1]);
    }
    return new BenefitCurve(bytes, seconds);
  }

  private static BenefitCurve steps(SplittableRandom random, int most) {
    List<Long> sizes = new ArrayList<>(List.of(0L));
    long size = 0;
    while ((size += random.nextInt(1, 7)) <= most) {
      sizes.add(size);
    }
    long[] bytes = sizes.stream().mapToLong(Long::longValue).toArray();
    double[] seconds = new double[bytes.length];
    for (int i = 1; i < seconds.length; i++) {
      seconds[i] = seconds[i - 1] + random.nextDouble(0, 10);
    }
    return new BenefitCurve(bytes, seconds);
  }

  private static List<Claim> claims(SplittableRandom random, int budget, boolean concave) {
    return List.of(
        claim(FastUse.SAMPLES, random, curve(random, budget, concave), Form.CONCAVE, budget),
        claim(FastUse.ROWS, random, curve(random, budget, concave), Form.CONCAVE, budget),
        claim(FastUse.TENSORS, random, steps(random, budget), Form.STEPS, budget));
  }

  private static Claim claim(
      FastUse use, SplittableRandom random, BenefitCurve curve, Form form, int budget) {
    int least = random.nextInt(budget / 4 + 1);
    int most = random.nextInt(least, budget + 1);
    return new Claim(use, least, most, curve, form);
  }

  /** Returns what the best of all splits saves. */
  private static double oracle(List<Claim> claims, long budget) {
    double best = Double.NEGATIVE_INFINITY;
    Claim a = claims.get(0);
    Claim b = claims.get(1);
    Claim c = claims.get(2);
    for (long x = a.leastBytes(); x <= a.mostBytes(); x++) {
      for (long y = b.leastBytes(); y <= b.mostBytes(); y++) {
        for (long z = c.leastBytes(); z <= c.mostBytes() && x + y + z <= budget; z++) {
          best = Math.max(best, a.seconds(x) + b.seconds(y) + c.seconds(z));
        }
      }
    }
    return best;
  }

  private static FastSplit decided(List<Claim> claims, int budget, SplittableRandom random) {
    FastSplit now = BestSplit.of(budget, claims, new FastSplit(Map.of()));
    int taken = random.nextInt(budget + 1);
    FastSplit other =
        new FastSplit(
            Map.of(
                FastUse.SAMPLES,
                (long) taken,
                FastUse.ROWS,
                (long) random.nextInt(budget - taken + 1)));
    return random.nextBoolean() ? now : BestSplit.of(budget, claims, other);
  }

  private static void assertWithin(FastSplit split, List<Claim> claims, int budget) {
    assertThat(split.bytes()).isLessThanOrEqualTo(budget);
    for (Claim claim : claims) {
      assertThat(split.of(claim.use())).isBetween(claim.leastBytes(), claim.mostBytes());
    }
  }

  @Property(tries = 1_000)
  void best_concaveCurvesAndSteps_isTheOracle(
      @ForAll long seed, @ForAll @IntRange(min = 4, max = 40) int budget) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Claim> claims = claims(random, budget, true);

    FastSplit split = decided(claims, budget, random);

    assertWithin(split, claims, budget);
    assertThat(DramBudget.seconds(claims, split)).isCloseTo(oracle(claims, budget), within(EXACT));
  }

  @Property(tries = 1_000)
  void best_curvesWithCliffs_losesAtMostOneGapToTheHull(
      @ForAll long seed, @ForAll @IntRange(min = 4, max = 40) int budget) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Claim> claims = claims(random, budget, false);

    FastSplit split = decided(claims, budget, random);

    assertWithin(split, claims, budget);
    double gap = 0;
    for (Claim claim : claims.subList(0, 2)) {
      BenefitCurve hull = claim.curve().hull(claim.leastBytes(), claim.mostBytes());
      long size = split.of(claim.use());
      gap = Math.max(gap, hull.at(size) - claim.seconds(size));
    }
    assertThat(DramBudget.seconds(claims, split))
        .isGreaterThanOrEqualTo(oracle(claims, budget) - gap - EXACT);
  }

  @Property(tries = 300)
  void hull_anyCurve_isConcaveAboveItAndTouchesIt(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 60) int points) {
    SplittableRandom random = new SplittableRandom(seed);
    BenefitCurve curve = curve(random, points, false);
    int from = random.nextInt(points);
    int to = random.nextInt(from, points) + 1;

    BenefitCurve hull = curve.hull(from, to);

    double before = Double.POSITIVE_INFINITY;
    for (long size = from; size <= to; size++) {
      assertThat(hull.at(size)).isGreaterThanOrEqualTo(curve.at(size) - EXACT);
      if (size > from) {
        double slope = hull.at(size) - hull.at(size - 1);
        assertThat(slope).isLessThanOrEqualTo(before + EXACT);
        before = slope;
      }
    }
    assertThat(hull.at(from)).isEqualTo(curve.at(from));
    assertThat(hull.at(to)).isEqualTo(curve.at(to));
  }

  @Property(tries = 300)
  void decide_noisyCurves_turnsAtMostOnceInTenMinutes(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int budget = 30;
    DramBudget policy = new DramBudget(budget);
    FastSplit split = new FastSplit(Map.of(FastUse.SAMPLES, 10L, FastUse.ROWS, 20L));
    SplitHistory history = SplitHistory.NONE;
    Map<FastUse, Boolean> grew = new java.util.EnumMap<>(FastUse.class);
    double lastTurn = Double.NEGATIVE_INFINITY;
    for (int minute = 0; minute < 200; minute++) {
      List<Claim> claims =
          List.of(
              new Claim(FastUse.SAMPLES, 1, 30, curve(random, 30, true), Form.CONCAVE),
              new Claim(FastUse.ROWS, 1, 30, curve(random, 30, true), Form.CONCAVE));
      DramBudget.Decision decision = policy.decide(claims, split, history);
      if (decision.moves()) {
        boolean turn = false;
        for (FastUse use : FastUse.values()) {
          int change = Long.compare(decision.split().of(use), split.of(use));
          Boolean before = change == 0 ? null : grew.put(use, change > 0);
          turn |= before != null && before != change > 0;
        }
        if (turn) {
          assertThat(60 * minute - lastTurn).isGreaterThanOrEqualTo(DramBudget.HORIZON_SECONDS);
          lastTurn = 60 * minute;
        }
        history = history.moved(split, decision.split(), Map.of());
        split = decision.split();
      }
      history = history.after(60);
    }
  }
}
