package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import io.idlalayer.middleware.cache.policy.ReuseDistances;
import org.jspecify.annotations.Nullable;

/** Measures a segment's reuse distances once it is told to. Guarded by the segment's lock. */
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
   * A block that is there was looked up.
   *
   * @param weight how many times
   */
  void hit(long hash, int reader, int length, int weight) {
    if (distances != null) {
      distances.referenced(hash, reader, (int) BlockMemory.occupiedBytes(length), weight);
    }
  }

  /** A block that is not there was brought in, or one that is there was written anew. */
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
