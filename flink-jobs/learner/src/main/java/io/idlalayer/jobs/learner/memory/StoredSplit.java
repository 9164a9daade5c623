package io.idlalayer.jobs.learner.memory;

import io.idlalayer.middleware.cache.budget.FastSplit;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The split of a learner's DRAM in the learner's state: the split after the last move. If a restart
 * could not return to a split, the state contains the refused split too. The operator's thread
 * calls it.
 */
public final class StoredSplit {
  private static final StateFormat FORMAT = StateFormat.first("split of fast memory");

  /**
   * Upper bound of the bytes of a use: more than any process has, and small enough that the sum of
   * all uses is a long.
   */
  private static final long MOST_BYTES = 1L << 60;

  /** Tag of the bytes of samples, rows and tensors; 0 for a use without a part. */
  private static final int BYTES = 1;

  /** Tag of the bytes of the split that was refused after a restart; all 0 if none was refused. */
  private static final int REFUSED = 2;

  private static final int USES = 3;

  private FastSplit split = FastSplit.NONE;
  private FastSplit refused = FastSplit.NONE;
  private boolean changed;

  /** Returns the split; {@link FastSplit#NONE} before the first move. */
  public FastSplit split() {
    return split;
  }

  /** Stores the split after a move. */
  void put(FastSplit now) {
    changed |= !now.equals(split) || refused.bytes() > 0;
    split = now;
    refused = FastSplit.NONE;
  }

  /**
   * Stores that a restart could not return to a split, so that the next restart does not try it.
   */
  void refused(FastSplit tried) {
    changed |= !tried.equals(refused);
    refused = tried;
  }

  /**
   * Returns whether an earlier restart could not return to a split, and no move was carried out
   * since.
   */
  boolean wasRefused(FastSplit tried) {
    return tried.equals(refused);
  }

  /** Removes the split, because no DRAM is divided any more. */
  public void clear() {
    put(FastSplit.NONE);
  }

  /** Returns whether the split has changed since the last call. */
  public boolean takeChanged() {
    boolean since = changed;
    changed = false;
    return since;
  }

  /** Returns the state; null if there is no split. */
  public byte @Nullable [] snapshot() {
    if (split.bytes() == 0) {
      return null;
    }
    return FORMAT.writer().putLongs(BYTES, bytes(split)).putLongs(REFUSED, bytes(refused)).bytes();
  }

  private static long[] bytes(FastSplit of) {
    return new long[] {of.of(FastUse.SAMPLES), of.of(FastUse.ROWS), of.of(FastUse.TENSORS)};
  }

  /**
   * Restores the split.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a state of
   *     this class
   */
  public void restore(byte[] state) {
    StateReader reader = FORMAT.reader(state);
    split = split(reader, BYTES);
    refused = split(reader, REFUSED);
    changed = false;
  }

  private static FastSplit split(StateReader reader, int tag) {
    long[] bytes = reader.getLongs(tag);
    if (bytes.length != USES
        || Arrays.stream(bytes).anyMatch(each -> each < 0 || each > MOST_BYTES)) {
      throw reader.refused(
          "%s are no bytes of samples, rows and tensors".formatted(Arrays.toString(bytes)));
    }
    return new FastSplit(
        Map.of(FastUse.SAMPLES, bytes[0], FastUse.ROWS, bytes[1], FastUse.TENSORS, bytes[2]));
  }
}
