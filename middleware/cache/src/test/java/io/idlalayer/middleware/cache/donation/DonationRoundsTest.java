package io.idlalayer.middleware.cache.donation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationPlan.Move;
import io.idlalayer.middleware.cache.donation.DonationPlan.Reason;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DonationRoundsTest {
  private static final long MIB = 1 << 20;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicLong gcMillis = new AtomicLong();
  private final List<DonationRow> rows = new ArrayList<>();
  private final HotCache cache = new HotCache(new CacheSettings(1024 * MIB, PolicyName.LRU));
  private final DonationRounds rounds =
      new DonationRounds(
          cache,
          DonationSettings.defaults(),
          new TaskTimeModels(),
          new DonationRounds.ProcessProbe(nanos::get, gcMillis::get, () -> 4096, rows::add));
  private final SplittableRandom random = new SplittableRandom(1);

  @AfterEach
  void close() {
    cache.close();
  }

  private void pass(int seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  private Optional<DonationPlan> tenSeconds(DonationMember member, DoubleUnaryOperator truth) {
    double mib = member.owner().donatedBytes() / (double) MIB;
    for (int i = 0; i < 5; i++) {
      double noise = 1 + 0.02 * (random.nextDouble() - 0.5);
      member.taskDone((long) (1e9 * truth.applyAsDouble(mib) * noise));
    }
    pass(10);
    return rounds.round();
  }

  private static double bowl(double s) {
    return 30 + (s - 256) * (s - 256) / 4096;
  }

  @Test
  void fromWhereverItStarts_theDonationGoesToTheBest_inSteps() {
    for (long start : new long[] {0, 256, 512}) {
      CacheOwner owner = cache.attach("a" + start, start * MIB);
      DonationMember member = rounds.join(owner, "bowl from " + start);
      long last = start;
      long since = 0;
      for (int i = 0; i < 360; i++) {
        Optional<DonationPlan> plan = tenSeconds(member, DonationRoundsTest::bowl);
        long now = owner.donatedBytes() / MIB;
        since += 10;
        assertThat(Math.abs(now - last)).isLessThanOrEqualTo(64);
        if (now != last) {
          assertThat(plan).isPresent();
          assertThat(since).isGreaterThanOrEqualTo(60);
          since = 0;
        }
        last = now;
      }
      assertThat(last).as("from %d", start).isBetween(192L, 320L);
      rounds.leave(member);
      cache.detach(owner);
    }
  }

  @Test
  void rows_areMeansOfTenSecondsWithLags() {
    CacheOwner owner = cache.attach("a", 128 * MIB);
    DonationMember member = rounds.join(owner, "kmeans");
    for (int i = 1; i <= 5; i++) {
      member.taskDone(TimeUnit.MILLISECONDS.toNanos(100L * i));
      member.taskDone(TimeUnit.MILLISECONDS.toNanos(300L * i));
      gcMillis.addAndGet(500);
      pass(10);
      rounds.round();
    }
    assertThat(rows).hasSize(3);
    DonationRow row = rows.get(2);
    assertThat(row.jobType()).isEqualTo("kmeans");
    assertThat(row.donationMib()).isEqualTo(128);
    assertThat(row.seconds()).isCloseTo(1.0, within(1e-9));
    assertThat(row.conditions().seconds1()).isCloseTo(0.8, within(1e-9));
    assertThat(row.conditions().seconds2()).isCloseTo(0.6, within(1e-9));
    assertThat(row.conditions().gcShare()).isCloseTo(0.05, within(1e-9));
    assertThat(row.conditions().executors()).isEqualTo(1);
    assertThat(row.conditions().memoryMib1()).isEqualTo(4096);

    Optional<DonationPlan> probe = tenSeconds(member, s -> 1);
    assertThat(probe.orElseThrow().moves().get(0).reason()).isEqualTo(Reason.PROBE);
    assertThat(owner.donatedBytes()).isEqualTo(192 * MIB);
    int before = rows.size();
    tenSeconds(member, s -> 1);
    assertThat(rows).hasSize(before);
    tenSeconds(member, s -> 1);
    assertThat(rows).hasSize(before + 1);
    pass(10);
    rounds.round();
    assertThat(rows).as("no task, no row").hasSize(before + 1);
  }

  @Test
  void roundsTooEarly_doNothing() {
    DonationMember member = rounds.join(cache.attach("a", 0), "x");
    for (int i = 0; i < 9; i++) {
      member.taskDone(1);
      pass(1);
      assertThat(rounds.round()).isEmpty();
    }
    pass(1000);
    assertThat(rounds.round()).isPresent();
    assertThat(rounds.round()).isEmpty();
  }

  @Test
  void nobody_isPlannedForNobody() {
    pass(1000);
    assertThat(rounds.round()).isEmpty();
  }

  @Test
  void twoOwners_shareTheCeiling_withAnOwnerOutsideThePlan() {
    CacheOwner unplanned = cache.attach("unplanned", 512 * MIB + 1);
    CacheOwner a = cache.attach("a", 256 * MIB);
    CacheOwner b = cache.attach("b", 192 * MIB + 12_345);
    DonationMember needy = rounds.join(a, "needy");
    DonationMember modest = rounds.join(b, "modest");
    for (int i = 0; i < 400; i++) {
      double of = b.donatedBytes() / (double) MIB;
      modest.taskDone((long) (1e9 * (1 - of / 4096)));
      tenSeconds(needy, s -> 20 - s / 64);
      assertThat(cache.limitBytes()).isLessThanOrEqualTo(cache.ceilingBytes());
    }
    assertThat(unplanned.donatedBytes()).isEqualTo(512 * MIB + 1);
    assertThat(a.donatedBytes()).isGreaterThanOrEqualTo(384 * MIB);
    assertThat(b.donatedBytes()).isLessThanOrEqualTo(128 * MIB);
  }

  @Test
  void growth_withoutHitsInSight_isRefused() {
    CacheOwner owner = cache.attach("a", 128 * MIB);
    DonationMember member = rounds.join(owner, "hopeful");
    byte[] payload = new byte[100];
    List<Move> moves = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      for (long id = 0; id < 2_000; id++) {
        if (cache.get(owner, 0, id) == null) {
          cache.put(owner, 0, id, payload, Reuse.UNKNOWN);
        }
      }
      tenSeconds(member, s -> 100 - s / 16).ifPresent(plan -> moves.addAll(plan.moves()));
    }
    assertThat(owner.donatedBytes()).isLessThanOrEqualTo(128 * MIB);
    assertThat(moves).extracting(Move::reason).contains(Reason.VETO, Reason.PROBE);
  }

  @Test
  void manyThreads_planOnceEach_andKeepTheCeiling() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        String name = "owner " + t;
        running.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < 50; i++) {
                    CacheOwner owner = cache.attachUpTo(name, 300 * MIB);
                    DonationMember member = rounds.join(owner, "all");
                    for (int step = 0; step < 20; step++) {
                      member.taskDone(1_000_000);
                      pass(5);
                      rounds.round();
                      assertThat(cache.limitBytes()).isLessThanOrEqualTo(cache.ceilingBytes());
                    }
                    rounds.leave(member);
                    cache.detach(owner);
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get(2, TimeUnit.MINUTES);
      }
      assertThat(cache.limitBytes()).isZero();
    } finally {
      pool.shutdownNow();
    }
  }
}
