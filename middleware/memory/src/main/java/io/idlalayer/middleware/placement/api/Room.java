package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/**
 * Where space on a device comes from, if no free region is large enough: from the objects of a span
 * of the fast device, which leave.
 *
 * @param end of the free region that is taken
 * @param around the span is one around one of these, the first that leads to one; what is not on
 *     the fast device is passed over
 */
public record Room(End end, List<MemObject> around) {
  /** Only free space. */
  public static final Room FREE = new Room(End.LOW, List.of());

  /** An end of a free region. */
  public enum End {
    LOW,
    HIGH
  }

  public Room {
    around = List.copyOf(around);
  }

  /** Free space, else the span around one of these, most wanted first. */
  public static Room around(List<MemObject> victims) {
    return new Room(End.LOW, victims);
  }

  /** Whether objects may have to leave. */
  public boolean evicts() {
    return !around.isEmpty();
  }
}
