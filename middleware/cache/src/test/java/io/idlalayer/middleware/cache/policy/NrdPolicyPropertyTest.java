package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.NrdPolicy.Variant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class NrdPolicyPropertyTest {
  /** Algorithm 2 as it is written: one loop over all blocks for every step of ageing. */
  private static final class Literal {
    final Variant variant;
    final int far;
    final int[] keys;
    final int[] distances;
    int hand;
    int used;

    Literal(Variant variant, int capacity) {
      this.variant = variant;
      far = (1 << variant.bits()) - 1;
      keys = new int[capacity];
      distances = new int[capacity];
    }

    boolean reference(int key) {
      for (int slot = 0; slot < used; slot++) {
        if (keys[slot] == key) {
          distances[slot] = variant.decrement() ? Math.max(0, distances[slot] - 1) : 0;
          return true;
        }
      }
      int slot = used < keys.length ? used++ : victim();
      keys[slot] = key;
      distances[slot] = variant.insertValue();
      return false;
    }

    private int victim() {
      while (true) {
        for (int i = 0; i < keys.length; i++) {
          int slot = variant.rotating() ? (hand + i) % keys.length : i;
          if (distances[slot] == far) {
            hand = slot + 1;
            return slot;
          }
        }
        for (int i = 0; i < keys.length; i++) {
          distances[i]++;
        }
      }
    }
  }

  @Property(tries = 2000)
  void ageingInOneStep_isAlgorithm2(
      @ForAll @IntRange(min = 1, max = 8) int bits,
      @ForAll @IntRange(min = 0, max = 255) int insert,
      @ForAll boolean rotating,
      @ForAll boolean decrement,
      @ForAll @IntRange(min = 1, max = 90) int capacity,
      @ForAll @Size(max = 400) List<@IntRange(min = 0, max = 120) Integer> references) {
    Variant variant = new Variant(bits, insert & ((1 << bits) - 1), rotating, decrement);
    Literal literal = new Literal(variant, capacity);
    FakeCache cache = new FakeCache(capacity, residents -> new NrdPolicy(variant));
    for (int key : references) {
      int before = cache.hits;
      cache.reference(Integer.toString(key));
      assertThat(cache.hits > before).isEqualTo(literal.reference(key));
    }
    for (int slot = 0; slot < literal.used; slot++) {
      assertThat(cache.slotOf(Integer.toString(literal.keys[slot]))).isEqualTo(slot);
      assertThat(((NrdPolicy) cache.policy).distance(slot)).isEqualTo(literal.distances[slot]);
    }
  }
}
