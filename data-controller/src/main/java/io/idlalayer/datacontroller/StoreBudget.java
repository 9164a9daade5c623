package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SlotOrder;
import java.util.Arrays;

/**
 * Keeps the store within its budgets: Discard goes first (oldest first), then Mature (lowest score,
 * then oldest), then Preserve (lowest score), at last samples that still wait for a label. A sample
 * that waits for its training, or is in one, never goes. Room is made in slices, so that the store
 * is not written for every arrival; a slice is small, so that no arrival waits long.
 */
final class StoreBudget {
  private static final int SLICES = 64;

  /** Most that go at once beyond what must. */
  private static final int AT_ONCE = 1_024;

  private static final int GROUPS = 4;

  private final DataSettings settings;
  private final SampleIndex index;
  private final SampleStore store;
  private final SlotOrder leaving;
  private long evicted;

  StoreBudget(DataSettings settings, SampleIndex index, SampleStore store) {
    this.settings = settings;
    this.index = index;
    this.store = store;
    leaving = index.order(new Leaving(index));
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
    Room must = new Room(settings.maxSamples() - 1, settings.maxBytes() - payloadBytes);
    Room wanted =
        new Room(
            tooMany ? must.samples() - slice(settings.maxSamples()) : must.samples(),
            tooLarge ? must.bytes() - slice(settings.maxBytes()) : must.bytes());
    int[] gone = new int[16];
    int count = 0;
    long size = index.size();
    long bytes = index.bytes();
    for (int group = 0; group < GROUPS; group++) {
      SlotOrder.Walk walk = leaving.walk(group);
      while (!(wanted.holds(size, bytes) || (count >= AT_ONCE && must.holds(size, bytes)))) {
        int slot = walk.next();
        if (slot == SampleIndex.ABSENT) {
          break;
        }
        if (!index.locked(slot)) {
          gone = count == gone.length ? Arrays.copyOf(gone, 2 * count) : gone;
          gone[count++] = slot;
          size--;
          bytes -= index.payloadBytes(slot);
        }
      }
    }
    remove(Arrays.copyOf(gone, count));
  }

  private void remove(int[] slots) {
    long[] ids = Arrays.stream(slots).mapToLong(index::id).sorted().toArray();
    for (int slot : slots) {
      index.remove(slot);
    }
    evicted += slots.length;
    store.remove(ids);
  }

  /** What may be stored. */
  private record Room(long samples, long bytes) {
    boolean holds(long storedSamples, long storedBytes) {
      return storedSamples <= samples && storedBytes <= bytes;
    }
  }

  private static int slice(long budget) {
    return (int) Math.min(Integer.MAX_VALUE, budget / SLICES);
  }

  /** Who leaves: groups in turn, in each the first to go first. */
  private record Leaving(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return switch (index.stage(slot)) {
        case DISCARD -> 0;
        case MATURE -> 1;
        case PRESERVE -> 2;
        case NEWBORN -> index.labeled(slot) ? -1 : 3;
      };
    }

    @Override
    public long key(int slot) {
      return switch (index.stage(slot)) {
        case MATURE, PRESERVE -> SlotOrder.ascending(index.score(slot));
        case DISCARD, NEWBORN -> 0;
      };
    }
  }
}
