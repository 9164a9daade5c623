package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.ContentHash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of a learner's trainings outside its state, because state goes back to a
 * checkpoint when the process dies and this must not. Immutable.
 *
 * <p>Encoding, big endian: version byte, whether a training runs, the contents of its new samples
 * (number, longs), {@link Bisection}, the content of its only new sample (two longs, 0 if there are
 * more), number of given up contents and each as two longs, CRC-32 of all before.
 *
 * @param running whether a training runs; true at a start means that the process died in it
 * @param batch contents of its new samples (the high half of their hash)
 * @param alone content of its only new sample, or null if it has more
 * @param givenUp contents that killed the process alone, oldest first
 */
public record Attempt(
    boolean running,
    long[] batch,
    Bisection bisection,
    @Nullable ContentHash alone,
    List<ContentHash> givenUp) {
  /** Nothing was tried. */
  static final Attempt NONE = new Attempt(false, new long[0], Bisection.NONE, null, List.of());

  static final int MOST_GIVEN_UP = 1_000;
  private static final byte VERSION = 1;

  /** A training of these samples begins. */
  Attempt begins(List<ContentHash> samples, Bisection step) {
    return new Attempt(
        true,
        samples.stream().mapToLong(ContentHash::high).toArray(),
        step,
        samples.size() == 1 ? samples.get(0) : null,
        givenUp);
  }

  /** It has ended, in whatever way. */
  Attempt ended() {
    return new Attempt(false, new long[0], bisection, null, givenUp);
  }

  /** The process has died in it. */
  Attempt died() {
    Bisection.Step step = bisection.failed(batch, Bisection.Failure.DIED);
    List<ContentHash> gone = new ArrayList<>(givenUp);
    if (step.givenUp() && alone != null) {
      gone.add(alone);
    }
    int over = Math.max(0, gone.size() - MOST_GIVEN_UP);
    return new Attempt(
        false, new long[0], step.next(), null, List.copyOf(gone.subList(over, gone.size())));
  }

  byte[] encode() {
    int size = 1 + 1 + 4 + 8 * batch.length + bisection.bytes() + 16 + 4 + 16 * givenUp.size();
    ByteBuffer out = ByteBuffer.allocate(size + 8);
    out.put(VERSION).put((byte) (running ? 1 : 0)).putInt(batch.length);
    for (long content : batch) {
      out.putLong(content);
    }
    bisection.write(out);
    ContentHash only = alone;
    out.putLong(only == null ? 0 : only.high()).putLong(only == null ? 0 : only.low());
    out.putInt(givenUp.size());
    givenUp.forEach(hash -> out.putLong(hash.high()).putLong(hash.low()));
    return out.putLong(sum(out.array(), size)).array();
  }

  private static long sum(byte[] bytes, int length) {
    CRC32 sum = new CRC32();
    sum.update(bytes, 0, length);
    return sum.getValue();
  }

  /** Takes {@link #encode} back; what is damaged or of another program counts as nothing. */
  static Attempt decode(byte[] bytes) {
    if (bytes.length < 9 || bytes[0] != VERSION) {
      return NONE;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (in.getLong(bytes.length - 8) != sum(bytes, bytes.length - 8)) {
      return NONE;
    }
    in.get();
    boolean running = in.get() == 1;
    long[] batch = Bisection.longs(in);
    Bisection step = Bisection.read(in);
    ContentHash only = new ContentHash(in.getLong(), in.getLong());
    List<ContentHash> gone = new ArrayList<>();
    for (int i = in.getInt(); i > 0; i--) {
      gone.add(new ContentHash(in.getLong(), in.getLong()));
    }
    return new Attempt(running, batch, step, batch.length == 1 ? only : null, List.copyOf(gone));
  }
}
