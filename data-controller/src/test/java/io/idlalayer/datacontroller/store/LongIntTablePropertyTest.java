package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class LongIntTablePropertyTest {
  @Property(tries = 300)
  void itIsAMap(@ForAll @Size(max = 400) List<@IntRange(min = -60, max = 60) Integer> steps) {
    LongIntTable table = new LongIntTable();
    Map<Long, Integer> model = new HashMap<>();
    int value = 0;
    for (int step : steps) {
      // Multiples of 2^40 collide in the low bits.
      long key = (long) Math.abs(step) << 40;
      if (step < 0) {
        table.remove(key);
        model.remove(key);
      } else {
        table.put(key, ++value);
        model.put(key, value);
      }
      assertThat(table.size()).isEqualTo(model.size());
    }
    for (long i = 0; i <= 60; i++) {
      assertThat(table.get(i << 40)).isEqualTo(model.getOrDefault(i << 40, LongIntTable.ABSENT));
    }
  }
}
