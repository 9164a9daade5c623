package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;
import java.util.List;

/**
 * A kernel: an operation on whole objects.
 *
 * @param index in the order of execution within a step, from 0
 * @param name of the operation, the same in every step
 * @param reads objects whose bytes it reads
 * @param writes objects whose bytes it writes; one that is in both lists is changed in place
 */
public record KernelEvent(int index, String name, List<MemObject> reads, List<MemObject> writes) {
  public KernelEvent {
    if (index < 0) {
      throw new IllegalArgumentException("kernel %s has the index %d".formatted(name, index));
    }
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }
}
