package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.DeviceId;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A kernel: an operation on whole objects.
 *
 * @param site which kernel of the step; this instance stands for one run of it
 * @param reads objects whose bytes it reads
 * @param writes objects whose bytes it writes; one that is in both lists is changed in place
 * @param tensors names of the {@link #arguments}, in their order; empty if they have none
 * @param workspaceBytes that it uses besides its arguments, outside of this memory
 * @param fastNanos that it takes with all of them on the fast device; 0 if that is to be measured
 * @param divisible whether it can work on one piece of its arguments after the other
 */
public record KernelEvent(
    KernelSite site,
    List<MemObject> reads,
    List<MemObject> writes,
    List<String> tensors,
    long workspaceBytes,
    long fastNanos,
    boolean divisible) {
  public KernelEvent {
    if (workspaceBytes < 0 || fastNanos < 0) {
      throw new IllegalArgumentException(
          "kernel %s uses %d bytes and takes %d ns"
              .formatted(site.name(), workspaceBytes, fastNanos));
    }
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
    tensors = List.copyOf(tensors);
  }

  /** A kernel of no known phase. */
  public KernelEvent(
      int index, String name, List<MemObject> reads, List<MemObject> writes, long fastNanos) {
    this(
        new KernelSite(index, name, Phase.OTHER, KernelSite.NO_LAYER),
        reads,
        writes,
        List.of(),
        0,
        fastNanos,
        false);
  }

  /** A kernel of no known phase whose time is measured. */
  public KernelEvent(int index, String name, List<MemObject> reads, List<MemObject> writes) {
    this(index, name, reads, writes, 0);
  }

  /** A kernel whose time is measured. */
  public KernelEvent(KernelSite site, List<MemObject> reads, List<MemObject> writes) {
    this(site, reads, writes, List.of(), 0, 0, false);
  }

  /** In the order of execution within a step, from 0. */
  public int index() {
    return site.index();
  }

  /** Of the operation, the same in every step. */
  public String name() {
    return site.name();
  }

  /** What it reads, then what it only writes. */
  public Set<MemObject> arguments() {
    Set<MemObject> all = new LinkedHashSet<>(reads);
    all.addAll(writes);
    return all;
  }

  /**
   * The same kernel with names of its arguments.
   *
   * @throws IllegalArgumentException if there are not as many
   */
  public KernelEvent named(List<String> names) {
    if (names.size() != arguments().size()) {
      throw new IllegalArgumentException(
          "kernel %s has %d arguments and %d names"
              .formatted(name(), arguments().size(), names.size()));
    }
    return new KernelEvent(site, reads, writes, names, workspaceBytes, fastNanos, divisible);
  }

  /** The same kernel, which uses memory besides its arguments. */
  public KernelEvent withWorkspace(long bytes) {
    return new KernelEvent(site, reads, writes, tensors, bytes, fastNanos, divisible);
  }

  /** The same kernel, which can work piece by piece. */
  public KernelEvent inPieces() {
    return new KernelEvent(site, reads, writes, tensors, workspaceBytes, fastNanos, true);
  }

  /** The same kernel, which also writes what it has created. */
  public KernelEvent with(List<MemObject> created) {
    if (created.isEmpty()) {
      return this;
    }
    List<MemObject> all = new ArrayList<>(writes);
    all.addAll(created);
    return new KernelEvent(site, reads, all, List.of(), workspaceBytes, fastNanos, divisible);
  }

  /** The same kernel with only those of its arguments that are on a device. */
  public KernelEvent on(DeviceId device) {
    return new KernelEvent(
        site,
        on(device, reads),
        on(device, writes),
        List.of(),
        workspaceBytes,
        fastNanos,
        divisible);
  }

  private static List<MemObject> on(DeviceId device, List<MemObject> objects) {
    return objects.stream().filter(object -> object.in(device)).toList();
  }
}
