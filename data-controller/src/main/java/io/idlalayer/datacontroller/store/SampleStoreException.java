package io.idlalayer.datacontroller.store;

import org.jspecify.annotations.Nullable;

/** The store's medium failed, or an id that must be stored is not. */
public final class SampleStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SampleStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
