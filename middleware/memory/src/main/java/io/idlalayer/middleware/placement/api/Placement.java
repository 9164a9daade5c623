package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.device.DeviceKind;
import java.util.List;

/**
 * The places where the engine tries to allocate a new object, in this order.
 *
 * @param places places to try in their order; at least one
 */
public record Placement(List<Place> places) {
  /** Place on the fast device, in free space only. */
  public static final Place FAST = new Place(DeviceKind.FAST, Room.FREE);

  /** Place on the slow device. */
  public static final Place SLOW = new Place(DeviceKind.SLOW, Room.FREE);

  /**
   * A device and the source of space on it.
   *
   * @param room where the space comes from; on the slow device only free space is used
   */
  public record Place(DeviceKind device, Room room) {}

  public Placement {
    places = List.copyOf(places);
    if (places.isEmpty()) {
      throw new IllegalArgumentException("a placement needs at least one place");
    }
  }

  /** Returns a placement that tries some places in their order. */
  public static Placement of(Place... places) {
    return new Placement(List.of(places));
  }
}
