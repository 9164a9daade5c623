package io.idlalayer.middleware.lending.borrower;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class LenderPoolTest {
  private static final long SECOND = 1_000_000_000;
  private static final BorrowerSettings.Pauses PAUSES = BorrowerSettings.Pauses.DEFAULT;

  private List<LenderAddress> known = List.of();
  private final LenderPool pool = new LenderPool(() -> known, PAUSES);

  private static LenderAddress lender(int number) {
    return new LenderAddress("host", number);
  }

  private LenderPool.Lender reserved(long nowNanos) {
    return Objects.requireNonNull(pool.reserve(nowNanos));
  }

  @Test
  void reserve_theBestOfTheDirectory_isGivenOnceAtATime() {
    known = List.of(lender(2), lender(1));
    LenderPool.Lender first = reserved(0);
    assertThat(first.address()).isEqualTo(lender(2));
    assertThat(reserved(0).address()).isEqualTo(lender(1));
    assertThat(pool.reserve(0)).isNull();
    first.released(1);
    assertThat(reserved(1).address()).isEqualTo(lender(2));
  }

  @Test
  void reserve_afterFailures_waitsTwiceAsLongEachTimeButAsksOthers() {
    known = List.of(lender(1));
    reserved(0).failed(0);
    assertThat(pool.reserve(5 * SECOND - 1)).isNull();
    reserved(5 * SECOND).failed(5 * SECOND);
    known = List.of(lender(1), lender(2));
    LenderPool.Lender other = reserved(6 * SECOND);
    assertThat(other.address()).isEqualTo(lender(2));
    other.tooSlow(6 * SECOND);
    assertThat(pool.reserve(15 * SECOND - 1)).isNull();
    LenderPool.Lender again = reserved(15 * SECOND);
    assertThat(again.address()).isEqualTo(lender(1));
    again.proved();
    again.lost(20 * SECOND);
    assertThat(reserved(25 * SECOND).address()).as("the first pause").isEqualTo(lender(1));
    assertThat(pool.reserve(606 * SECOND - 1)).isNull();
    assertThat(reserved(606 * SECOND).address()).as("was too slow").isEqualTo(lender(2));
  }

  @Test
  void uses_ofLendersThatCameAndWent_areAllCounted() {
    known = List.of(lender(1), lender(2));
    LenderPool.Lender first = reserved(0);
    PlaceCost cost = new PlaceCost(DeviceSpeed.symmetric(1e9, 0));
    first.probed(77);
    first.lent(4096, cost);
    first.copied(500);
    assertThat(pool.uses())
        .as("the other lender was not asked")
        .containsExactly(new LoanUse(lender(1), 4096, 500, 1, 0, cost.roundTripNanos()));
    first.lost(0);
    known = List.of();
    assertThat(pool.uses())
        .containsExactly(new LoanUse(lender(1), 0, 500, 1, 1, cost.roundTripNanos()));
  }

  /** Whatever a directory says and lenders do, memory and the use of lenders are bounded. */
  @Property(tries = 40)
  void anyHistory_ofLendersThatComeAndGo_staysBounded(@ForAll long seed) {
    LenderPool asked = new LenderPool(() -> known, PAUSES);
    SplittableRandom random = new SplittableRandom(seed);
    List<LenderPool.Lender> used = new ArrayList<>();
    Map<LenderAddress, Long> pausedUntil = new HashMap<>();
    PlaceCost cost = new PlaceCost(DeviceSpeed.symmetric(1e9, 0));
    long taken = 0;
    long now = 0;
    for (int i = 0; i < 500; i++) {
      now += random.nextLong(3 * SECOND);
      if (random.nextInt(10) == 0) {
        int from = random.nextInt(1, 400);
        known = IntStream.range(from, from + random.nextInt(8)).mapToObj(n -> lender(n)).toList();
      }
      if (used.size() < 4) {
        LenderPool.Lender next = asked.reserve(now);
        if (next != null) {
          assertThat(known).contains(next.address());
          assertThat(used).doesNotContain(next);
          assertThat(pausedUntil.getOrDefault(next.address(), 0L)).isLessThanOrEqualTo(now);
          used.add(next);
          next.lent(4096, cost);
          taken++;
        }
      }
      if (!used.isEmpty() && random.nextInt(3) == 0) {
        LenderPool.Lender ended = used.remove(random.nextInt(used.size()));
        boolean slow = random.nextBoolean();
        if (slow) {
          ended.tooSlow(now);
        } else {
          ended.failed(now);
        }
        Duration least = slow ? PAUSES.most() : PAUSES.first();
        pausedUntil.put(ended.address(), now + least.toNanos());
      }
      // Those that were forgotten for want of room can be asked again before their pause ends.
      assertThat(asked.totals().taken()).as("counts never fall").isEqualTo(taken);
      Set<LenderAddress> listed = new HashSet<>();
      asked.uses().forEach(use -> listed.add(use.lender()));
      assertThat(listed).hasSizeLessThanOrEqualTo(LenderPool.MOST_LENDERS + 16);
      pausedUntil.keySet().retainAll(listed);
    }
  }
}
