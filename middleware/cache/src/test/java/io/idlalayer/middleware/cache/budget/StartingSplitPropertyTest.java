package io.idlalayer.middleware.cache.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class StartingSplitPropertyTest {
  private static Map<FastUse, Long> byUse(List<Long> bytes) {
    Map<FastUse, Long> of = new EnumMap<>(FastUse.class);
    int i = 0;
    for (FastUse use : FastUse.values()) {
      if (bytes.get(i) > 0) {
        of.put(use, bytes.get(i));
      }
      i++;
    }
    return of;
  }

  /** Whatever the split of before was, all of the budget is divided, and each use has its least. */
  @Property
  void of_anySplitOfBefore_dividesAllAndRespectsTheLeast(
      @ForAll @Size(3) List<@LongRange(min = 0, max = 1L << 50) Long> before,
      @ForAll @Size(3) List<@LongRange(min = 1, max = 1L << 40) Long> least,
      @ForAll @LongRange(min = 0, max = 1L << 45) long more) {
    Map<FastUse, Long> leasts = byUse(least);
    long budget = more + leasts.values().stream().mapToLong(Long::longValue).sum();

    FastSplit split = StartingSplit.of(budget, leasts, new FastSplit(byUse(before)));

    assertThat(split.bytes()).isBetween(budget - 2, budget);
    leasts.forEach((use, bytes) -> assertThat(split.of(use)).isGreaterThanOrEqualTo(bytes));
    assertThat(StartingSplit.of(split.bytes(), leasts, split)).isEqualTo(split);
  }
}
