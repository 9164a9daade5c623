package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Pin;
import java.io.IOException;

/**
 * A version is pinned until somebody takes the pin away, or in place of the version that was to be
 * left, and no program replaces that pin.
 */
public final class AlreadyPinnedException extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean forGood;

  /**
   * @param pin that stays
   */
  public AlreadyPinnedException(Pin pin) {
    super(
        "version %d is pinned until %s (by %s: %s)"
            .formatted(
                pin.version(),
                pin.until() == 0
                    ? "it is unpinned"
                    : "a version above %d is published".formatted(pin.until()),
                pin.by(),
                pin.reason()));
    forGood = pin.until() == 0;
  }

  /** Whether the pin stays until somebody takes it away; else a newer version ends it. */
  public boolean forGood() {
    return forGood;
  }
}
