package io.idlalayer.modelcontroller.training;

import org.jspecify.annotations.Nullable;

/**
 * A training that must be dropped. The samples stay untrained and the last good model serves on.
 */
public final class TrainingFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What went wrong. */
  public enum Kind {
    /** A loss or a parameter stopped being finite. */
    DIVERGED,
    /** The base model cannot be read or does not fit the specification. */
    BAD_BASE_MODEL,
    /** The backend failed: memory, native error. */
    BACKEND,
    /**
     * The memory of tensors is too small or its device failed: no other batch would fare better.
     */
    NO_ROOM
  }

  private final Kind kind;

  public TrainingFailedException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** Whether another batch may succeed; else somebody has to change something first. */
  public boolean ofThisBatch() {
    return kind == Kind.DIVERGED || kind == Kind.BACKEND;
  }
}
