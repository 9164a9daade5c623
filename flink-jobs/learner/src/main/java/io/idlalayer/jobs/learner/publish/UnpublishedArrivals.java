package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.state.StateFormat;
import java.util.Arrays;

/**
 * When the new samples arrived whose models are not published yet. Immutable.
 *
 * @param atMillis by the learner's clock, in the order in which their updates were accepted
 */
public record UnpublishedArrivals(long[] atMillis) {
  /** Everything that was accepted is published. */
  public static final UnpublishedArrivals NONE = new UnpublishedArrivals(new long[0]);

  private static final StateFormat FORMAT = StateFormat.first("unpublished arrivals");

  public boolean isEmpty() {
    return atMillis.length == 0;
  }

  /** These and those of one more update; of more than {@code most} the last ones. */
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
   * Takes {@link #snapshot()} back.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  public static UnpublishedArrivals restore(byte[] snapshot) {
    return new UnpublishedArrivals(FORMAT.reader(snapshot).getLongs(1));
  }
}
