package io.idlalayer.jobs.learner.samples;

import io.idlalayer.middleware.embedding.store.StoreTraffic;
import java.util.function.LongSupplier;

/** Meters the traffic between a learner and a durable store. Confined to one thread. */
public final class StoreMeter {
  private static final double NANOS_PER_SECOND = 1e9;

  private final LongSupplier nanoTime;
  private long readBytes;
  private long reads;
  private long writtenBytes;
  private long waitNanos;

  /**
   * @param nanoTime a monotonic clock
   */
  public StoreMeter(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Counts an entry that the learner read from the store. */
  public void read(byte[] entry) {
    readBytes += entry.length;
    reads++;
  }

  /** Counts an entry that the learner writes to the store. */
  public void written(byte[] entry) {
    writtenBytes += entry.length;
  }

  /** Runs a read from the store, and counts its time. */
  public void waitFor(Runnable reading) {
    long start = nanoTime.getAsLong();
    try {
      reading.run();
    } finally {
      waitNanos += nanoTime.getAsLong() - start;
    }
  }

  /** Returns the number of entries that were read. */
  public long reads() {
    return reads;
  }

  public StoreTraffic status() {
    return new StoreTraffic(readBytes, writtenBytes, waitNanos / NANOS_PER_SECOND);
  }
}
