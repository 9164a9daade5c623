package io.idlalayer.middleware.embedding.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Rows that wait are those of a map, and are written in the order of unsigned keys. */
final class WaitingRowsPropertyTest {
  /** Keys that are neighbours in a table of any size, and keys from everywhere. */
  private static long key(SplittableRandom random, int keys) {
    long key = 1L + random.nextInt(keys);
    return switch (random.nextInt(3)) {
      case 0 -> key;
      case 1 -> key << 40;
      default -> key * 0x9E3779B97F4A7C15L;
    };
  }

  @Property(tries = 300)
  void rows_anySteps_areThoseOfAMap(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 400) int keys) {
    SplittableRandom random = new SplittableRandom(seed);
    WaitingRows rows = new WaitingRows();
    Map<Long, byte[]> expected = new HashMap<>();
    for (int step = 0; step < 600; step++) {
      long key = key(random, keys);
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          rows.remove(key);
          expected.remove(key);
        }
        case 2 -> {
          if (random.nextInt(30) == 0) {
            rows.clear();
            expected.clear();
          }
        }
        default -> {
          byte[] row = new byte[random.nextInt(50)];
          rows.put(key, row);
          expected.put(key, row);
        }
      }
      assertThat(rows.get(key)).isSameAs(expected.get(key));
      assertThat(rows.size()).isEqualTo(expected.size());
    }
    assertThat(rows.bytes())
        .isEqualTo(expected.values().stream().mapToLong(row -> row.length + 80L).sum());
    List<Long> order = new ArrayList<>();
    rows.ascending()
        .forEach(
            (key, row) -> {
              assertThat(row).isSameAs(expected.get(key));
              order.add(key);
            });
    assertThat(order).hasSize(expected.size()).isSortedAccordingTo(Long::compareUnsigned);
  }
}
