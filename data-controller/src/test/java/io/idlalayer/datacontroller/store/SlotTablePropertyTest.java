package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.primitive.BitMixer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

final class SlotTablePropertyTest {
  @Property(tries = 300)
  void randomSteps_agreeWithAMap(
      @ForAll @Size(max = 400) List<@IntRange(min = -60, max = 60) Integer> steps) {
    // Multiples of 2^40 collide in the low bits.
    SlotTable.Keys keys = slot -> (long) slot << 40;
    agreesWithAMap(SlotTable.ofHashes(keys), keys, 60, steps);
  }

  @Property(tries = 300)
  void randomSteps_ofNumbers_agreeWithAMap(
      @ForAll @Size(max = 600) List<@IntRange(min = -150, max = 150) Integer> steps,
      @ForAll @LongRange(max = 1L << 40) long first,
      @ForAll @IntRange(min = 1, max = 40) int distance) {
    // Numbers far apart share the places of a run, neighbours fill whole runs.
    SlotTable.Keys keys = slot -> first + (long) slot * distance;
    agreesWithAMap(SlotTable.ofNumbers(keys), keys, 150, steps);
  }

  /** Ids are given one after the other: they must not pile up in a table of any size. */
  @Example
  void successiveNumbers_lieAtTheirPlacesAtEverySize() {
    for (long first : new long[] {1, 10_000_000, 1L << 33}) {
      for (int bits = 10; bits <= 18; bits++) {
        int count = (1 << (bits - 1)) - 1;
        SlotTable table = SlotTable.ofNumbers(slot -> first + slot);
        for (int slot = 0; slot < count; slot++) {
          table.add(slot);
        }
        long passed = 0;
        for (int slot = 0; slot < count; slot++) {
          for (int cell = table.start(first + slot);
              table.slot(cell) != slot;
              cell = table.next(cell)) {
            passed++;
          }
        }
        assertThat((double) passed / count).as("from %d, 2^%d cells", first, bits).isLessThan(0.5);
      }
    }
  }

  private static void agreesWithAMap(
      SlotTable table, SlotTable.Keys keys, int most, List<Integer> steps) {
    Map<Long, Integer> model = new HashMap<>();
    for (int step : steps) {
      int slot = Math.abs(step);
      if (step < 0) {
        table.remove(slot);
        model.remove(keys.key(slot));
      } else if (model.put(keys.key(slot), slot) == null) {
        table.add(slot);
      }
      assertThat(table.size()).isEqualTo(model.size());
    }
    for (int slot = 0; slot <= most; slot++) {
      long key = keys.key(slot);
      assertThat(table.get(key)).isEqualTo(model.getOrDefault(key, SlotTable.ABSENT));
    }
  }

  @Property(tries = 200)
  void slotsUnderOneKey_areRemovedOneByOne(
      @ForAll @Size(max = 300) List<@IntRange(min = -40, max = 40) Integer> steps) {
    SlotTable table = SlotTable.ofHashes(slot -> slot % 3);
    boolean[] there = new boolean[41];
    for (int step : steps) {
      int slot = Math.abs(step);
      if (step < 0) {
        table.remove(slot);
        there[slot] = false;
      } else if (!there[slot]) {
        table.add(slot);
        there[slot] = true;
      }
      for (int key = 0; key < 3; key++) {
        int found = 0;
        for (int cell = table.start(key);
            table.slot(cell) != SlotTable.ABSENT;
            cell = table.next(cell)) {
          found += table.slot(cell) % 3 == key ? 1 : 0;
        }
        int expected = 0;
        for (int i = key; i <= 40; i += 3) {
          expected += there[i] ? 1 : 0;
        }
        assertThat(found).isEqualTo(expected);
      }
    }
  }

  @Property(tries = 500)
  void aTable_isAtMostHalfFull_upToItsLimit(
      @ForAll @LongRange(max = SlotTable.MOST) long entries, @ForAll long key) {
    int length = SlotTable.lengthFor(entries);
    assertThat((long) length).isGreaterThanOrEqualTo(2 * entries);
    assertThat(Integer.bitCount(length)).isOne();
    assertThat(BitMixer.cell(key, length)).isBetween(0, length - 1);
    assertThat(SlotTable.bytesFor(entries)).isEqualTo(4L * length);
  }

  @Example
  void beyondItsLimit_aTableIsRefused() {
    assertThat(SlotTable.lengthFor(SlotTable.MOST)).isEqualTo(1 << 30);
    assertThatThrownBy(() -> SlotTable.lengthFor(SlotTable.MOST + 1L))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("at most 536,870,912 samples");
  }
}
