package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.intake.WaitingQueue;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/** A live view of the samples that wait for their first training and are not in a training. */
public final class WaitingSamples {
  private final WaitingQueue queue;
  private final SampleIndex index;
  private final SampleLibrary library;

  WaitingSamples(WaitingQueue queue, SampleIndex index, SampleLibrary library) {
    this.queue = queue;
    this.index = index;
    this.library = library;
  }

  /** Samples and, in the same order, their ids. */
  public record Loaded(long[] ids, List<Sample> samples) {}

  public int size() {
    return queue.size();
  }

  /** Visits the arrival time of each waiting sample in epoch milliseconds, oldest first. */
  public void forEachArrival(LongConsumer arrivedAtMillis) {
    for (int i = 0; i < queue.size(); i++) {
      arrivedAtMillis.accept(index.arrivedAtMillis(index.require(queue.id(i))));
    }
  }

  /**
   * Returns the contents of the samples that have waited longest, oldest first, as the high halves
   * of their content hashes.
   */
  public long[] oldestContents(int most) {
    long[] contents = new long[Math.min(most, queue.size())];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = index.contentHashHigh(index.require(queue.id(i)));
    }
    return contents;
  }

  /**
   * Reads the samples that arrived last, ascending by id.
   *
   * @param most at least 0
   * @throws IllegalStateException if a stored payload is damaged
   */
  public Loaded loadNewest(int most, TrainingSession.PayloadDecoder decoder) {
    int count = Math.min(most, queue.size());
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = queue.id(queue.size() - count + i);
    }
    Arrays.sort(ids);
    List<byte[]> payloads = library.payloads(ids);
    List<Sample> samples = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      try {
        samples.add(decoder.decode(payloads.get(i)));
      } catch (MalformedSampleException damaged) {
        throw new IllegalStateException("stored sample " + ids[i] + " is damaged", damaged);
      }
    }
    return new Loaded(ids, samples);
  }

  /** Returns the given sample ids whose samples wait. */
  public long[] among(long[] sampleIds) {
    return Arrays.stream(sampleIds)
        .filter(id -> index.holds(id) && index.waits(index.require(id)))
        .toArray();
  }
}
