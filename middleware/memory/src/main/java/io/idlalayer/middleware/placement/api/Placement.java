package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.device.DeviceKind;
import java.util.List;

/**
 * The places for a new object.
 *
 * @param places places to try in their order; at least one
 */
public record Placement(List<Place> places) {
  /** A place on the fast device, in free space. */
  public static final Place FAST = new Place(DeviceKind.FAST, Room.FREE);

  /** A place on the slow device. */
  public static final Place SLOW = new Place(DeviceKind.SLOW, Room.FREE);

  /**
   * A device.
   *
   * @param room where the space comes from; on the slow device only free space is used
   */
  public record Place(DeviceKind device, Room room) {}

  public Placement {
    places = List.copyOf(places);
    if (places.isEmpty()) {
      throw new IllegalArgumentException("an object is placed nowhere");
    }
  }

  /** Returns the first of these that has space. */
  public static Placement of(Place... places) {
    return new Placement(List.of(places));
  }
}
