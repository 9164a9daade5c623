package io.idlalayer.middleware.models.store;

/**
 * The largest shares of the heap that reading a version is allowed to take, even if the version's
 * files claim larger sizes. A serving process holds the model in service while it reads the next
 * model, and no content of a store must make it run out of memory.
 *
 * @param heapBytes largest size of the heap
 */
public record HeapShare(long heapBytes) {
  private static final int FILES_PART = 4;
  private static final int NETWORK_PART = 8;
  private static final int BYTES_PER_TOKEN = 512;
  private static final int FEWEST_TOKENS = 100_000;

  /** Returns the shares of this process's heap. */
  public static HeapShare ofThisProcess() {
    return new HeapShare(Runtime.getRuntime().maxMemory());
  }

  /**
   * Returns the most bytes that the files of a version may have together, without the rows of
   * tables: a quarter of the heap.
   */
  public long filesBytes() {
    return heapBytes / FILES_PART;
  }

  /**
   * Returns the most bytes that the files of a network may have, packed and unpacked: an eighth of
   * the heap, because reading needs several times their size for a moment.
   */
  public long networkBytes() {
    return heapBytes / NETWORK_PART;
  }

  /** Returns the most bytes that the rows of a model's tables may have on the heap: half of it. */
  public long rowsBytes() {
    return heapBytes / 2;
  }

  /**
   * Returns the most bytes that the rows of the version in service and of the next version may have
   * together on the heap: three quarters of it.
   */
  public long rowsOfBothBytes() {
    return heapBytes / 4 * 3;
  }

  /** Returns the most tokens that a JSON file may have. */
  public long jsonTokens() {
    return Math.max(FEWEST_TOKENS, heapBytes / BYTES_PER_TOKEN);
  }
}
