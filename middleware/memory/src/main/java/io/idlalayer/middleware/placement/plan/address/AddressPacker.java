package io.idlalayer.middleware.placement.plan.address;

import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds an offset on the fast device for each stay, so that stays that meet do not overlap. Stays
 * are placed one after another at the lowest offset that is free for their whole time, in several
 * orders. No stay crosses the end of a piece of the device. The stays for which the device was too
 * small are placed first in the next try.
 *
 * <p>Source: greedy placement by size as in Pisarchyk 2020. The repetitions, with the stays that
 * failed placed first, are our own.
 */
final class AddressPacker {
  private static final List<Comparator<Stay>> ORDERS =
      List.of(
          Comparator.comparingLong((Stay stay) -> -stay.bytes() * stay.length()),
          Comparator.comparingLong((Stay stay) -> -stay.bytes())
              .thenComparingInt(stay -> -stay.length()),
          Comparator.comparingInt((Stay stay) -> -stay.length())
              .thenComparingLong(stay -> -stay.bytes()));

  /** Most stays that are compared with others; some seconds of a processor. */
  private static final long MOST_COMPARED = 2_000_000_000L;

  private final List<Stay> stays;
  private final int kernels;
  private final long capacityBytes;
  private final long pieceBytes;
  private final int tries;
  private final Runnable check;
  private long compared;

  /** Indexes of the stays that have an offset, by their offsets. */
  private final int[] placed;

  private int count;
  private final long[] offsets;

  /** First kernel of each stay; then the number of its kernels, and its bytes. */
  private final int[] first;

  private final int[] length;
  private final long[] bytes;

  private AddressPacker(List<Stay> stays, int kernels, Space space, int tries, Runnable check) {
    this.check = check;
    this.stays = stays;
    this.kernels = kernels;
    capacityBytes = space.capacityBytes();
    pieceBytes = space.pieceBytes();
    this.tries = tries;
    placed = new int[stays.size()];
    offsets = new long[stays.size()];
    first = stays.stream().mapToInt(Stay::first).toArray();
    length = stays.stream().mapToInt(Stay::length).toArray();
    bytes = stays.stream().mapToLong(Stay::bytes).toArray();
  }

  /**
   * The fast device.
   *
   * @param pieceBytes size of its pieces; no stay crosses a multiple of it
   */
  record Space(long capacityBytes, long pieceBytes) {}

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
   * @param check called for each stay that is placed; ends the search by an exception
   * @throws PlanRefusedException if the check throws it, or the stays are too many, before all
   *     stays were placed once
   */
  static Packed pack(List<Stay> stays, int kernels, Space space, int tries, Runnable check) {
    return new AddressPacker(stays, kernels, space, tries, check).run();
  }

  private Packed run() {
    BitSet full = full();
    if (!full.isEmpty()) {
      return new Packed(offsets, full);
    }
    Packed best = null;
    try {
      for (Comparator<Stay> comparator : ORDERS) {
        int[] order =
            IntStream.range(0, stays.size())
                .boxed()
                .sorted((a, b) -> comparator.compare(stays.get(a), stays.get(b)))
                .mapToInt(Integer::intValue)
                .toArray();
        for (int i = 0; i < tries; i++) {
          BitSet behind = place(order);
          BitSet crowded = crowded(behind);
          if (best == null || crowded.cardinality() < best.crowded().cardinality()) {
            best = new Packed(offsets.clone(), crowded);
          }
          if (best.fits()) {
            return best;
          }
          order = first(behind, order);
        }
      }
    } catch (PlanRefusedException late) {
      if (best == null) {
        throw late;
      }
    }
    return best == null ? new Packed(offsets, new BitSet()) : best;
  }

  /** Returns an order in which some stays come first; otherwise it is the given one. */
  private static int[] first(BitSet some, int[] order) {
    return IntStream.concat(
            Arrays.stream(order).filter(some::get), Arrays.stream(order).filter(i -> !some.get(i)))
        .toArray();
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

  private BitSet crowded(BitSet behind) {
    BitSet crowded = new BitSet();
    behind.stream()
        .mapToObj(stays::get)
        .forEach(
            stay -> {
              for (int i = 0; i < stay.length(); i++) {
                crowded.set((stay.first() + i) % kernels);
              }
            });
    return crowded;
  }

  /** Places all stays in an order, and returns those that end behind the device. */
  private BitSet place(int[] order) {
    count = 0;
    BitSet behind = new BitSet();
    for (int index : order) {
      check.run();
      compared += count;
      if (compared > MOST_COMPARED) {
        throw new PlanRefusedException(
            "%,d stays on the fast device are too many to find offsets".formatted(stays.size()));
      }
      long offset = bytes[index] > pieceBytes ? capacityBytes : lowest(index);
      offsets[index] = offset;
      if (offset + bytes[index] > capacityBytes) {
        // It takes no space, so that the others show where space is short.
        behind.set(index);
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
      offset = inOnePiece(offsets[other] + bytes[other], bytes[index]);
    }
    return offset;
  }

  /** Returns an offset or, if its piece ends before the bytes do, the start of the next piece. */
  private long inOnePiece(long offset, long size) {
    long piece = offset / pieceBytes;
    return piece == (offset + size - 1) / pieceBytes ? offset : (piece + 1) * pieceBytes;
  }

  /** Returns whether two stays have a kernel in common. */
  private boolean meet(int one, int other) {
    int after = first[other] - first[one];
    return after >= 0
        ? after < length[one] || after + length[other] > kernels
        : -after < length[other] || length[one] - after > kernels;
  }
}
