package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class PolicyStructuresPropertyTest {
  @Property
  void slotSet_isASortedSet(
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 300_000) Integer> operations) {
    SlotSet set = new SlotSet();
    TreeSet<Integer> model = new TreeSet<>();
    set.ensure(300_001);
    for (int operation : operations) {
      int slot = operation / 2 * 2 % 3 == 0 ? operation % 200 : operation;
      if (operation % 4 == 3) {
        set.remove(slot);
        model.remove(slot);
      } else {
        set.add(slot);
        model.add(slot);
      }
      for (int from : new int[] {0, slot, slot + 1, operation, 299_999}) {
        Integer next = model.ceiling(from);
        assertThat(set.next(from)).isEqualTo(next == null ? SlotSet.NONE : next);
      }
      assertThat(set.isEmpty()).isEqualTo(model.isEmpty());
    }
  }

  @Property
  void keyTable_isAMap(@ForAll @Size(max = 500) List<@IntRange(min = 0, max = 80) Integer> keys) {
    KeyTable table = new KeyTable();
    Map<Long, Integer> model = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      // Few first cells, so that runs of neighbours are long and wrap around.
      long key = (long) keys.get(i) << 56;
      if (i % 3 == 2) {
        table.remove(key);
        model.remove(key);
      } else {
        table.put(key, i);
        model.put(key, i);
      }
    }
    for (int k = 0; k <= 80; k++) {
      long key = (long) k << 56;
      assertThat(table.get(key)).isEqualTo(model.getOrDefault(key, KeyTable.ABSENT));
    }
  }

  @Property
  void orphans_areAQueue(@ForAll @Size(max = 500) List<Boolean> adds) {
    KeyQueue orphans = new KeyQueue();
    Deque<Long> model = new ArrayDeque<>();
    long next = 0;
    for (boolean add : adds) {
      if (add || model.isEmpty()) {
        orphans.add(next);
        model.addLast(next++);
        orphans.add(next);
        model.addLast(next++);
      } else {
        assertThat(orphans.first()).isEqualTo(model.removeFirst());
        orphans.removeFirst();
      }
      assertThat(orphans.isEmpty()).isEqualTo(model.isEmpty());
    }
  }

  @Property
  void lru_isALinkedHashMapInAccessOrder(
      @ForAll @IntRange(min = 1, max = 20) int capacity,
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 30) Integer> references) {
    FakeCache cache = new FakeCache(capacity, residents -> new LruPolicy());
    Map<String, Boolean> model =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > capacity;
          }
        };
    for (int reference : references) {
      String key = Integer.toString(reference);
      cache.reference(key);
      model.get(key);
      model.put(key, true);
      assertThat(cache.residents().keySet()).isEqualTo(model.keySet());
    }
  }

  @Property
  void sketch_neverCountsLessThanThereWas(
      @ForAll @Size(max = 150) List<@IntRange(min = 0, max = 40) Integer> references) {
    FrequencySketch sketch = new FrequencySketch();
    sketch.ensure(64);
    Map<Integer, Integer> model = new HashMap<>();
    for (int key : references) {
      sketch.add(FakeCache.hashOf("k" + key));
      model.merge(key, 1, Integer::sum);
    }
    model.forEach(
        (key, count) ->
            assertThat(sketch.frequency(FakeCache.hashOf("k" + key)))
                .isBetween(Math.min(15, count), 15));
  }
}
