package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import io.idlalayer.middleware.cache.policy.ReuseDistances;
import org.jspecify.annotations.Nullable;

/**
 * Measures the reuse distances of a segment's keys, from the call of {@link #start} on. Guarded by
 * the segment's lock.
 */
final class ReuseMeter {
  private @Nullable ReuseDistances distances;

  void start(ReuseDistances.Shape shape) {
    if (distances == null) {
      distances = new ReuseDistances(shape);
    }
  }

  boolean started() {
    return distances != null;
  }

  /**
   * Records lookups that found a resident block.
   *
   * @param weight number of lookups
   */
  void hit(long hash, int reader, int length, int weight) {
    if (distances != null) {
      distances.referenced(hash, reader, (int) BlockMemory.occupiedBytes(length), weight);
    }
  }

  /** Records that an absent block was inserted, or that a resident block was overwritten. */
  void put(long hash, int owner, int length, boolean replaces) {
    if (distances == null) {
      return;
    }
    int occupied = (int) BlockMemory.occupiedBytes(length);
    if (replaces) {
      distances.replaced(hash, occupied);
    } else {
      distances.referenced(hash, owner, occupied, 1);
    }
  }

  void forgotten(long hash) {
    if (distances != null) {
      distances.forgotten(hash);
    }
  }

  void left(int owner) {
    if (distances != null) {
      distances.left(owner);
    }
  }

  void fade(double keep) {
    if (distances != null) {
      distances.fade(keep);
    }
  }

  double addTo(int owner, double[] into) {
    return distances == null ? 0 : distances.addTo(owner, into);
  }

  long metadataBytes() {
    return distances == null ? 0 : distances.metadataBytes();
  }
}
