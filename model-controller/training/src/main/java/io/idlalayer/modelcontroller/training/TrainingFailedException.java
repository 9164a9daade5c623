package io.idlalayer.modelcontroller.training;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a training failed. The samples stay untrained, and the last good model stays in
 * service.
 */
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
     * The memory of tensors is too small or its device failed. A training with another batch would
     * fail too.
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
   * @param sampleIds the ids of the samples that caused the failure, in the order of the batch;
   *     empty if they are not known
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

  /** Returns the ids of the samples that caused the failure; empty if they are not known. */
  public long[] sampleIds() {
    return sampleIds.clone();
  }

  /**
   * Returns whether a training with another batch can succeed. If not, an operator has to change
   * something first.
   */
  public boolean ofThisBatch() {
    return switch (kind) {
      case DIVERGED, BACKEND, HUNG -> true;
      case BAD_BASE_MODEL, NO_SPACE -> false;
    };
  }
}
