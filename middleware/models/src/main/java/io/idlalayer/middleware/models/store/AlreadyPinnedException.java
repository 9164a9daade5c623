package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Pin;
import java.io.IOException;
import java.util.Locale;

/**
 * Thrown if a program is not allowed to roll back: an operator has pinned a version without an end,
 * or has already replaced the version by another one. No program replaces such a pin.
 */
public final class AlreadyPinnedException extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean forGood;

  /**
   * @param pin the pin that was set by an operator and stays
   */
  public AlreadyPinnedException(Pin pin) {
    super(
        String.format(
            Locale.ROOT,
            "version %d is pinned until %s (by %s: %s)",
            pin.version(),
            pin.until() == 0
                ? "it is unpinned"
                : String.format(Locale.ROOT, "a version above %d is published", pin.until()),
            pin.by(),
            pin.reason()));
    forGood = pin.until() == 0;
  }

  /**
   * Returns whether the pin holds until an operator removes it. Otherwise a newer version ends it.
   */
  public boolean forGood() {
    return forGood;
  }
}
