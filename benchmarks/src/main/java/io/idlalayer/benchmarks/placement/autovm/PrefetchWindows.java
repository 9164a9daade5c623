package io.idlalayer.benchmarks.placement.autovm;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Searches for the operation at which the prefetch of a tensor starts, and reserves memory for the
 * tensor from there to its consumer. Tensors are searched in the order of the calls.
 *
 * <p>Source: Listing 3.3 of AutoVM, in both forms ({@link Listing}).
 */
final class PrefetchWindows {
  private final long[] reserved;
  private final long[] workingSets;
  private final long[] runtimes;
  private final long limitBytes;
  private final int first;
  private final Listing listing;

  /**
   * @param workingSets bytes that each operation needs without the prefetched tensors
   * @param runtimes nanoseconds of each operation; empty if they are not known
   * @param limitBytes budget of the fast device in bytes
   * @param first index of the first operation at which a prefetch may start
   */
  PrefetchWindows(
      long[] workingSets, long[] runtimes, long limitBytes, int first, Listing listing) {
    if (runtimes.length != 0 && runtimes.length != workingSets.length) {
      throw new IllegalArgumentException(
          "%d runtimes were given for %d operations"
              .formatted(runtimes.length, workingSets.length));
    }
    this.workingSets = workingSets.clone();
    this.runtimes = runtimes.clone();
    this.limitBytes = limitBytes;
    this.first = first;
    this.listing = listing;
    reserved = new long[workingSets.length];
  }

  /**
   * Returns the operation at which the prefetch of a tensor starts, and reserves memory for it;
   * empty if none is found, so that the tensor is fetched when it is used.
   *
   * @param consumer operation that uses the tensor
   * @param transferNanos duration of the copy
   */
  OptionalInt start(int consumer, long bytes, long transferNanos) {
    List<Integer> window =
        runtimes.length == 0
            ? whileItFits(consumer, bytes)
            : covering(consumer, bytes, transferNanos);
    window.forEach(operation -> reserved[operation] += bytes);
    if (window.isEmpty()) {
      return OptionalInt.empty();
    }
    boolean nearest = listing == Listing.PRINTED && runtimes.length > 0;
    return OptionalInt.of(window.get(nearest ? 0 : window.size() - 1));
  }

  /** Returns the operations before a consumer, the nearest first, as far as memory suffices. */
  private List<Integer> whileItFits(int consumer, long bytes) {
    List<Integer> window = new ArrayList<>();
    for (int operation = consumer - 1; operation >= first && fits(operation, bytes); operation--) {
      window.add(operation);
    }
    return window;
  }

  /** Returns the operations that together run as long as the copy, as far as memory suffices. */
  private List<Integer> covering(int consumer, long bytes, long transferNanos) {
    List<Integer> window = new ArrayList<>();
    long nanos = 0;
    for (int operation = consumer - 1; operation >= first && nanos < transferNanos; operation--) {
      if (!fits(operation, bytes)) {
        return listing == Listing.PRINTED ? List.of() : window;
      }
      nanos += runtimes[operation];
      window.add(operation);
    }
    return window;
  }

  private boolean fits(int operation, long bytes) {
    return workingSets[operation] + reserved[operation] + bytes <= limitBytes;
  }

  /** Returns the bytes that each operation needs, with the prefetched tensors. */
  long[] used() {
    long[] used = workingSets.clone();
    for (int operation = 0; operation < used.length; operation++) {
      used[operation] += reserved[operation];
    }
    return used;
  }
}
