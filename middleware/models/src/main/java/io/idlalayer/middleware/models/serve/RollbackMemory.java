package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelReader;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a subscriber takes a version that the store names, and remembers the version from
 * which this process was rolled back. One thread at a time: its owner holds {@code swapping}.
 */
final class RollbackMemory {
  private final boolean followsAlias;
  private long rolledBackFrom;

  /** Identifies the version that a pin or the alias named at the last check; "" if neither did. */
  private String named = "";

  /**
   * Identifies the version that a pin or the alias named when this process was rolled back from it;
   * "" if neither did.
   */
  private String rolledBackNamed = "";

  /**
   * @param followsAlias whether the store names the version by an alias
   */
  RollbackMemory(boolean followsAlias) {
    this.followsAlias = followsAlias;
  }

  /** Remembers the version that a pin or the alias names now. */
  void note(ModelReader.Serving found) {
    Pin pin = found.pin();
    if (pin != null) {
      named = found.checkpoint().digest() + "@" + pin.atMillis();
    } else {
      named = followsAlias ? found.checkpoint().digest() : "";
    }
    if (!named.equals(rolledBackNamed)) {
      // The pin or the alias went to another version, so it may come back to this one.
      rolledBackNamed = "";
    }
  }

  /**
   * Returns whether the subscriber should take a version. It should if a pin or the alias names the
   * version, or if it is newer than all earlier ones.
   *
   * @param serving the version in service; null for none
   */
  boolean wants(ModelReader.Serving found, @Nullable ModelCheckpoint serving) {
    note(found);
    if (!named.isEmpty()) {
      boolean rolledBack = !rolledBackNamed.isEmpty();
      rolledBackFrom = rolledBack ? rolledBackFrom : 0;
      return !rolledBack
          && (serving == null || !serving.digest().equals(found.checkpoint().digest()));
    }
    long version = found.checkpoint().version();
    return version > rolledBackFrom && (serving == null || version > serving.version());
  }

  /** Remembers that this process is rolled back from a version. */
  void rollBackFrom(ModelCheckpoint left) {
    rolledBackFrom = left.version();
    rolledBackNamed = named.startsWith(left.digest()) ? named : "";
  }
}
