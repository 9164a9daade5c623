package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures the times from the arrivals of samples to the publication of the update that trained
 * them first. Times are recorded in milliseconds, up to {@link #LONGEST_MILLIS}, with two
 * significant digits. The mean is exact.
 */
public final class IncorporationLatency {
  /**
   * Largest number of samples whose times are measured with one publication. If publishing fails
   * and more samples accumulate, only the last ones are measured.
   */
  static final int MOST_WAITING = 1 << 20;

  private static final StateFormat FORMAT = StateFormat.first("incorporation latency");
  private static final long LONGEST_MILLIS = 7L * 24 * 3600 * 1000;
  private static final int DIGITS = 2;

  private Histogram millis = new Histogram(LONGEST_MILLIS, DIGITS);
  private double sumMillis;

  /** The present status; null after times were added. */
  private Status.@Nullable Incorporation status;

  public void add(long[] arrivedAtMillis, long publishedAtMillis) {
    status = null;
    for (long arrived : arrivedAtMillis) {
      long waited = Math.max(0, publishedAtMillis - arrived);
      sumMillis += waited;
      millis.recordValue(Math.min(LONGEST_MILLIS, waited));
    }
  }

  public Status.Incorporation status() {
    Status.Incorporation known = status;
    if (known == null) {
      known = measured();
      status = known;
    }
    return known;
  }

  private Status.Incorporation measured() {
    long count = millis.getTotalCount();
    return count == 0
        ? new Status.Incorporation(0, 0, 0)
        : new Status.Incorporation(
            count, sumMillis / count / 1000, millis.getValueAtPercentile(99) / 1000.0);
  }

  public byte[] snapshot() {
    ByteBuffer histogram = ByteBuffer.allocate(millis.getNeededByteBufferCapacity());
    int bytes = millis.encodeIntoByteBuffer(histogram);
    return FORMAT
        .writer()
        .putDouble(1, sumMillis)
        .putBytes(2, Arrays.copyOf(histogram.array(), bytes))
        .bytes();
  }

  /**
   * Restores the times in a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    double sum = in.getDouble(1);
    try {
      millis = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(in.getBytes(2)), LONGEST_MILLIS);
    } catch (RuntimeException damaged) {
      throw in.refused("field 2 is not a histogram: " + damaged);
    }
    sumMillis = sum;
    status = null;
  }
}
