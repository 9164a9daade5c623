package io.idlalayer.middleware.embedding.hot;

/**
 * Keeps every used row in DRAM and evicts the one that was added first (policy "dynamic" of
 * CachedEmbeddings).
 */
final class DynamicPolicy implements RowPolicy {
  private int oldest;

  @Override
  public void used(HotRows rows, int[] slots, int from, int to) {}

  @Override
  public boolean takes() {
    return true;
  }

  @Override
  public int victim(HotRows rows, long rowKey) {
    // Slots are filled in this order, again and again.
    int victim = oldest % rows.slots();
    oldest = victim + 1;
    return victim;
  }

  @Override
  public void entered(HotRows rows, int slot) {}
}
