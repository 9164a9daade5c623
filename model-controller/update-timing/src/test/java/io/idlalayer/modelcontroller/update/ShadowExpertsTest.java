package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShadowExpertsTest {
  @ParameterizedTest
  @CsvSource({"0, ONE", "0, MANY", "0.02, ONE", "0.02, MANY", "0.3, ONE", "0.3, MANY"})
  void arrived_anyRule_costsWhatTheRuleItselfWouldHave(double lambda, Machine machine) {
    SplittableRandom random = new SplittableRandom(5);
    double[] arrivals = new double[600];
    double now = 0;
    for (int i = 0; i < arrivals.length; i++) {
      // Whole groups end before the next arrival now and then, so that few are open at the end.
      now += -Math.log(1 - random.nextDouble()) * (i % 100 == 99 ? 1e4 : 1);
      arrivals[i] = now;
    }
    arrivals[599] = now + 1e5;
    ArrivalTrace trace = ArrivalTrace.ofSeconds(arrivals);
    ScheduleCosts costs = new ScheduleCosts(lambda, 0.3, 30);
    ShadowExperts shadows = new ShadowExperts(machine == Machine.ONE);
    shadows.costs(RuleCosts.of(costs));
    double[] weights = new double[trace.runs()];
    for (int run = 0; run < trace.runs(); run++) {
      shadows.arrived(trace.timeNanos(run), 1);
      weights[run] = Math.pow(2, -(trace.runs() - 1 - run) / 1000.0);
    }
    for (int expert = 0; expert < UpdateRules.experts(); expert++) {
      int one = expert;
      double[] discounted = new double[1];
      Replayed replayed = new Replayed(trace, costs);
      new VirtualRun(
              RuleName.ADAPTIVE,
              new Certificate(RuleCosts.of(costs)),
              certificate -> UpdateRules.expert(one, certificate, machine == Machine.ONE),
              costs,
              machine)
          .listener((at, samples) -> discounted[0] += replayed.update(at, samples, weights))
          .run("", trace);
      assertThat(shadows.discountedCost(expert))
          .as(shadows.family().rule(expert).name())
          .isCloseTo(discounted[0], within(0.02 * discounted[0] + 1.1));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, ONE", "0, MANY", "0.02, ONE", "0.02, MANY", "0.3, ONE", "0.3, MANY"})
  void arrived_upload_costsWhatItsSamplesOneByOneWould(double lambda, Machine machine) {
    ScheduleCosts costs = new ScheduleCosts(lambda, 0.3, 30);
    ShadowExperts bulk = new ShadowExperts(machine == Machine.ONE);
    ShadowExperts single = new ShadowExperts(machine == Machine.ONE);
    bulk.costs(RuleCosts.of(costs));
    single.costs(RuleCosts.of(costs));
    SplittableRandom random = new SplittableRandom(9);
    long now = 0;
    for (int upload = 0; upload < 200; upload++) {
      now += (long) (random.nextDouble() * 60e9);
      int count = 1 + random.nextInt(60);
      bulk.arrived(now, count);
      for (int i = 0; i < count; i++) {
        single.arrived(now, 1);
      }
    }
    for (int expert = 0; expert < UpdateRules.experts(); expert++) {
      StationaryRule rule = bulk.family().rule(expert);
      if (rule.beta() > 0 && rule.beta() < StationaryRule.NO_LIMIT) {
        continue; // A count rule's running mean moves at once, not within the upload.
      }
      double expected = single.discountedCost(expert);
      assertThat(bulk.discountedCost(expert))
          .as(rule.name())
          .isCloseTo(expected, within(0.03 * expected + 1e-6));
    }
  }

  /** Costs of a schedule in units of C, each update discounted to the last arrival. */
  private static final class Replayed {
    private final ArrivalTrace trace;
    private final ScheduleCosts costs;
    private int next;

    Replayed(ArrivalTrace trace, ScheduleCosts costs) {
      this.trace = trace;
      this.costs = costs;
    }

    double update(long atNanos, int samples, double[] weights) {
      double waits = 0;
      for (int i = 0; i < samples; i++) {
        waits += (atNanos - trace.timeNanos(next++)) / 1e9;
      }
      // A shadow books an update at the arrival that it sees next.
      double weight = weights[Math.min(next, weights.length - 1)];
      double waiting = RuleCosts.of(costs).waiting(samples, waits);
      return weight * (1 + waiting / costs.updateCost());
    }
  }
}
