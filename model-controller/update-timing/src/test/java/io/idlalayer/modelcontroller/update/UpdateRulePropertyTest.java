package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.update.Overlap.Costs;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The rules dla and area against their definitions, and their bounds. */
final class UpdateRulePropertyTest {
  @Provide
  Arbitrary<double[]> traces() {
    return Traces.any(40);
  }

  @Provide
  Arbitrary<Costs> costs() {
    return Combinators.combine(
            Arbitraries.oneOf(Arbitraries.just(0.0), Arbitraries.doubles().between(0, 2)),
            Arbitraries.doubles().between(0.01, 10),
            Arbitraries.doubles().between(0.1, 100))
        .as(Costs::new);
  }

  @Property(tries = 300)
  void regret_closedForm_equalsTheDifferenceOfLatencies(
      @ForAll("traces") double[] a, @ForAll("costs") Costs costs) {
    int n = a.length;
    for (int k = 1; k < n; k++) {
      double naive =
          Overlap.calLat(a, 0, n - 1, costs)
              - Overlap.calLat(a, 0, k - 1, costs)
              - Overlap.calLat(a, k, n - 1, costs);
      double closed = k * ((a[n - 1] - a[k - 1]) + 2 * costs.lambda() * (n - k));
      double scale = Math.max(1, Math.abs(Overlap.calLat(a, 0, n - 1, costs)));
      assertThat(closed).isCloseTo(naive, within(1e-9 * scale));
    }
  }

  @Property(tries = 10_000)
  void dla_firesWhenTheLargestRegretReachesTheThreshold(
      @ForAll("traces") double[] a, @ForAll("costs") Costs costs) {
    DlaRule rule = new DlaRule(1);
    PendingQueue pending = new PendingQueue();
    rule.rearm(pending, costs.rule(), 0);
    for (double arrival : a) {
      long now = Overlap.nanos(arrival);
      pending.add(now, 1);
      rule.arrived(pending, now, 1);
      long due = rule.nextFiringNanos(pending);
      double before = naiveRegret(pending, (due - 2) / 1e9, costs.lambda());
      double after = naiveRegret(pending, (due + 2) / 1e9, costs.lambda());
      double threshold = costs.w() * costs.eps();
      double slack = 1e-6 * Math.max(1, threshold) + pending.size() * 1e-8;
      assertThat(before).isLessThanOrEqualTo(threshold + slack);
      assertThat(after).isGreaterThanOrEqualTo(threshold - slack);
      assertThat(rule.charge(pending, due))
          .isCloseTo(naiveRegret(pending, due / 1e9, costs.lambda()), within(slack));
      if (due <= now) {
        pending.clear();
        rule.rearm(pending, costs.rule(), now);
      }
    }
  }

  private static double naiveRegret(PendingQueue pending, double seconds, double lambda) {
    double largest = Double.NEGATIVE_INFINITY;
    int k = 0;
    for (int run = 0; run < pending.runs(); run++) {
      for (int i = 0; i < pending.count(run); i++) {
        k++;
        double waited = seconds - pending.timeNanos(run) / 1e9;
        largest = Math.max(largest, k * (waited + 2 * lambda * (pending.size() - k)));
      }
    }
    return largest;
  }

  @Property(tries = 300)
  void area_neverFiresLaterThanDla(@ForAll("traces") double[] a, @ForAll("costs") Costs costs) {
    DlaRule dla = new DlaRule(1);
    AreaRule area = new AreaRule(1, false);
    PendingQueue pending = new PendingQueue();
    dla.rearm(pending, costs.rule(), 0);
    area.rearm(pending, costs.rule(), 0);
    long before = Long.MAX_VALUE;
    for (double arrival : a) {
      long now = Overlap.nanos(arrival);
      pending.add(now, 1);
      dla.arrived(pending, now, 1);
      area.arrived(pending, now, 1);
      long due = dla.nextFiringNanos(pending);
      assertThat(Math.max(now, area.nextFiringNanos(pending)))
          .isLessThanOrEqualTo(Math.max(now, due) + 2);
      if (before != Long.MAX_VALUE) {
        assertThat(due / 1e9).isLessThanOrEqualTo(before / 1e9 - 2 * costs.lambda() + 1e-6);
      }
      before = due;
    }
  }

