package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The record of a learner's last training attempt and of earlier failures, which the next process
 * reads after a crash. It is kept outside the state, because state returns to a checkpoint when the
 * process dies, and this record must not. Its last field is the CRC-32 of all fields before it,
 * because a power failure can truncate the file. Immutable.
 *
 * @param running whether a training runs; true at a start means that the process died in it
 * @param batch contents of the new samples of the training that runs or ran last (the high half of
 *     their hash)
 * @param alone content of the only new sample of this training; null if the training has more new
 *     samples
 * @param givenUp contents of samples that killed the process when they trained alone, oldest first
 */
record Attempt(
    boolean running,
    long[] batch,
    Bisection bisection,
    @Nullable ContentHash alone,
    List<ContentHash> givenUp) {
  /** The record of a learner that has not trained yet. */
  public static final Attempt NONE =
      new Attempt(false, new long[0], Bisection.NONE, null, List.of());

  static final int MOST_GIVEN_UP = 1_000;
  private static final StateFormat FORMAT = StateFormat.first("training attempts");
  private static final int SUM = 255;

  /** Bytes of a checksum in a snapshot: tag, type and value of a long. */
  private static final int SUM_BYTES = 2 + Long.BYTES;

  /** Returns this record with a training of the given samples marked as running. */
  Attempt begins(List<ContentHash> samples, Bisection step) {
    return new Attempt(
        true,
        samples.stream().mapToLong(ContentHash::high).toArray(),
        step,
        samples.size() == 1 ? samples.get(0) : null,
        givenUp);
  }

  /**
   * Returns this record with the training marked as ended, whether it succeeded or failed. The
   * record still names the samples, so that its length does not change and it can be written in
   * place.
   */
  Attempt ended() {
    return new Attempt(false, batch, bisection, alone, givenUp);
  }

  /** Returns whether this record has only its own training: no suspect and no given-up sample. */
  boolean remembersNothing() {
    return givenUp.isEmpty() && bisection.suspects().length == 0;
  }

  /** Returns this record after the process has died during the training. */
  Attempt died() {
    Bisection.Step step = bisection.failed(batch, Bisection.Failure.DIED);
    List<ContentHash> gone = new ArrayList<>(givenUp);
    if (step.givenUp() && alone != null) {
      gone.add(alone);
    }
    return new Attempt(false, new long[0], step.next(), null, newest(gone));
  }

  private static List<ContentHash> newest(List<ContentHash> all) {
    int over = Math.max(0, all.size() - MOST_GIVEN_UP);
    return List.copyOf(all.subList(over, all.size()));
  }

  /** Returns this record with further contents that are given up. */
  Attempt givingUp(Collection<ContentHash> further) {
    Set<ContentHash> all = new LinkedHashSet<>(givenUp);
    all.addAll(further);
    return new Attempt(running, batch, bisection, alone, newest(List.copyOf(all)));
  }

  public byte[] snapshot() {
    StateWriter out =
        FORMAT.writer().putBoolean(1, running).putLongs(2, batch).putBytes(3, bisection.snapshot());
    ContentHash only = alone;
    if (only != null) {
      out.putLongs(4, new long[] {only.high(), only.low()});
    }
    out.putLongs(5, givenUp.stream().mapToLong(ContentHash::high).toArray())
        .putLongs(6, givenUp.stream().mapToLong(ContentHash::low).toArray());
    return out.putLong(SUM, sum(out.bytes())).bytes();
  }

  private static long sum(byte[] bytes) {
    CRC32 sum = new CRC32();
    sum.update(bytes, 0, bytes.length);
    return sum.getValue();
  }

  /**
   * Decodes the record in a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not such a
   *     snapshot
   */
  public static Attempt restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    if (in.getLong(SUM) != sum(Arrays.copyOf(snapshot, snapshot.length - SUM_BYTES))) {
      throw in.refused("its checksum is wrong");
    }
    long[] only = in.has(4) ? in.getLongs(4) : new long[0];
    long[] high = in.getLongs(5);
    long[] low = in.getLongs(6);
    List<ContentHash> gone = new ArrayList<>();
    for (int i = 0; i < high.length; i++) {
      gone.add(new ContentHash(high[i], low[i]));
    }
    return new Attempt(
        in.getBoolean(1),
        in.getLongs(2),
        Bisection.restore(in.getBytes(3)),
        only.length == 0 ? null : new ContentHash(only[0], only[1]),
        List.copyOf(gone));
  }
}
