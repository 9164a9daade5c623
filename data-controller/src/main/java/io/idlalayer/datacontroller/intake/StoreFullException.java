package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.SampleIndex;

/**
 * Thrown if a new sample does not fit because no stored sample can be evicted: all of them still
 * have to be trained.
 */
public final class StoreFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoreFullException(DataSettings settings, SampleIndex index, int payloadBytes) {
    super(
        ("no room for a sample of %d bytes: %d samples of %d bytes wait for training or are in one;"
                + " allowed are selection.max-samples=%d and selection.max-bytes=%d: raise them or"
                + " train more often")
            .formatted(
                payloadBytes,
                index.locked(),
                index.lockedBytes(),
                settings.maxSamples(),
                settings.maxBytes()));
  }
}
