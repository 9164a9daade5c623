package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Which training follows a failed one, so that the samples that make trainings fail are found and
 * all others train. The new samples of the batch that failed are suspects, known by their contents,
 * because state may go back to a checkpoint in between:
 *
 * <ol>
 *   <li>after a failure the suspects train without any samples that were trained before: one of
 *       those may be to blame, and it need not be found, as what it taught is learned already
 *   <li>after each further failure half as many train at once; after a success twice as many, until
 *       none is left
 *   <li>one that fails alone so often is given up
 * </ol>
 *
 * Waiting samples that are no suspects train as always, but not together with suspects that wait
 * longer. A process that dies while it trains has failed as well, but may have died for any reason:
 * the first time the same batch is tried again whole, and one sample alone is given up later.
 *
 * <p>k culprits among n samples are found in O(k log n) trainings. Immutable.
 *
 * @param suspects contents (the high half of their hash) of the samples in question, ascending
 * @param limit most of them to train at once
 * @param replays whether samples may train again beside them
 * @param attempts failures of the training that is tried again as it is
 * @param others trainings since that had none of them
 */
public record Bisection(long[] suspects, int limit, boolean replays, int attempts, int others) {
  private static final StateFormat FORMAT = StateFormat.first("bisection");

  /** Nothing has failed. */
  static final Bisection NONE = new Bisection(new long[0], Integer.MAX_VALUE, true, 0, 0);

  static final int FAILURES_OF_ONE = 3;
  static final int DEATHS_OF_ONE = 4;

  /** Number of good trainings without any suspect after which all suspects are dropped. */
  static final int OTHERS = 1_000;

  /** How a training failed. */
  enum Failure {
    /** It threw, or did not end in time. */
    FAILED,
    /** The process ended while it ran. */
    DIED
  }

  /**
   * What follows a failure.
   *
   * @param givenUp whether the batch, which is one sample, is given up
   */
  record Step(Bisection next, boolean givenUp) {}

  /** Whether only some of the waiting samples are tried. */
  public boolean searching() {
    return !replays;
  }

  private boolean suspect(long content) {
    return Arrays.binarySearch(suspects, content) >= 0;
  }

  /** Whether what has waited longest is in question and must be tried. */
  boolean asks(long[] waiting) {
    return searching() && waiting.length > 0 && suspect(waiting[0]);
  }

  /**
   * How many samples train next.
   *
   * @param waiting their contents, oldest first, at least one
   */
  int batch(long[] waiting) {
    if (!searching()) {
      return waiting.length;
    }
    if (asks(waiting)) {
      return Math.min(limit, waiting.length);
    }
    int free = 1;
    while (free < waiting.length && !suspect(waiting[free])) {
      free++;
    }
    return free;
  }

  /** A training of these new samples has failed. */
  Step failed(long[] batch, Failure how) {
    long[] all = with(batch);
    if (replays) {
      boolean again = Arrays.stream(batch).anyMatch(this::suspect);
      return new Step(
          how == Failure.DIED && !again
              ? new Bisection(all, limit, true, 1, 0)
              : new Bisection(all, batch.length, false, 0, 0),
          false);
    }
    if (batch.length > 1) {
      return new Step(new Bisection(all, (batch.length + 1) / 2, false, 0, 0), false);
    }
    int most = how == Failure.DIED ? DEATHS_OF_ONE : FAILURES_OF_ONE;
    return attempts + 1 < most
        ? new Step(new Bisection(all, 1, false, attempts + 1, 0), false)
        : new Step(rest(without(batch), 1), true);
  }

  /** A training of these new samples has succeeded. */
  Bisection succeeded(long[] batch) {
    long[] left = without(batch);
    if (left.length == suspects.length && left.length > 0) {
      return others + 1 >= OTHERS
          ? NONE
          : new Bisection(suspects, limit, replays, attempts, others + 1);
    }
    return searching()
        ? rest(left, 2L * limit)
        : new Bisection(left, limit, true, attempts, 0).orNone();
  }

  private static Bisection rest(long[] left, long limit) {
    return new Bisection(left, (int) Math.min(limit, left.length), false, 0, 0).orNone();
  }

  private Bisection orNone() {
    return suspects.length == 0 ? NONE : this;
  }

  private long[] with(long[] batch) {
    return LongStream.concat(Arrays.stream(suspects), Arrays.stream(batch))
        .sorted()
        .distinct()
        .toArray();
  }

  private long[] without(long[] batch) {
    long[] gone = batch.clone();
    Arrays.sort(gone);
    return Arrays.stream(suspects)
        .filter(content -> Arrays.binarySearch(gone, content) < 0)
        .toArray();
  }

  byte[] snapshot() {
    return FORMAT
        .writer()
        .putLongs(1, suspects)
        .putInt(2, limit)
        .putBoolean(3, replays)
        .putInt(4, attempts)
        .putInt(5, others)
        .bytes();
  }

  static Bisection restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    return new Bisection(
        in.getLongs(1), in.getInt(2), in.getBoolean(3), in.getInt(4), in.getInt(5));
  }
}
