package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.intake.WaitingQueue;
import io.idlalayer.datacontroller.store.SampleIndex;
import java.util.Arrays;
import java.util.function.LongConsumer;

/** The samples that wait for their first training and are not in one, as they are now. */
public final class WaitingSamples {
  private final WaitingQueue queue;
  private final SampleIndex index;

  WaitingSamples(WaitingQueue queue, SampleIndex index) {
    this.queue = queue;
    this.index = index;
  }

  public int size() {
    return queue.size();
  }

  /** Visits the arrival time of each, oldest first (epoch milliseconds). */
  public void forEachArrival(LongConsumer arrivedAtMillis) {
    for (int i = 0; i < queue.size(); i++) {
      arrivedAtMillis.accept(index.arrivedAtMillis(index.require(queue.id(i))));
    }
  }

  /** Contents (the high halves of their hashes) of those that wait longest, oldest first. */
  public long[] oldestContents(int most) {
    long[] contents = new long[Math.min(most, queue.size())];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = index.contentHashHigh(index.require(queue.id(i)));
    }
    return contents;
  }

  /** Those of some samples that wait. */
  public long[] among(long[] sampleIds) {
    return Arrays.stream(sampleIds)
        .filter(id -> index.holds(id) && index.waits(index.require(id)))
        .toArray();
  }
}
