package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/**
 * The source of space for an object: a region at an offset, a free region, or else a span of the
 * fast device from which other objects are evicted.
 *
 * @param end the end of the free region at which space is taken
 * @param around objects around which to look for a span, best first; those that are not on the fast
 *     device are skipped
 * @param only whether no other objects may be evicted than those; holds for a span, not for the
 *     bytes at the offset
 * @param offset on the device, 0 or more; whatever lies there is evicted. If that is not possible,
 *     or if this is {@link #ANYWHERE}, space comes from where the other components say
 */
public record Room(End end, List<MemObject> around, boolean only, long offset) {
  /** Takes space wherever there is some. */
  public static final long ANYWHERE = -1;

  /**
   * Takes space from a free region only and evicts no object. With an {@linkplain #at offset}, what
   * lies there is evicted all the same.
   */
  public static final Room FREE = new Room(End.LOW, List.of());

  /** Ends of a free region at which space can be taken. */
  public enum End {
    LOW,
    HIGH
  }

  public Room {
    around = List.copyOf(around);
    if (offset < ANYWHERE) {
      throw new IllegalArgumentException(
          "room at offset %d; 0 or more is needed, or %d for any".formatted(offset, ANYWHERE));
    }
  }

  /** Creates room at any offset. */
  public Room(End end, List<MemObject> around, boolean only) {
    this(end, around, only, ANYWHERE);
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

  /** Returns room at an offset or, if that is not possible, where this room takes space. */
  public Room at(long wanted) {
    return new Room(end, around, only, wanted);
  }

  /** Returns whether space is wanted at a certain offset. */
  public boolean hasOffset() {
    return offset != ANYWHERE;
  }

  /**
   * Returns whether objects may be evicted to make a span free. What lies at the offset is evicted
   * in any case.
   */
  public boolean evicts() {
    return !around.isEmpty();
  }
}
