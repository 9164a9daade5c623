package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Keeps the store within its budgets: Discard goes first (oldest first), then Mature (lowest score,
 * then oldest), then Preserve (lowest score), at last samples that still wait for a label. A sample
 * that waits for its training, or is in one, never goes. Room is made in slices, so that a full
 * store is not searched for every arrival.
 */
final class StoreBudget {
  private static final int SLICES = 64;

  private final DataSettings settings;
  private final SampleIndex index;
  private final SampleStore store;
  private long evicted;
  private int largestPayloadBytes;

  StoreBudget(DataSettings settings, SampleIndex index, SampleStore store) {
    this.settings = settings;
    this.index = index;
    this.store = store;
  }

  long evicted() {
    return evicted;
  }

  void evicted(long restored) {
    evicted = restored;
  }

  /** Whether a sample as large as the largest seen so far has no room and nothing may go for it. */
  boolean full(int untouchable) {
    boolean noRoom =
        index.size() >= settings.maxSamples()
            || index.bytes() + largestPayloadBytes > settings.maxBytes();
    return noRoom && index.size() <= untouchable;
  }

  /** Makes room for a sample, or throws if nothing may go. */
  void makeRoom(int payloadBytes) {
    largestPayloadBytes = Math.max(largestPayloadBytes, payloadBytes);
    if (fits(payloadBytes)) {
      return;
    }
    evict(payloadBytes);
    if (!fits(payloadBytes)) {
      throw new StoreFullException(settings, index.size(), index.bytes());
    }
  }

  private boolean fits(int payloadBytes) {
    return index.size() + 1 <= settings.maxSamples()
        && index.bytes() + payloadBytes <= settings.maxBytes();
  }

  private void evict(int payloadBytes) {
    int samplesOver =
        index.size() + 1 <= settings.maxSamples() ? 0 : 1 + settings.maxSamples() / SLICES;
    long bytesOver =
        index.bytes() + payloadBytes <= settings.maxBytes()
            ? 0
            : payloadBytes + settings.maxBytes() / SLICES;
    long bytesTarget = index.bytes() - bytesOver;
    int sizeTarget = index.size() - samplesOver;
    List<Long> gone = new ArrayList<>();
    for (Integer slot : candidates()) {
      if (index.size() <= sizeTarget && index.bytes() <= bytesTarget) {
        break;
      }
      gone.add(index.id(slot));
      index.remove(slot);
    }
    evicted += gone.size();
    long[] ids = gone.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(ids);
    store.remove(ids);
  }

  /** Everything that may go, first to go first. */
  private List<Integer> candidates() {
    List<Integer> slots = new ArrayList<>();
    for (int slot = 0; slot < index.slots(); slot++) {
      if (index.occupied(slot) && !index.inTraining(slot) && order(slot) < 4) {
        slots.add(slot);
      }
    }
    slots.sort(
        Comparator.<Integer>comparingInt(this::order)
            .thenComparingDouble(slot -> order(slot) == 0 ? 0 : index.score(slot))
            .thenComparingLong(index::id));
    return slots;
  }

  private int order(int slot) {
    LifeStage stage = index.stage(slot);
    return switch (stage) {
      case DISCARD -> 0;
      case MATURE -> 1;
      case PRESERVE -> 2;
      case NEWBORN -> index.labeled(slot) ? 4 : 3;
    };
  }
}
