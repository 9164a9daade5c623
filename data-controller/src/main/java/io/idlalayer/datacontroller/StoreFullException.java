package io.idlalayer.datacontroller;

/** The store holds nothing that may go: everything in it still has to be trained. */
public final class StoreFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoreFullException(DataSettings settings, int stored, long storedBytes) {
    super(
        ("the store is full with %d samples of %d bytes that all wait for training; allowed are"
                + " selection.max-samples=%d and selection.max-bytes=%d: raise them or train more"
                + " often")
            .formatted(stored, storedBytes, settings.maxSamples(), settings.maxBytes()));
  }
}
