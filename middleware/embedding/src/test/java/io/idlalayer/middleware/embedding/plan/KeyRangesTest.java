package io.idlalayer.middleware.embedding.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Which partition has the row of an id. */
final class KeyRangesTest {
  private static final int[] PINNED = {1, 3, 3, 3, 2, 2, 3, 2, 0, 3, 3, 0};

  /** State lies where these say. */
  @Test
  void of_someKeys_neverChanges() {
    KeyRanges ranges = KeyRanges.ofTable("user", 4);
    int[] found = new int[12];
    Arrays.setAll(found, key -> ranges.of(key));
    assertThat(found).containsExactly(PINNED);
  }

  @Test
  void of_manyKeys_spreadsThemEvenly() {
    KeyRanges ranges = KeyRanges.ofTable("user", 7);
    int[] rows = new int[7];
    for (long key = 2; key < 70_002; key++) {
      rows[ranges.of(key)]++;
    }
    assertThat(Arrays.stream(rows)).allMatch(count -> count > 9_700 && count < 10_300);
  }

  @Property
  void of_rowKeysInOrder_givesPartitionsInOrder(
      @ForAll @IntRange(min = 1, max = 128) int partitions,
      @ForAll long one,
      @ForAll long other,
      @ForAll long salt) {
    KeyRanges ranges = new KeyRanges(partitions, salt);
    int first = ranges.of(one);
    int second = ranges.of(other);
    assertThat(first).isBetween(0, partitions - 1);
    int order =
        Long.compareUnsigned(
            EmbeddingPlan.Table.rowKey(one, salt), EmbeddingPlan.Table.rowKey(other, salt));
    if (order != 0) {
      assertThat(order < 0 ? first <= second : first >= second).isTrue();
    }
  }

  @Test
  void new_noPartition_isRefused() {
    assertThatThrownBy(() -> new KeyRanges(0, 1)).hasMessageContaining("at least 1 partition");
  }
}
