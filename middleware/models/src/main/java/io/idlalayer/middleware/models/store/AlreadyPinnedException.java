package io.idlalayer.middleware.models.store;

import java.io.IOException;

/** A version is pinned until somebody takes the pin away, and no program replaces that pin. */
public final class AlreadyPinnedException extends IOException {
  private static final long serialVersionUID = 1;

  AlreadyPinnedException(Pin pin) {
    super(
        "version %d is pinned until it is unpinned (by %s: %s)"
            .formatted(pin.version(), pin.by(), pin.reason()));
  }
}
