package io.idlalayer.middleware.cache.policy;

import java.util.function.IntConsumer;

/** Evicts the least recently used block. */
final class LruPolicy implements EvictionPolicy {
  private final SlotLists recency = new SlotLists(1);

  @Override
  public void hit(int slot) {
    recency.moveFirst(0, slot);
  }

  @Override
  public void missed(long hash, Reuse reuse) {
    // Only resident blocks have an order, so a miss changes nothing.
  }

  @Override
  public void inserted(int slot, Reuse reuse) {
    recency.addFirst(0, slot);
  }

  @Override
  public int victim() {
    return recency.last(0);
  }

  @Override
  public void removed(int slot) {
    recency.remove(slot);
  }

  @Override
  public void ensure(int slots) {
    recency.ensure(slots);
  }

  @Override
  public void capacity(int entries) {
    // The policy uses only resident blocks, so nothing is stored for absent keys.
  }

  @Override
  public void forEach(IntConsumer visitor) {
    recency.forEachFromLast(0, visitor);
  }

  @Override
  public long metadataBytes() {
    return recency.bytes();
  }
}
