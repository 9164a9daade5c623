package io.idlalayer.middleware.embedding.hot;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which rows the default policy keeps. */
final class FrequencyPolicyTest {
  private static final RowLayout LAYOUT = new RowLayout(2, RowUpdater.SGD);
  private static final int CAPACITY = 256;

  private final FrequencyPolicy policy = new FrequencyPolicy();
  private HotRows rows;
  private long reads;
  private long hits;

  @BeforeEach
  void open() {
    rows = new HotRows(LAYOUT, CAPACITY * HotRows.rowBytes(LAYOUT), (table, rowKey) -> 0);
    assertThat(rows.capacity()).isEqualTo(CAPACITY);
  }

  private static long rowKey(long id) {
    return BitMixer.splitMix(id + 1);
  }

  private boolean hot(long id) {
    return rows.find(rowKey(id)) != HotRows.NONE;
  }

  private void use(long id) {
    long rowKey = rowKey(id);
    int slot = rows.find(rowKey);
    reads++;
    if (slot != HotRows.NONE) {
      hits++;
      policy.used(rows, new int[] {slot}, 0, 1);
      return;
    }
    if (rows.full()) {
      int victim = policy.victim(rows, rowKey);
      if (victim == HotRows.NONE) {
        return;
      }
      rows.remove(victim);
    }
    policy.entered(rows, rows.add(rowKey, 0));
  }

  @Test
  void ids_thatComeOnce_driveOutNoRowThatIsUsed() {
    for (int round = 0; round < 3; round++) {
      for (long id = 0; id < CAPACITY; id++) {
        use(id);
      }
    }
    for (long id = 1_000; id < 1_000 + CAPACITY; id++) {
      use(id);
    }
    for (long id = 0; id < CAPACITY; id++) {
      assertThat(hot(id)).isTrue();
    }
  }

  @Test
  void row_thatIsUsedAgain_comesIn() {
    for (long id = 0; id < CAPACITY; id++) {
      use(id);
    }
    use(5_000);
    use(5_000);
    assertThat(hot(5_000)).isTrue();
    assertThat(rows.size()).isEqualTo(CAPACITY);
  }

  /** Its uses in DRAM are known when it has left: an id that was not used must come three times. */
  @Test
  void row_thatHasLeft_comesBackAtOnce() {
    for (long id = 0; id < CAPACITY; id++) {
      use(id);
    }
    use(0);
    long id = 1_000;
    for (; hot(0); id++) {
      assertThat(id).isLessThan(1_000 + 2 * CAPACITY);
      for (int i = 0; i < 3 && !hot(id); i++) {
        use(id);
      }
    }
    use(id);
    assertThat(hot(id)).isFalse();
    use(0);
    assertThat(hot(0)).isTrue();
  }

  /** However many uses there were since a row was last to leave, they are halved once. */
  @Test
  void manyUses_withoutAnIdThatComesIn_areNotForgottenAtOnce() {
    for (int i = 0; i < 500 * CAPACITY; i++) {
      use(i % CAPACITY);
    }
    for (long id = 1_000; id < 1_000 + CAPACITY; id++) {
      use(id);
    }
    for (long id = 0; id < CAPACITY; id++) {
      assertThat(hot(id)).isTrue();
    }
  }

  /** At most 0.04 below that of the most popular ids, if they were there from the start. */
  @Test
  void zipf_hitRateIsNearThatOfThePopularIds() {
    int ids = 10 * CAPACITY;
    double[] upTo = new double[ids];
    double sum = 0;
    for (int rank = 0; rank < ids; rank++) {
      sum += 1.0 / (rank + 1);
      upTo[rank] = sum;
    }
    double ideal = upTo[CAPACITY - 1] / sum;
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 400_000; i++) {
      if (i == 200_000) {
        reads = 0;
        hits = 0;
      }
      double at = random.nextDouble(sum);
      int rank = Arrays.binarySearch(upTo, at);
      use(rank < 0 ? -1 - rank : rank);
    }
    assertThat((double) hits / reads).isBetween(ideal - 0.04, ideal);
  }

  @Test
  void otherIds_becomePopular_areHotSoon() {
    for (int i = 0; i < 100 * CAPACITY; i++) {
      use(i % CAPACITY);
    }
    reads = 0;
    hits = 0;
    for (int i = 0; i < 60 * CAPACITY; i++) {
      use(10_000 + i % (CAPACITY / 2));
    }
    assertThat((double) hits / reads).isGreaterThan(0.5);
  }
}
