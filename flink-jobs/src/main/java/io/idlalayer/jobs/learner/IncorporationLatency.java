package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.Status;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Times from a sample's arrival to the publication of the update that trained it first.
 * Milliseconds up to {@link #LONGEST_MILLIS}, two significant digits; the mean is exact.
 */
final class IncorporationLatency {
  /**
   * Most samples that are measured with one publication. While publishing fails samples add up; of
   * more the last ones are measured.
   */
  static final int MOST_WAITING = 1 << 20;

  private static final byte VERSION = 1;
  private static final long LONGEST_MILLIS = 7L * 24 * 3600 * 1000;
  private static final int DIGITS = 2;

  private Histogram millis = new Histogram(LONGEST_MILLIS, DIGITS);
  private double sumMillis;

  void add(long[] arrivedAtMillis, long publishedAtMillis) {
    for (long arrived : arrivedAtMillis) {
      long waited = Math.max(0, publishedAtMillis - arrived);
      sumMillis += waited;
      millis.recordValue(Math.min(LONGEST_MILLIS, waited));
    }
  }

  Status.Incorporation status() {
    long count = millis.getTotalCount();
    return count == 0
        ? new Status.Incorporation(0, 0, 0)
        : new Status.Incorporation(
            count, sumMillis / count / 1000, millis.getValueAtPercentile(99) / 1000.0);
  }

  byte[] encode() {
    ByteBuffer compressed = ByteBuffer.allocate(millis.getNeededByteBufferCapacity() + 64);
    int bytes = millis.encodeIntoCompressedByteBuffer(compressed);
    ByteBuffer out = ByteBuffer.allocate(9 + bytes);
    out.put(VERSION).putDouble(sumMillis).put(compressed.array(), 0, bytes);
    return out.array();
  }

  /** Takes {@link #encode()} back. */
  void restore(byte[] encoded) {
    ByteBuffer in = ByteBuffer.wrap(encoded);
    StateVersions.require("incorporation", VERSION, in.get());
    sumMillis = in.getDouble();
    // The library reads the backing array and takes no offset into it.
    byte[] compressed = new byte[in.remaining()];
    in.get(compressed);
    try {
      millis =
          Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(compressed), LONGEST_MILLIS);
    } catch (DataFormatException damaged) {
      throw new IllegalStateException("incorporation state is damaged", damaged);
    }
  }
}
