package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceId;
import io.idlalayer.middleware.memory.MemObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A kernel: an operation on whole objects.
 *
 * @param index in the order of execution within a step, from 0
 * @param name of the operation, the same in every step
 * @param reads objects whose bytes it reads
 * @param writes objects whose bytes it writes; one that is in both lists is changed in place
 * @param fastNanos that it takes with all of them on the fast device; 0 if that is to be measured
 */
public record KernelEvent(
    int index, String name, List<MemObject> reads, List<MemObject> writes, long fastNanos) {
  public KernelEvent {
    if (index < 0 || fastNanos < 0) {
      throw new IllegalArgumentException(
          "kernel %s has the index %d and takes %d ns".formatted(name, index, fastNanos));
    }
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }

  /** A kernel whose time is measured. */
  public KernelEvent(int index, String name, List<MemObject> reads, List<MemObject> writes) {
    this(index, name, reads, writes, 0);
  }

  /** What it reads, then what it writes; once. */
  Set<MemObject> arguments() {
    Set<MemObject> all = new LinkedHashSet<>(reads);
    all.addAll(writes);
    return all;
  }

  /** The same kernel, which also writes what it has created. */
  KernelEvent with(List<MemObject> created) {
    if (created.isEmpty()) {
      return this;
    }
    List<MemObject> all = new ArrayList<>(writes);
    all.addAll(created);
    return new KernelEvent(index, name, reads, all, fastNanos);
  }

  /** The same kernel with only those of its arguments that are on a device. */
  KernelEvent on(DeviceId device) {
    return new KernelEvent(index, name, on(device, reads), on(device, writes), fastNanos);
  }

  private static List<MemObject> on(DeviceId device, List<MemObject> objects) {
    return objects.stream().filter(object -> object.in(device)).toList();
  }
}
