package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A run of a kernel, that is, of an operation on whole objects, with the objects that it reads and
 * writes.
 *
 * @param site which kernel of the step; this instance stands for one run of it
 * @param reads objects whose bytes it reads
 * @param writes objects whose bytes it writes; one that is in both lists is changed in place
 * @param tensors names of the {@link #arguments}, in their order, "" for an argument without a
 *     name; empty if no argument has one
 * @param fastNanos time with all arguments on the fast device; 0 if it is to be measured
 * @param divisible whether it can process its arguments piece by piece
 */
public record KernelEvent(
    KernelSite site,
    List<MemObject> reads,
    List<MemObject> writes,
    List<String> tensors,
    long fastNanos,
    boolean divisible) {
  public KernelEvent {
    if (fastNanos < 0) {
      throw new IllegalArgumentException(
          "kernel %s takes %d ns, which is negative".formatted(site.name(), fastNanos));
    }
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
    tensors = List.copyOf(tensors);
  }

  /** Creates the run of a kernel that belongs to no known phase of a step. */
  public KernelEvent(
      int index, String name, List<MemObject> reads, List<MemObject> writes, long fastNanos) {
    this(
        new KernelSite(index, name, Phase.OTHER, KernelSite.NO_LAYER),
        reads,
        writes,
        List.of(),
        fastNanos,
        false);
  }

  /**
   * Creates the run of a kernel that belongs to no known phase of a step and whose time will be
   * measured.
   */
  public KernelEvent(int index, String name, List<MemObject> reads, List<MemObject> writes) {
    this(index, name, reads, writes, 0);
  }

  /** Creates the run of a kernel whose time will be measured. */
  public KernelEvent(KernelSite site, List<MemObject> reads, List<MemObject> writes) {
    this(site, reads, writes, List.of(), 0, false);
  }

  /** Returns the kernel's index in the order of execution within a step, from 0. */
  public int index() {
    return site.index();
  }

  /** Returns the name of the operation, equal in every step. */
  public String name() {
    return site.name();
  }

  /** Returns the objects that the kernel reads, then those that it only writes. */
  public Set<MemObject> arguments() {
    Set<MemObject> all = new LinkedHashSet<>(reads);
    all.addAll(writes);
    return all;
  }

  /**
   * Returns this event with names for its arguments.
   *
   * @throws IllegalArgumentException if there are not as many names as arguments
   */
  public KernelEvent named(List<String> names) {
    if (names.size() != arguments().size()) {
      throw new IllegalArgumentException(
          "kernel %s has %d arguments, but %d names were given for them"
              .formatted(name(), arguments().size(), names.size()));
    }
    return new KernelEvent(site, reads, writes, names, fastNanos, divisible);
  }

  /** Returns this event, marked as one whose kernel can process its arguments piece by piece. */
  public KernelEvent inPieces() {
    return new KernelEvent(site, reads, writes, tensors, fastNanos, true);
  }

  /** Returns this event without some of its arguments, and without names of the others. */
  public KernelEvent without(Collection<MemObject> objects) {
    return new KernelEvent(
        site,
        reads.stream().filter(object -> !objects.contains(object)).toList(),
        writes.stream().filter(object -> !objects.contains(object)).toList(),
        List.of(),
        fastNanos,
        divisible);
  }

  /**
   * Returns this event with objects that the kernel has created added to its writes, and without
   * names of its arguments.
   */
  public KernelEvent with(List<MemObject> created) {
    if (created.isEmpty()) {
      return this;
    }
    List<MemObject> all = new ArrayList<>(writes);
    all.addAll(created);
    KernelEvent more = new KernelEvent(site, reads, all, List.of(), fastNanos, divisible);
    if (tensors.isEmpty()) {
      return more;
    }
    List<String> names = new ArrayList<>(tensors);
    while (names.size() < more.arguments().size()) {
      names.add("");
    }
    return more.named(names);
  }

  /** Returns this event with only those arguments whose primary is on a device. */
  public KernelEvent on(DeviceId device) {
    List<String> names = new ArrayList<>();
    Iterator<String> name = tensors.iterator();
    for (MemObject object : arguments()) {
      String own = name.hasNext() ? name.next() : "";
      if (!tensors.isEmpty() && object.in(device)) {
        names.add(own);
      }
    }
    return new KernelEvent(
        site, on(device, reads), on(device, writes), names, fastNanos, divisible);
  }

  private static List<MemObject> on(DeviceId device, List<MemObject> objects) {
    return objects.stream().filter(object -> object.in(device)).toList();
  }
}
