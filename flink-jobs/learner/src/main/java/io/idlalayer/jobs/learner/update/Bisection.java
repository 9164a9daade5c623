package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * The search, after a failed training, for the samples that make trainings fail. It decides which
 * samples train next, so that these are found and all others are trained. The new samples of the
 * failed batch are suspects. They are identified by their contents, because the state can return to
 * a checkpoint in between:
 *
 * <ol>
 *   <li>after a failure the suspects train without earlier samples. An earlier sample is possibly
 *       the cause, but it need not be found, because it is learned already
 *   <li>after each further failure, half as many suspects train at once; after each success, twice
 *       as many; this ends when no suspect is left
 *   <li>a suspect that fails {@link #FAILURES_OF_ONE} times alone is given up
 * </ol>
 *
 * Waiting samples that are not suspects train as usual, but not together with suspects that have
 * waited longer. The death of the process during a training counts as a failure too, but it can
 * have any cause. So after the first death the whole batch is tried again, and a single sample is
 * given up only after more deaths ({@link #DEATHS_OF_ONE}).
 *
 * <p>k culprits among n samples are found in O(k log n) trainings. Immutable.
 *
 * @param suspects contents (the high half of their hash) of the suspects, ascending
 * @param limit largest number of suspects that train at once
 * @param replays whether earlier samples can be replayed together with suspects
 * @param attempts number of failures of a training that is repeated unchanged
 * @param others number of trainings since then without any suspect
 */
public record Bisection(long[] suspects, int limit, boolean replays, int attempts, int others) {
  private static final StateFormat FORMAT = StateFormat.first("bisection");

  /** The state of a search while no training has failed. */
  static final Bisection NONE = new Bisection(new long[0], Integer.MAX_VALUE, true, 0, 0);

  static final int FAILURES_OF_ONE = 3;
  static final int DEATHS_OF_ONE = 4;

  /** Number of good trainings without any suspect after which all suspects are dropped. */
  static final int OTHERS = 1_000;

  /** The way in which a training failed. */
  enum Failure {
    /** The training threw an exception, or exceeded its time limit. */
    FAILED,
    /** The process ended while the training ran. */
    DIED
  }

  /**
   * The search after a failed training.
   *
   * @param givenUp whether the batch, which is one sample, is given up
   */
  record Step(Bisection next, boolean givenUp) {}

  /**
   * Returns whether samples that make trainings fail are searched, so that only some of the waiting
   * samples train next.
   */
  public boolean searching() {
    return !replays;
  }

  private boolean suspect(long content) {
    return Arrays.binarySearch(suspects, content) >= 0;
  }

  /**
   * Returns whether the sample that has waited longest is a suspect, so that suspects train next.
   */
  boolean asks(long[] waiting) {
    return searching() && waiting.length > 0 && suspect(waiting[0]);
  }

  /**
   * Returns how many of the waiting samples the next training uses, from the oldest on.
   *
   * @param waiting contents of the waiting samples, oldest first, at least one
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

  /** Returns the search after a failed training of these new samples. */
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

  /** Returns the search after a successful training of these new samples. */
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
