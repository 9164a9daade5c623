package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The late arguments of the kernel that is being prepared: those whose copies to the fast device
 * have not ended. Also notes which of them the kernel reads on the slow device. Guarded by the
 * engine's lock.
 */
final class LateArguments {
  private final BackgroundCopies copies;
  private final Set<MemObject> inPlace = new LinkedHashSet<>();
  private List<LateArgument> arrivals = List.of();

  LateArguments(BackgroundCopies copies) {
    this.copies = copies;
  }

  /** Begins the preparation of a kernel. None of its arguments is used in place yet. */
  void begin() {
    inPlace.clear();
    arrivals = List.of();
  }

  /**
   * Returns the arguments that have not arrived and for which the policy has not decided yet
   * whether the kernel waits. Arguments that the kernel writes are not among them, nor those of a
   * divisible kernel, because the kernel always waits for these.
   */
  List<LateArgument> undecided(KernelEvent kernel) {
    arrivals =
        kernel.divisible()
            ? List.of()
            : copies.arrivals(kernel).stream()
                .filter(arrival -> !inPlace.contains(arrival.object()))
                .toList();
    return arrivals;
  }

  /** Has the kernel read an argument where it is. Returns false if it must wait for the copy. */
  boolean useInPlace(MemObject object) {
    boolean possible = arrivals.stream().anyMatch(arrival -> arrival.object().equals(object));
    if (possible) {
      inPlace.add(object);
    }
    return possible;
  }

  /** Ends the answer of the policy to {@link #undecided}. */
  void decided() {
    arrivals = List.of();
  }

  boolean isInPlace(MemObject object) {
    return inPlace.contains(object);
  }

  /** Returns the arguments that the kernel reads in place, without those that have arrived. */
  Set<MemObject> inPlace() {
    inPlace.removeIf(object -> !copies.arriving(object));
    return new LinkedHashSet<>(inPlace);
  }
}
