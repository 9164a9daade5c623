package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.MemObject;
import java.util.List;

/**
 * Where space on a device comes from, if no free region is large enough: from the objects of a span
 * of the fast device, which leave.
 *
 * @param end of the free region that is taken
 * @param window offset on the fast device from which a span is emptied; {@link #NO_WINDOW}
 * @param around otherwise the span around one of these, the first that leads to one; what is not on
 *     the fast device is passed over
 */
public record Room(End end, long window, List<MemObject> around) {
  /** No span is chosen by its offset. */
  public static final long NO_WINDOW = -1;

  /** Only free space. */
  public static final Room FREE = new Room(End.LOW, NO_WINDOW, List.of());

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
    return new Room(End.LOW, NO_WINDOW, victims);
  }

  /** Whether objects may have to leave. */
  public boolean evicts() {
    return window != NO_WINDOW || !around.isEmpty();
  }
}
