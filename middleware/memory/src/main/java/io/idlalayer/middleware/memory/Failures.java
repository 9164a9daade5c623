package io.idlalayer.middleware.memory;

import org.jspecify.annotations.Nullable;

/** Keeps the first failure of many attempts; the others become suppressed ones. */
final class Failures {
  private @Nullable TieredMemoryException first;

  void add(TieredMemoryException failure) {
    if (first == null) {
      first = failure;
    } else {
      first.addSuppressed(failure);
    }
  }

  /** Throws what failed, if anything did. */
  void rethrow() {
    if (first != null) {
      throw first;
    }
  }
}
