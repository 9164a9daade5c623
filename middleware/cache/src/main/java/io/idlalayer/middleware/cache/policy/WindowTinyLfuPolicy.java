package io.idlalayer.middleware.cache.policy;

import java.util.function.IntConsumer;

/**
 * Evicts by W-TinyLFU (Einziger 2017): new blocks enter a small window, and only frequently used
 * blocks move on to the main part, a segmented LRU. A block that leaves the window enters the main
 * part only if it was recently referenced more often than the block that would have to be evicted
 * for it.
 */
final class WindowTinyLfuPolicy implements EvictionPolicy {
  private static final int WINDOW = 0;
  private static final int PROBATION = 1;
  private static final int PROTECTED = 2;
  private static final double PROTECTED_SHARE = 0.8;

  private final Residents residents;
  private final double windowShare;
  private final FrequencySketch sketch = new FrequencySketch();
  private final SlotLists parts = new SlotLists(3);

  /**
   * Creates a policy without blocks.
   *
   * @param windowShare part of the residents in the window, in (0, 1)
   */
  WindowTinyLfuPolicy(Residents residents, double windowShare) {
    this.residents = residents;
    this.windowShare = windowShare;
  }

  private int count() {
    return parts.size(WINDOW) + parts.size(PROBATION) + parts.size(PROTECTED);
  }

  @Override
  public void hit(int slot) {
    hit(slot, 1);
  }

  @Override
  public void hit(int slot, int weight) {
    long hash = residents.hash(slot);
    for (int i = 0; i < weight; i++) {
      sketch.add(hash);
    }
    if (parts.of(slot) == PROBATION) {
      parts.remove(slot);
      parts.addFirst(PROTECTED, slot);
      int most = (int) (PROTECTED_SHARE * (count() - parts.size(WINDOW)));
      if (parts.size(PROTECTED) > most) {
        int demoted = parts.last(PROTECTED);
        parts.remove(demoted);
        parts.addFirst(PROBATION, demoted);
      }
    } else {
      parts.moveFirst(parts.of(slot), slot);
    }
  }

  @Override
  public void missed(long hash, Reuse reuse) {
    sketch.add(hash);
  }

  @Override
  public void inserted(int slot, Reuse reuse) {
    parts.addFirst(WINDOW, slot);
  }

  @Override
  public int victim() {
    int most = Math.max(1, (int) (windowShare * count()));
    while (parts.size(WINDOW) > most) {
      toProbation(parts.last(WINDOW));
    }
    int victim = mainVictim();
    int candidate = parts.last(WINDOW);
    if (victim == SlotLists.NONE) {
      return candidate;
    }
    if (parts.size(WINDOW) < most) {
      return victim;
    }
    if (!wins(candidate, victim)) {
      return candidate;
    }
    toProbation(candidate);
    return victim;
  }

  private void toProbation(int slot) {
    parts.remove(slot);
    parts.addFirst(PROBATION, slot);
  }

  private boolean wins(int candidate, int victim) {
    return sketch.frequency(residents.hash(candidate)) > sketch.frequency(residents.hash(victim));
  }

  private int mainVictim() {
    int victim = parts.last(PROBATION);
    return victim == SlotLists.NONE ? parts.last(PROTECTED) : victim;
  }

  @Override
  public void removed(int slot) {
    parts.remove(slot);
  }

  @Override
  public void ensure(int slots) {
    parts.ensure(slots);
  }

  @Override
  public void capacity(int entries) {
    sketch.ensure(entries);
  }

  @Override
  public void forEach(IntConsumer visitor) {
    parts.forEachFromLast(PROBATION, visitor);
    parts.forEachFromLast(PROTECTED, visitor);
    parts.forEachFromLast(WINDOW, visitor);
  }

  @Override
  public long metadataBytes() {
    return parts.bytes() + sketch.bytes();
  }
}
