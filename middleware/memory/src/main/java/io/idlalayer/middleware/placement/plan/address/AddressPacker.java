package io.idlalayer.middleware.placement.plan.address;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds an offset on the fast device for each stay, so that stays that meet do not overlap. Stays
 * are placed one after another at the lowest offset that is free for their whole time, in several
 * orders. Those that end behind the device are placed earlier in the next try.
 *
 * <p>Source: greedy placement by size as in Pisarchyk 2020, repeated in the order of what failed.
 */
final class AddressPacker {
  private static final List<Comparator<Stay>> ORDERS =
      List.of(
          Comparator.comparingLong((Stay stay) -> -stay.bytes() * stay.length()),
          Comparator.comparingLong((Stay stay) -> -stay.bytes())
              .thenComparingInt(stay -> -stay.length()),
          Comparator.comparingInt((Stay stay) -> -stay.length())
              .thenComparingLong(stay -> -stay.bytes()));

  private final List<Stay> stays;
  private final int kernels;
  private final long capacityBytes;
  private final int tries;

  /** Indexes of the stays that have an offset, by their offsets. */
  private final int[] placed;

  private int count;
  private final long[] offsets;

  /** First kernel of each stay; then the number of its kernels, and its bytes. */
  private final int[] first;

  private final int[] length;
  private final long[] bytes;

  private AddressPacker(List<Stay> stays, int kernels, long capacityBytes, int tries) {
    this.stays = stays;
    this.kernels = kernels;
    this.capacityBytes = capacityBytes;
    this.tries = tries;
    placed = new int[stays.size()];
    offsets = new long[stays.size()];
    first = stays.stream().mapToInt(Stay::first).toArray();
    length = stays.stream().mapToInt(Stay::length).toArray();
    bytes = stays.stream().mapToLong(Stay::bytes).toArray();
  }

  /**
   * A packing.
   *
   * @param offsets one for each stay
   * @param crowded kernels at which a stay ends behind the device; empty if all fit
   */
  record Packed(long[] offsets, BitSet crowded) {
    boolean fits() {
      return crowded.isEmpty();
    }
  }

  /**
   * Returns a packing in which all stays fit or, if none is found, the one in which the fewest
   * kernels are crowded.
   *
   * @param tries most tries with each order
   */
  static Packed pack(List<Stay> stays, int kernels, long capacityBytes, int tries) {
    return new AddressPacker(stays, kernels, capacityBytes, tries).run();
  }

  private Packed run() {
    BitSet full = full();
    if (!full.isEmpty()) {
      return new Packed(offsets, full);
    }
    Packed best = null;
    for (Comparator<Stay> comparator : ORDERS) {
      List<Integer> order =
          new ArrayList<>(
              IntStream.range(0, stays.size())
                  .boxed()
                  .sorted((a, b) -> comparator.compare(stays.get(a), stays.get(b)))
                  .toList());
      for (int i = 0; i < tries; i++) {
        List<Integer> behind = place(order);
        BitSet crowded = crowded(behind);
        if (best == null || crowded.cardinality() < best.crowded().cardinality()) {
          best = new Packed(offsets.clone(), crowded);
        }
        if (best.fits()) {
          return best;
        }
        order.removeAll(behind);
        order.addAll(0, behind);
      }
    }
    return best == null ? new Packed(offsets, new BitSet()) : best;
  }

  /** Returns the kernels at which there are more bytes than the device has. */
  private BitSet full() {
    long[] bytes = new long[kernels];
    for (Stay stay : stays) {
      for (int i = 0; i < stay.length(); i++) {
        bytes[(stay.first() + i) % kernels] += stay.bytes();
      }
    }
    BitSet full = new BitSet();
    IntStream.range(0, kernels).filter(k -> bytes[k] > capacityBytes).forEach(full::set);
    return full;
  }

  private BitSet crowded(List<Integer> behind) {
    BitSet crowded = new BitSet();
    for (int index : behind) {
      Stay stay = stays.get(index);
      for (int i = 0; i < stay.length(); i++) {
        crowded.set((stay.first() + i) % kernels);
      }
    }
    return crowded;
  }

  /** Places all stays in an order, and returns those that end behind the device. */
  private List<Integer> place(List<Integer> order) {
    count = 0;
    List<Integer> behind = new ArrayList<>();
    for (int index : order) {
      long offset = lowest(index);
      offsets[index] = offset;
      if (offset + bytes[index] > capacityBytes) {
        // It takes no space, so that the others show where space is short.
        behind.add(index);
        continue;
      }
      int at = count++;
      while (at > 0 && offsets[placed[at - 1]] > offset) {
        placed[at] = placed[at - 1];
        at--;
      }
      placed[at] = index;
    }
    return behind;
  }

  private long lowest(int index) {
    long offset = 0;
    for (int i = 0; i < count; i++) {
      int other = placed[i];
      if (offsets[other] + bytes[other] <= offset || !meet(index, other)) {
        continue;
      }
      if (offsets[other] - offset >= bytes[index]) {
        return offset;
      }
      offset = offsets[other] + bytes[other];
    }
    return offset;
  }

  /** Returns whether two stays have a kernel in common. */
  private boolean meet(int one, int other) {
    int after = first[other] - first[one];
    return after >= 0
        ? after < length[one] || after + length[other] > kernels
        : -after < length[other] || length[one] - after > kernels;
  }
}