  @Property(tries = 200)
  void arrived_bulk_equalsItsArrivalsOneByOne(
      @ForAll("costs") Costs costs,
      @ForAll @net.jqwik.api.constraints.IntRange(min = 1, max = 500) int first,
      @ForAll @net.jqwik.api.constraints.IntRange(min = 1, max = 500) int second) {
    for (UpdateRule[] pair :
        List.of(
            new UpdateRule[] {new DlaRule(1), new DlaRule(1)},
            new UpdateRule[] {new AreaRule(1, false), new AreaRule(1, false)})) {
      PendingQueue bulk = new PendingQueue();
      PendingQueue single = new PendingQueue();
      pair[0].rearm(bulk, costs.rule(), 0);
      pair[1].rearm(single, costs.rule(), 0);
      for (int part = 0; part < 2; part++) {
        long now = part * 700_000_000L;
        int count = part == 0 ? first : second;
        bulk.add(now, count);
        pair[0].arrived(bulk, now, count);
        int firstBatch = 0;
        for (int i = 0; i < count; i++) {
          single.add(now, 1);
          pair[1].arrived(single, now, 1);
          if (firstBatch == 0 && pair[1].nextFiringNanos(single) <= now) {
            firstBatch = pair[1].batchSize(single, now);
          }
        }
        if (firstBatch > 0) {
          assertThat(pair[0].nextFiringNanos(bulk)).isLessThanOrEqualTo(now);
          assertThat(pair[0].batchSize(bulk, now)).isEqualTo(firstBatch);
          break;
        }
        assertThat(pair[0].nextFiringNanos(bulk)).isGreaterThan(now);
      }
      assertThat(pair[0].nextFiringNanos(bulk) / 1e9)
          .isCloseTo(pair[1].nextFiringNanos(single) / 1e9, within(1e-6));
    }
  }

  @Property(tries = 200)
  void run_shiftedOrScaledTimes_decidesAlike(
      @ForAll("traces") double[] a, @ForAll("costs") Costs costs) {
    for (int rule = 0; rule < 2; rule++) {
      List<Overlap.Update> plain = Overlap.run(rule(rule), a, costs);
      double[] shifted = java.util.Arrays.stream(a).map(x -> x + 1000).toArray();
      double[] doubled = java.util.Arrays.stream(a).map(x -> x * 2).toArray();
      assertThat(Overlap.run(rule(rule), shifted, costs))
          .zipSatisfy(
              plain,
              (x, y) -> {
                assertThat(x.count()).isEqualTo(y.count());
                assertThat(x.atSeconds() - 1000).isCloseTo(y.atSeconds(), within(1e-5));
              });
      Costs twice = new Costs(2 * costs.lambda(), 2 * costs.eps(), costs.w());
      assertThat(Overlap.cost(Overlap.run(rule(rule), doubled, twice), doubled, twice))
          .isCloseTo(
              2 * Overlap.cost(plain, a, costs),
              within(1e-4 * Overlap.cost(plain, a, costs) + 1e-4));
    }
  }

  private static UpdateRule rule(int index) {
    return index == 0 ? new DlaRule(1) : new AreaRule(1, false);
  }

  @Property(tries = 10_000)
  void run_dlaAndArea_areTwoCompetitiveAndLoseNothing(
      @ForAll("traces") double[] a, @ForAll("costs") Costs costs) {
    double fixed = a.length * costs.kappa();
    double optimum = Overlap.optimum(a, costs) - fixed;
    for (int rule = 0; rule < 2; rule++) {
      List<Overlap.Update> updates = Overlap.run(rule(rule), a, costs);
      assertThat(updates.stream().mapToInt(Overlap.Update::count).sum()).isEqualTo(a.length);
      for (Overlap.Update update : updates) {
        assertThat(update.atSeconds())
            .isGreaterThanOrEqualTo(a[update.first() + update.count() - 1] - 1e-9);
      }
      double cost = Overlap.cost(updates, a, costs) - fixed;
      assertThat(cost).isGreaterThanOrEqualTo(optimum - 1e-6 * (1 + optimum));
      assertThat(cost).isLessThanOrEqualTo(2 * optimum * (1 + 1e-9) + 1e-6 * a.length);
    }
  }

  @Property(tries = 300)
  void run_dlaWithAnotherThreshold_keepsItsBound(
      @ForAll("traces") double[] a,
      @ForAll("costs") Costs costs,
      @ForAll @net.jqwik.api.constraints.DoubleRange(min = 0.25, max = 4) double zeta) {
    double fixed = a.length * costs.kappa();
    double optimum = Overlap.optimum(a, costs) - fixed;
    double cost = Overlap.cost(Overlap.run(new DlaRule(zeta), a, costs), a, costs) - fixed;
    double bound = 1 + Math.max(zeta, 1 / zeta);
    assertThat(cost).isLessThanOrEqualTo(bound * optimum * (1 + 1e-9) + 1e-6 * a.length);
  }
}
