package io.idlalayer.middleware.embedding.store;

import org.jspecify.annotations.Nullable;

/** Rows cannot be read or written. */
public final class RowStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RowStoreException(String message) {
    super(message);
  }

  public RowStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
