package io.idlalayer.middleware.embedding.hot;

/**
 * Keeps the first rows that fit into DRAM and never evicts one (policy "static" of
 * CachedEmbeddings).
 */
final class StaticPolicy implements RowPolicy {
  @Override
  public void used(HotRows rows, int[] slots, int from, int to) {}

  @Override
  public boolean takes() {
    return true;
  }

  @Override
  public int victim(HotRows rows, long rowKey) {
    return HotRows.NONE;
  }

  @Override
  public void entered(HotRows rows, int slot) {}
}
