package io.idlalayer.middleware.embedding.store;

import org.jspecify.annotations.Nullable;

/** Thrown if embedding rows cannot be read from their store or written to it. */
public final class RowStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RowStoreException(String message) {
    super(message);
  }

  public RowStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
