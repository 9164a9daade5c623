package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/**
 * The source of space for an object: a free region, or else a span of the fast device from which
 * other objects are evicted.
 *
 * @param end the end of the free region at which space is taken
 * @param around objects around which to look for a span, best first; those that are not on the fast
 *     device are skipped
 * @param only whether no other objects may be evicted than those
 */
public record Room(End end, List<MemObject> around, boolean only) {
  /** Takes space from a free region only and evicts no object. */
  public static final Room FREE = new Room(End.LOW, List.of());

  /** Ends of a free region at which space can be taken. */
  public enum End {
    LOW,
    HIGH
  }

  public Room {
    around = List.copyOf(around);
  }

  /** Creates room in a span around some objects, from which other objects may be evicted too. */
  public Room(End end, List<MemObject> around) {
    this(end, around, false);
  }

  /**
   * Returns room in free space, or else in a span around one of some objects, tried in their order,
   * whose objects are evicted.
   */
  public static Room around(List<MemObject> victims) {
    return new Room(End.LOW, victims);
  }

  /** Returns whether objects may be evicted to make room. */
  public boolean evicts() {
    return !around.isEmpty();
  }
}
