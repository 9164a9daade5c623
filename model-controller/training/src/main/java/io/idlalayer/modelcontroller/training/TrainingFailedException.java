package io.idlalayer.modelcontroller.training;

import org.jspecify.annotations.Nullable;

/** Thrown if a training failed. The samples stay untrained and the last good model serves on. */
public final class TrainingFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The cause of a failed training. */
  public enum Kind {
    /** A loss, a parameter or the updater's state stopped being finite, or the loss exploded. */
    DIVERGED,
    /** The base model cannot be read or does not fit the specification. */
    BAD_BASE_MODEL,
    /** The backend failed: memory, native error. */
    BACKEND,
    /** The training did not end within its time limit; its thread was given up. */
    HUNG,
    /**
     * The memory of tensors is too small or its device failed: no other batch would fare better.
     */
    NO_SPACE
  }

  private static final long[] UNKNOWN = {};

  private final Kind kind;
  private final long[] sampleIds;

  public TrainingFailedException(Kind kind, String message, @Nullable Throwable cause) {
    this(kind, message, cause, UNKNOWN);
  }

  /**
   * @param sampleIds the rows that caused it, in the order of the batch; empty if they cannot be
   *     told apart
   */
  public TrainingFailedException(
      Kind kind, String message, @Nullable Throwable cause, long[] sampleIds) {
    super(message, cause);
    this.kind = kind;
    this.sampleIds = sampleIds.clone();
  }

  public Kind kind() {
    return kind;
  }

  /**
   * Returns the ids of the samples that caused the failure; empty if it is not known which ones
   * did.
   */
  public long[] sampleIds() {
    return sampleIds.clone();
  }

  /**
   * Returns whether a training with another batch may succeed; otherwise an operator has to change
   * something first.
   */
  public boolean ofThisBatch() {
    return switch (kind) {
      case DIVERGED, BACKEND, HUNG -> true;
      case BAD_BASE_MODEL, NO_SPACE -> false;
    };
  }
}
