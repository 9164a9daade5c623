package io.idlalayer.middleware.cache.donation;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.donation.DonationPlan.Move;
import io.idlalayer.middleware.cache.donation.DonationPlan.Reason;
import io.idlalayer.middleware.cache.policy.HitCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

class DonationPlannerPropertyTest {
  private static final DonationSettings SETTINGS = DonationSettings.defaults();
  private static final DonationPlanner PLANNER = new DonationPlanner(SETTINGS);

  /** Jagged, with traps: cliffs, plateaus, negative times, infinities and no numbers at all. */
  private static DoubleUnaryOperator jagged(SplittableRandom random) {
    double[] values = new double[40];
    double level = random.nextDouble(0.1, 100);
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (random.nextInt(12)) {
            case 0 -> level * random.nextDouble(0, 10);
            case 1 -> Double.NaN;
            case 2 -> Double.POSITIVE_INFINITY;
            case 3 -> -level;
            case 4, 5 -> level *= random.nextDouble(0.7, 1.3);
            default -> level;
          };
    }
    return s -> values[(int) Math.min(values.length - 1, s / 64)];
  }

  private static PlanRequest request(SplittableRandom random, int count, boolean measured) {
    List<PlanRequest.Owner> owners = new ArrayList<>();
    long total = 0;
    for (int i = 0; i < count; i++) {
      long current = random.nextBoolean() ? 64L * random.nextInt(12) : random.nextInt(768);
      total += current;
      long change = random.nextInt(6) == 0 ? 0 : random.nextInt(4) == 0 ? 1000 : 64;
      owners.add(
          new PlanRequest.Owner(
              "owner " + i,
              random.nextInt(4),
              current,
              random.nextInt(6) == 0 ? null : jagged(random),
              new PlanRequest.Limits(random.nextInt(1500), change),
              random.nextInt(3) == 0
                  ? OptionalLong.of(random.nextInt(1500))
                  : OptionalLong.empty()));
    }
    double[] distances = new double[random.nextInt(1, 60)];
    for (int i = 0; i < distances.length; i++) {
      distances[i] = random.nextInt(3) == 0 ? random.nextInt(2000) : 0;
    }
    @Nullable HitCurve hits = measured ? new HitCurve(64 << 20, distances, 200_000) : null;
    return new PlanRequest(owners, total + random.nextInt(600), hits);
  }

  private static double cost(PlanRequest request, int i, long mib) {
    DoubleUnaryOperator seconds = request.owners().get(i).seconds();
    return seconds == null ? 0 : Math.max(0, seconds.applyAsDouble((double) mib));
  }

  @Property(tries = 2000)
  void plans_keepCeilingBoundsAndFloor_andAreNoWorseThanStaying(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int count, @ForAll boolean measured) {
    PlanRequest request = request(new SplittableRandom(seed), count, measured);
    DonationPlan plan = PLANNER.plan(request);

    assertThat(plan.totalMib()).isLessThanOrEqualTo(request.ceilingMib());
    assertThat(plan.exact()).isTrue();
    double tasks = request.owners().stream().mapToDouble(PlanRequest.Owner::tasks).sum();
    double before = 0;
    double after = 0;
    for (int i = 0; i < count; i++) {
      PlanRequest.Owner owner = request.owners().get(i);
      Move move = plan.moves().get(i);
      long cap = owner.limits().mostMib();
      assertThat(Math.abs(move.afterMib() - move.beforeMib()))
          .isLessThanOrEqualTo(owner.limits().changeMib());
      assertThat(move.afterMib())
          .isBetween(
              0L, Math.max(cap, owner.currentMib() - Math.min(owner.limits().changeMib(), 1000)));
      boolean weighed =
          !Double.isNaN(move.beforeSeconds())
              && move.reason() != Reason.PROBE
              && move.reason() != Reason.ABOVE_BOUND
              && move.reason() != Reason.NOT_READY;
      if (weighed) {
        double weight = tasks > 0 ? owner.tasks() : 1;
        before += weight * cost(request, i, move.beforeMib());
        after += weight * cost(request, i, move.afterMib());
      } else if (move.changes() && move.reason() == Reason.NOT_READY) {
        throw new AssertionError("moved without a model: " + move);
      }
    }
    boolean forced = plan.moves().stream().anyMatch(m -> m.reason() == Reason.ABOVE_BOUND);
    if (!forced) {
      assertThat(after).isLessThanOrEqualTo(before * (1 + 1e-12));
    }
  }

  @Property(tries = 500)
  void unlimitedPlan_isTheBestOfAllCombinations(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<JointSearch.Options> owners = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int options = random.nextInt(1, 7);
      long[] sizes = random.longs(options, 0, 20).toArray();
      double[] costs = random.doubles(options, 0, 10).map(Math::rint).toArray();
      owners.add(new JointSearch.Options(sizes, costs));
    }
    long least = owners.stream().mapToLong(each -> each.sizes()[0]).sum();
    long ceiling = least + random.nextInt(20);

    JointSearch.Choice exact = JointSearch.best(owners, ceiling, JointSearch.EXACT_MAX);
    JointSearch.Choice greedy = JointSearch.best(owners, ceiling, 0);
    double best = bruteForce(owners, 0, ceiling);
    assertThat(exact.exact()).isTrue();
    assertThat(greedy.exact()).isFalse();
    assertThat(cost(owners, exact, ceiling)).isEqualTo(best);
    double first = owners.stream().mapToDouble(each -> each.costs()[0]).sum();
    assertThat(cost(owners, greedy, ceiling)).isBetween(best, first);
  }

  private static double cost(
      List<JointSearch.Options> owners, JointSearch.Choice choice, long ceiling) {
    double cost = 0;
    long size = 0;
    for (int i = 0; i < owners.size(); i++) {
      JointSearch.Options owner = owners.get(i);
      double least = Double.MAX_VALUE;
      for (int j = 0; j < owner.sizes().length; j++) {
        if (owner.sizes()[j] == choice.sizes()[i]) {
          least = Math.min(least, owner.costs()[j]);
        }
      }
      cost += least;
      size += choice.sizes()[i];
    }
    assertThat(size).isLessThanOrEqualTo(ceiling);
    return cost;
  }

  private static double bruteForce(List<JointSearch.Options> owners, int from, long room) {
    if (from == owners.size()) {
      return 0;
    }
    double best = Double.POSITIVE_INFINITY;
    JointSearch.Options owner = owners.get(from);
    for (int j = 0; j < owner.sizes().length; j++) {
      if (owner.sizes()[j] <= room) {
        best =
            Math.min(
                best, owner.costs()[j] + bruteForce(owners, from + 1, room - owner.sizes()[j]));
      }
    }
    return best;
  }

  @Property(tries = 300)
  void roundAfterRound_descentEnds_andNeverRises(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    DoubleUnaryOperator a = jagged(random);
    DoubleUnaryOperator b = jagged(random);
    PlanRequest.Limits limits = new PlanRequest.Limits(1024, 64);
    long[] now = {64L * random.nextInt(8), 64L * random.nextInt(8)};
    long ceiling = now[0] + now[1] + 64L * random.nextInt(8);
    double last = Double.POSITIVE_INFINITY;
    for (int round = 0; round < 400; round++) {
      DonationPlan plan =
          PLANNER.plan(
              new PlanRequest(
                  List.of(
                      new PlanRequest.Owner("a", 1, now[0], a, limits, OptionalLong.empty()),
                      new PlanRequest.Owner("b", 1, now[1], b, limits, OptionalLong.empty())),
                  ceiling,
                  null));
      if (plan.moves().stream().noneMatch(Move::changes)) {
        return;
      }
      assertThat(plan.afterSeconds()).isLessThan(last);
      last = plan.afterSeconds();
      now[0] = plan.moves().get(0).afterMib();
      now[1] = plan.moves().get(1).afterMib();
    }
    throw new AssertionError("the descent does not end");
  }
}
