package io.idlalayer.jobs.learner.memory;

import io.idlalayer.middleware.cache.budget.FastSplit;
import io.idlalayer.middleware.cache.budget.FastUse;
import java.util.Map;
import java.util.Objects;

/** An example of a stored split, for the test of its format. */
public final class StoredSplits {
  private StoredSplits() {}

  public static byte[] example() {
    return snapshot(
        of(Map.of(FastUse.SAMPLES, 1L << 30, FastUse.ROWS, 5L << 20, FastUse.TENSORS, 640L)));
  }

  public static byte[] readAndWritten(byte[] bytes) {
    StoredSplit read = new StoredSplit();
    read.restore(bytes);
    return snapshot(read);
  }

  static StoredSplit of(Map<FastUse, Long> bytes) {
    StoredSplit split = new StoredSplit();
    split.put(new FastSplit(bytes));
    return split;
  }

  private static byte[] snapshot(StoredSplit split) {
    return Objects.requireNonNull(split.snapshot());
  }
}
