package io.idlalayer.middleware.embedding.store;

/**
 * The bytes that a learner read from a durable store and wrote to it since the store was opened.
 *
 * @param readBytes bytes of the entries that were found
 * @param writtenBytes bytes of the entries written; the size of the store's own files is not known
 * @param waitSeconds seconds that the learner's thread took to read rows, until it had copies of
 *     them
 */
public record StoreTraffic(long readBytes, long writtenBytes, double waitSeconds) {
  /** The traffic of a store that was never used. */
  public static final StoreTraffic NONE = new StoreTraffic(0, 0, 0);

  /** Returns the sum of this traffic and another store's. */
  public StoreTraffic plus(StoreTraffic other) {
    return new StoreTraffic(
        readBytes + other.readBytes,
        writtenBytes + other.writtenBytes,
        waitSeconds + other.waitSeconds);
  }
}
