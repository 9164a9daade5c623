package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.store.ForwardingRowStore;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

/** The filter against exact counts. */
final class OccurrenceFilterTest {
  private static final int IDS = 20_000;

  private static long key(long id) {
    return id * 0x9E3779B97F4A7C15L + 12345;
  }

  /** Ids by a Zipf law with exponent 1, or uniformly. */
  private static long draw(SplittableRandom random, boolean zipf, int ids) {
    return zipf ? (long) Math.pow(ids, random.nextDouble()) : random.nextInt(ids);
  }

  @Property(tries = 40)
  void count_expectedIds_isNeverTooLowAndSeldomTooHigh(
      @ForAll long seed,
      @ForAll boolean zipf,
      @ForAll @Scale(3) @DoubleRange(min = 0.001, max = 0.2) double wrong) {
    SplittableRandom random = new SplittableRandom(seed);
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(IDS, wrong));
    Map<Long, Integer> exact = new HashMap<>();
    for (int i = 0; i < 4 * IDS; i++) {
      long id = draw(random, zipf, IDS);
      int times = random.nextInt(1, 3);
      int now = filter.add(key(id), times, 0);
      int real = exact.merge(id, times, Integer::sum);
      assertThat(now).isGreaterThanOrEqualTo(Math.min(real, OccurrenceFilter.MOST));
    }
    int tooHigh = 0;
    for (long id = 0; id < IDS; id++) {
      int real = exact.getOrDefault(id, 0);
      int count = filter.count(key(id));
      assertThat(count).isGreaterThanOrEqualTo(Math.min(real, OccurrenceFilter.MOST));
      tooHigh += count > real ? 1 : 0;
    }
    assertThat(tooHigh / (double) IDS).isLessThanOrEqualTo(wrong);
  }

  /** The rate that is promised is that of ids that would be let in and should not be. */
  @Property(tries = 30)
  void admission_byFilter_isNeverLateAndSeldomFalse(
      @ForAll long seed, @ForAll boolean zipf, @ForAll @IntRange(min = 2, max = 15) int after) {
    double wrong = 0.01;
    SplittableRandom random = new SplittableRandom(seed);
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(IDS, wrong));
    Map<Long, Integer> exact = new HashMap<>();
    Set<Long> admitted = new HashSet<>();
    Set<Long> tooEarly = new HashSet<>();
    for (int i = 0; i < 6 * IDS; i++) {
      long id = draw(random, zipf, IDS);
      int real = exact.merge(id, 1, Integer::sum);
      if (admitted.contains(id)) {
        continue;
      }
      boolean admits = filter.count(key(id)) + 1 >= after;
      if (admits) {
        admitted.add(id);
        if (real < after) {
          tooEarly.add(id);
        }
      } else {
        assertThat(real).as("id %d is late", id).isLessThan(after);
        filter.add(key(id), 1, 0);
      }
    }
    assertThat(tooEarly.size() / (double) exact.size()).isLessThanOrEqualTo(wrong);
  }

  /** With many times the expected ids, counts are halved; the error stays what it was. */
  @Test
  void count_moreIdsThanExpected_forgetsAndStaysWithinTheRate() {
    double wrong = 0.01;
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(1_000, wrong));
    for (long id = 0; id < 200_000; id++) {
      filter.add(key(id), 1, 0);
    }
    int found = 0;
    for (long id = 1_000_000; id < 1_200_000; id++) {
      found += filter.count(key(id)) > 0 ? 1 : 0;
    }
    assertThat(found / 200_000.0).isLessThanOrEqualTo(wrong);
    assertThat(filter.count(key(199_999))).as("what came last is known").isEqualTo(1);
    assertThat(filter.bytes()).isEqualTo(most(1_000, wrong));
  }

  private static long most(long ids, double wrong) {
    return OccurrenceFilter.mostBytes(
        new Admission(2, Admission.Counter.BLOOM, new Admission.Bloom(ids, wrong)));
  }

  @Test
  void add_veryOften_staysAtTheLargestCount() {
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(1_000, 0.01));
    assertThat(filter.add(1, Integer.MAX_VALUE, 0)).isEqualTo(OccurrenceFilter.MOST);
    assertThat(filter.add(1, Integer.MAX_VALUE, 0)).isEqualTo(OccurrenceFilter.MOST);
    assertThat(filter.count(1)).isEqualTo(OccurrenceFilter.MOST);
    assertThat(filter.count(2)).isZero();
  }

  /** A cell beside another shares its byte. */
  @Test
  void halving_keepsNeighboursApart() {
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(1_000, 0.01));
    Map<Long, Integer> counts = new HashMap<>();
    for (long id = 0; id < 150; id++) {
      int times = 1 + (int) (id % 15);
      filter.add(key(id), times, 1_000);
    }
    for (long id = 0; id < 150; id++) {
      counts.put(id, filter.count(key(id)));
    }
    assertThat(counts.values()).contains(1, 7, 15);
    filter.age(0, filter.blocks(), 100, 1_050);
    counts.forEach((id, count) -> assertThat(filter.count(key(id))).isEqualTo(count));
    filter.age(0, filter.blocks(), 100, 1_101);
    counts.forEach((id, count) -> assertThat(filter.count(key(id))).isEqualTo(count / 2));
    filter.age(0, filter.blocks(), 100, 1_150);
    counts.forEach((id, count) -> assertThat(filter.count(key(id))).isEqualTo(count / 2));
  }

  @Test
  void age_clockSetBack_doesNotWaitUntilItIsAsLateAgain() {
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(1_000, 0.01));
    filter.add(1, 8, 1_000_000);
    filter.age(0, filter.blocks(), 100, 5_000);
    assertThat(filter.count(1)).isEqualTo(4);
    filter.age(0, filter.blocks(), 100, 5_050);
    assertThat(filter.count(1)).isEqualTo(4);
    filter.age(0, filter.blocks(), 100, 5_101);
    assertThat(filter.count(1)).isEqualTo(2);
  }

  /** Only what has changed is written; what is read back behaves the same. */
  @Property(tries = 50)
  void read_whatWasWrittenNowAndThen_isTheSame(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Admission.Bloom size = new Admission.Bloom(3_000, 0.02);
    OccurrenceFilter filter = new OccurrenceFilter(size);
    InMemoryRowStore store = new InMemoryRowStore();
    for (int step = 0; step < 60; step++) {
      for (int i = random.nextInt(200); i > 0; i--) {
        filter.add(key(random.nextInt(9_000)), random.nextInt(1, 4), step);
      }
      if (random.nextInt(4) == 0) {
        filter.age(0, filter.blocks(), 10, step);
      }
      filter.write(store);
      if (random.nextInt(6) == 0) {
        OccurrenceFilter again = new OccurrenceFilter(size);
        again.read(store.filter());
        for (long id = 0; id < 9_000; id++) {
          assertThat(again.count(key(id))).isEqualTo(filter.count(key(id)));
        }
        assertThat(again.bytes()).isEqualTo(filter.bytes());
        filter = again;
      }
    }
  }

  @Test
  void write_oneIdMore_writesOneBlock() {
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(100_000, 0.01));
    List<Integer> written = new ArrayList<>();
    RowStore store =
        new ForwardingRowStore(new InMemoryRowStore()) {
          @Override
          public void writeFilter(Map<Long, byte[]> blocks) {
            written.add(blocks.size());
            blocks.values().forEach(block -> assertThat(block).hasSize(1_029));
          }
        };
    for (long id = 0; id < 50_000; id++) {
      filter.add(key(id), 1, 0);
    }
    filter.write(store);
    filter.add(key(7), 1, 0);
    filter.write(store);
    filter.write(store);
    assertThat(written).hasSize(2).endsWith(1);
    assertThat(written.get(0)).isEqualTo(filter.blocks());
  }

  @Test
  void read_damagedOrForeignBlock_isRefused() {
    OccurrenceFilter filter = new OccurrenceFilter(new Admission.Bloom(1_000, 0.01));
    filter.add(1, 1, 0);
    InMemoryRowStore store = new InMemoryRowStore();
    filter.write(store);
    Map.Entry<Long, byte[]> block = store.filter().next();
    byte[] later = block.getValue().clone();
    later[0]++;
    for (Map.Entry<Long, byte[]> bad :
        List.of(
            Map.entry(block.getKey(), later),
            Map.entry(block.getKey(), new byte[3]),
            Map.entry(1L << 40, block.getValue()))) {
      assertThatThrownBy(() -> filter.read(List.of(bad).iterator()))
          .isInstanceOf(RowStoreException.class);
    }
  }

  @Test
  void bytes_ofTheDefaultSize_areAsDocumented() {
    assertThat(most(10_000_000, 0.01) >> 20).isEqualTo(65);
  }
}
