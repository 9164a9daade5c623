package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.state.StateFormat;
import java.util.Arrays;

/**
 * Arrival times of new samples whose models are not published yet. Immutable.
 *
 * @param atMillis arrival times by the learner's clock, in the order in which their updates were
 *     accepted
 */
public record UnpublishedArrivals(long[] atMillis) {
  /** The empty list of arrivals, for when every accepted model is published. */
  public static final UnpublishedArrivals NONE = new UnpublishedArrivals(new long[0]);

  private static final StateFormat FORMAT = StateFormat.first("unpublished arrivals");

  public boolean isEmpty() {
    return atMillis.length == 0;
  }

  /**
   * Returns these arrivals and the arrivals of one more update; keeps only the newest {@code most}.
   */
  UnpublishedArrivals plus(long[] moreMillis, int most) {
    long[] all = Arrays.copyOf(atMillis, atMillis.length + moreMillis.length);
    System.arraycopy(moreMillis, 0, all, atMillis.length, moreMillis.length);
    return new UnpublishedArrivals(
        all.length <= most ? all : Arrays.copyOfRange(all, all.length - most, all.length));
  }

  public byte[] snapshot() {
    return FORMAT.writer().putLongs(1, atMillis).bytes();
  }

  /**
   * Decodes the arrivals in a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not such a
   *     snapshot
   */
  public static UnpublishedArrivals restore(byte[] snapshot) {
    return new UnpublishedArrivals(FORMAT.reader(snapshot).getLongs(1));
  }
}
