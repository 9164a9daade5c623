package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Evicts by Next Re-reference Distance (Rang 2021, chapter 4, Algorithm 2). Each block has an
 * estimate, in M bits, of the distance to its next reference, from 0 (soon) to {@code 2^M - 1}
 * (far). A block with the distance "far" is evicted. If there is none, the distance of all blocks
 * is increased by one until there is such a block.
 *
 * <p>Increasing all distances takes O(1). Blocks with equal distances form a set, and the sets form
 * a ring. The distances of all blocks are increased by turning the ring one step. This is correct,
 * because it happens only while the last set is empty, so that this set can become the first.
 */
final class NrdPolicy implements EvictionPolicy {
  private final Variant variant;
  private final int far;
  private final SlotSet[] ring;
  private byte[] places = {};
  private int zero;
  private int hand;

  /**
   * Parameters that distinguish the variants of this policy.
   *
   * @param bits M, 1 to 8
   * @param insertValue distance of a new block, 0 to {@code 2^bits - 1}
   * @param rotating whether a search starts where the previous search ended, instead of at slot 0
   * @param decrement whether a hit lowers the distance by one, instead of setting it to 0
   */
  record Variant(int bits, int insertValue, boolean rotating, boolean decrement) {
    Variant {
      if (bits < 1 || bits > 8) {
        throw new IllegalArgumentException("NRD takes 1 to 8 bits, not " + bits);
      }
      if (insertValue < 0 || insertValue >= 1 << bits) {
        throw new IllegalArgumentException(
            "NRD of %d bits inserts at 0 to %d, not %d"
                .formatted(bits, (1 << bits) - 1, insertValue));
      }
    }

    /**
     * Returns the variant as printed in Rang 2021: new blocks count as far, and the search for a
     * victim starts at slot 0.
     */
    static Variant paper(int bits) {
      return new Variant(bits, (1 << bits) - 1, false, false);
    }

    /** Returns the variant that is static re-reference interval prediction, SRRIP (Jaleel 2010). */
    static Variant srrip(int bits) {
      return new Variant(bits, Math.max(0, (1 << bits) - 2), false, false);
    }

    /**
     * Returns the variant in which new blocks count as far, and the search for a victim starts
     * where the previous search ended.
     */
    static Variant hand(int bits) {
      return new Variant(bits, (1 << bits) - 1, true, false);
    }
  }

  NrdPolicy(Variant variant) {
    this.variant = variant;
    far = (1 << variant.bits()) - 1;
    ring = new SlotSet[far + 1];
    Arrays.setAll(ring, place -> new SlotSet());
  }

  /** Returns the estimated distance to the next reference of a resident block; 0 means soon. */
  int distance(int slot) {
    return (places[slot] - zero) & far;
  }

  private int place(int distance) {
    return (zero + distance) & far;
  }

  @Override
  public void hit(int slot) {
    int from = distance(slot);
    int to = variant.decrement() ? Math.max(0, from - 1) : 0;
    if (from != to) {
      ring[place(from)].remove(slot);
      put(slot, to);
    }
  }

  private void put(int slot, int distance) {
    int place = place(distance);
    ring[place].add(slot);
    places[slot] = (byte) place;
  }

  @Override
  public void missed(long hash, Reuse reuse) {
    // Only resident blocks have a distance, so a miss changes nothing.
  }

  @Override
  public void inserted(int slot, Reuse reuse) {
    put(
        slot,
        switch (reuse) {
          case NEAR -> 0;
          case UNKNOWN -> variant.insertValue();
        });
  }

  @Override
  public int victim() {
    for (int turns = 0; ring[place(far)].isEmpty(); turns++) {
      if (turns > far) {
        throw new IllegalStateException("no block is resident");
      }
      zero = (zero - 1) & far;
    }
    SlotSet farthest = ring[place(far)];
    int slot = farthest.next(variant.rotating() ? hand : 0);
    return slot == SlotSet.NONE ? farthest.next(0) : slot;
  }

  @Override
  public void removed(int slot) {
    ring[places[slot] & far].remove(slot);
    hand = slot + 1;
  }

  @Override
  public void ensure(int slots) {
    if (slots > places.length) {
      places = Arrays.copyOf(places, Math.max(slots, places.length + (places.length >> 1)));
    }
    for (SlotSet set : ring) {
      set.ensure(places.length);
    }
  }

  @Override
  public void capacity(int entries) {
    // The policy uses only resident blocks, so nothing is stored for absent keys.
  }

  @Override
  public void forEach(IntConsumer visitor) {
    for (int distance = far; distance >= 0; distance--) {
      SlotSet set = ring[place(distance)];
      for (int slot = set.next(0); slot != SlotSet.NONE; slot = set.next(slot + 1)) {
        visitor.accept(slot);
      }
    }
  }

  @Override
  public long metadataBytes() {
    long sets = 0;
    for (SlotSet set : ring) {
      sets += set.bytes();
    }
    return places.length + sets;
  }
}
