package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;

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

  /** Whether a sample of this size has no room even if everything goes that may. */
  boolean full(int payloadBytes) {
    return index.locked() >= settings.maxSamples()
        || index.lockedBytes() + payloadBytes > settings.maxBytes();
  }

  /** Whether no more than an eighth of the room is left for what waits. */
  boolean nearlyFull() {
    return index.locked() >= settings.maxSamples() - settings.maxSamples() / 8
        || index.lockedBytes() >= settings.maxBytes() - settings.maxBytes() / 8;
  }

  /** Throws if nothing can make room; the store is then as it was. */
  void refuseIfFull(int payloadBytes) {
    if (full(payloadBytes)) {
      throw new StoreFullException(settings, index, payloadBytes);
    }
  }

  /** Makes room for a sample that was not refused. */
  void makeRoom(int payloadBytes) {
    boolean tooMany = index.size() >= settings.maxSamples();
    boolean tooLarge = index.bytes() + payloadBytes > settings.maxBytes();
    if (!tooMany && !tooLarge) {
      return;
    }
    int sizeTarget =
        tooMany ? settings.maxSamples() - 1 - slice(settings.maxSamples()) : index.size();
    long bytesTarget =
        tooLarge ? settings.maxBytes() - payloadBytes - slice(settings.maxBytes()) : index.bytes();
    long[] gone = new long[16];
    int count = 0;
    for (Turn turn : Turn.values()) {
      if (index.size() <= sizeTarget && index.bytes() <= bytesTarget) {
        break;
      }
      for (long id : candidates(turn)) {
        if (index.size() <= sizeTarget && index.bytes() <= bytesTarget) {
          break;
        }
        gone = count == gone.length ? Arrays.copyOf(gone, 2 * count) : gone;
        gone[count++] = id;
        index.remove(index.slotOf(id));
      }
    }
    evicted += count;
    long[] ids = Arrays.copyOf(gone, count);
    Arrays.sort(ids);
    store.remove(ids);
  }

  private static int slice(long budget) {
    return (int) Math.min(Integer.MAX_VALUE, budget / SLICES);
  }

  /** Whose turn it is to go. */
  private enum Turn {
    DISCARD(LifeStage.DISCARD),
    MATURE(LifeStage.MATURE),
    PRESERVE(LifeStage.PRESERVE),
    UNLABELED(LifeStage.NEWBORN);

    private final LifeStage stage;

    Turn(LifeStage stage) {
      this.stage = stage;
    }
  }

  /** Ids of those that may go in this turn, first to go first. */
  private long[] candidates(Turn turn) {
    long[] ids = new long[index.count(turn.stage)];
    int count = 0;
    for (int slot = 0; slot < index.slots(); slot++) {
      if (index.occupied(slot) && index.stage(slot) == turn.stage && !index.locked(slot)) {
        ids[count++] = index.id(slot);
      }
    }
    ids = Arrays.copyOf(ids, count);
    Arrays.sort(ids);
    return switch (turn) {
      case DISCARD, UNLABELED -> ids;
      case MATURE, PRESERVE -> byScore(ids);
    };
  }

  /** Lowest score first, then oldest. */
  private long[] byScore(long[] ascending) {
    long[] keys = new long[ascending.length];
    for (int i = 0; i < keys.length; i++) {
      float score = index.score(index.slotOf(ascending[i]));
      int bits = Float.floatToIntBits(score);
      // Below 0 the bits of a float run backwards.
      int ascends = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
      keys[i] = ((long) ascends << 32) | i;
    }
    Arrays.sort(keys);
    long[] ids = new long[keys.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = ascending[(int) keys[i]];
    }
    return ids;
  }
}
