package io.idlalayer.middleware.embedding.hot;

/** Keeps no rows in DRAM (policy "simple" of CachedEmbeddings). */
final class SimplePolicy implements RowPolicy {
  @Override
  public void used(HotRows rows, int[] slots, int from, int to) {}

  @Override
  public boolean takes() {
    return false;
  }

  @Override
  public int victim(HotRows rows, long rowKey) {
    return HotRows.NONE;
  }

  @Override
  public void entered(HotRows rows, int slot) {}
}
