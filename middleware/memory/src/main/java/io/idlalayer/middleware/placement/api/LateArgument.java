package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;

/**
 * An object that a kernel is about to read and that is still being copied to the fast device in the
 * background.
 *
 * @param remainingNanos predicted time until the copy ends, above 0. A copy that is overdue is
 *     expected to take as long again as it is late.
 */
public record LateArgument(MemObject object, long remainingNanos) {
  public LateArgument {
    if (remainingNanos <= 0) {
      throw new IllegalArgumentException(
          "%s arrives in %d ns; a copy under way takes longer than 0"
              .formatted(object, remainingNanos));
    }
  }
}
