package io.idlalayer.benchmarks.mixing;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Events of ids, of which a share never came before. The label is a matter of the id, and wrong in
 * one event of ten. Equal seeds give equal events.
 */
final class NewIds implements RecordReader {
  private static final double WRONG = 0.1;

  private final SplittableRandom random;
  private final long events;
  private final double newShare;
  private long position;
  private long ids;
  private long user;

  /**
   * @param newShare share of the events with a new id, in [0, 1]
   */
  NewIds(long seed, long events, double newShare) {
    random = new SplittableRandom(seed);
    this.events = events;
    this.newShare = newShare;
  }

  @Override
  public boolean next() {
    if (position == events) {
      return false;
    }
    position++;
    user = ids == 0 || random.nextDouble() < newShare ? ids++ : random.nextLong(ids);
    return true;
  }

  /** Returns how many ids all events have together. Ends the reading. */
  long skipAll() {
    while (next()) {
      record();
    }
    return ids;
  }

  @Override
  public byte[] record() {
    boolean up = up(user) != random.nextDouble() < WRONG;
    String event = event(user, random);
    return (event.substring(0, event.length() - 1) + ",\"y\":" + (up ? 1 : 0) + "}")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Returns an event of an id, without a label. */
  static String event(long user, SplittableRandom random) {
    return String.format(
        Locale.ROOT,
        "{\"x\":[%.3f,%.3f,%.3f,%.3f],\"user\":\"u%d\"}",
        random.nextDouble(),
        random.nextDouble(),
        random.nextDouble(),
        random.nextDouble(),
        user);
  }

  /** Returns the class that most events of an id have. */
  static boolean up(long user) {
    return (BitMixer.splitMix(user) & 1) == 1;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() {}
}
