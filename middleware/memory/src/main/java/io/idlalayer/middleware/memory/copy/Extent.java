package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceSpec;

/**
 * Contiguous bytes of a device, which a copy reads or writes.
 *
 * @param offset offset of the first byte from the start of the device
 */
public record Extent(DeviceId device, DeviceSpec spec, Arena arena, long offset, long bytes) {
  /** Returns whether the bytes can be accessed by loads and stores. */
  boolean direct() {
    ArenaPlaces places = arena.places();
    return places.direct(places.at(offset));
  }

  @Override
  public String toString() {
    return "%s[%d, %d)".formatted(spec.name(), offset, offset + bytes);
  }
}
