package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

final class CertificateTest {
  @Provide
  Arbitrary<double[]> traces() {
    return Traces.any(40);
  }

  @Provide
  Arbitrary<ScheduleCosts> costs() {
    return Traces.costs();
  }

  private static double optimum(double[] arrivals, ScheduleCosts costs) {
    long[] nanos = Arrays.stream(arrivals).mapToLong(x -> Math.round(x * 1e9)).toArray();
    return OverlapOptimum.of(nanos, costs) + arrivals.length * costs.unavoidable();
  }

  @Property(tries = 300)
  void ratio_atTheEnd_isTheTrueRatio(
      @ForAll("traces") double[] arrivals, @ForAll("costs") ScheduleCosts costs) {
    Overlap.Costs literal =
        new Overlap.Costs(costs.secondsPerSample(), costs.fixedSeconds(), costs.weight());
    List<Overlap.Update> updates = Overlap.run(new DlaRule(1), arrivals, literal);
    Certificate certificate = new Certificate(RuleCosts.of(costs));
    replay(certificate, arrivals, updates);
    double expected = Overlap.cost(updates, arrivals, literal) / optimum(arrivals, costs);
    assertThat(certificate.ratio(0, 0)).isCloseTo(Math.max(1, expected), within(1e-6));
  }

  private static void replay(
      Certificate certificate, double[] arrivals, List<Overlap.Update> updates) {
    for (double arrival : arrivals) {
      certificate.arrived(Overlap.nanos(arrival), 1);
    }
    for (Overlap.Update update : updates) {
      PendingQueue batch = new PendingQueue();
      for (int k = update.first(); k < update.first() + update.count(); k++) {
        batch.add(Overlap.nanos(arrivals[k]), 1);
      }
      certificate.updateStarted(batch, update.count(), Overlap.nanos(update.atSeconds()));
    }
  }

  @Property(tries = 300)
  void restore_duringAStream_leavesAWeakerBound(
      @ForAll("traces") double[] arrivals,
      @ForAll("costs") ScheduleCosts costs,
      @ForAll @IntRange(min = 0, max = 40) int restartAt) {
    Certificate certificate = new Certificate(RuleCosts.of(costs));
    for (int k = 0; k < arrivals.length; k++) {
      if (k == restartAt) {
        byte[] snapshot = certificate.snapshot();
        certificate = new Certificate(RuleCosts.of(costs));
        certificate.restore(snapshot);
      }
      certificate.arrived(Overlap.nanos(arrivals[k]), 1);
    }
    double exact = optimum(arrivals, costs) - arrivals.length * costs.unavoidable();
    assertThat(certificate.samples()).isEqualTo(arrivals.length);
    assertThat(certificate.unavoidable())
        .isCloseTo(arrivals.length * costs.unavoidable(), within(1e-6));
    assertThat(certificate.optimum()).isLessThanOrEqualTo(exact + 1e-6 * (1 + exact));
    assertThat(certificate.optimum())
        .isGreaterThanOrEqualTo(exact - costs.updateCost() * 2 - 1e-6 - exact * 0.9);
  }

  @Property(tries = 300)
  void costs_changing_boundStaysBelowTheDearerOptimum(
      @ForAll("traces") double[] arrivals, @ForAll("costs") ScheduleCosts costs) {
    ScheduleCosts cheap =
        new ScheduleCosts(costs.secondsPerSample(), costs.fixedSeconds() / 2, costs.weight());
    Certificate certificate = new Certificate(RuleCosts.of(cheap));
    for (int k = 0; k < arrivals.length; k++) {
      certificate.costs(RuleCosts.of(k / 5 % 2 == 0 ? cheap : costs));
      certificate.arrived(Overlap.nanos(arrivals[k]), 1);
    }
    double dear = optimum(arrivals, costs) - arrivals.length * costs.unavoidable();
    assertThat(certificate.optimum()).isLessThanOrEqualTo(dear + 1e-6 * (1 + dear));
  }
}
