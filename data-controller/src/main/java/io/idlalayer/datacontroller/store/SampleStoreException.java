package io.idlalayer.datacontroller.store;

import org.jspecify.annotations.Nullable;

/** Thrown if the store's medium fails, or a sample is missing that must be stored. */
public final class SampleStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SampleStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
