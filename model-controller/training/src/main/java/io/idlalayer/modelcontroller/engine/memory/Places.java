package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.modelcontroller.engine.tape.Floats;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The last places of a tensor, one for reading and one for writing. Kernels get the floats of a
 * tensor at its present place from this object. As long as the tensor stays at one place, the
 * returned object is identical, also in the next run, because kernels do preparations that depend
 * on the address.
 */
final class Places {
  private @Nullable Place read;
  private @Nullable Place written;

  /** An address of a tensor on a device, and its floats there. */
  private record Place(DeviceId device, long offset, Floats floats) {}

  /**
   * Returns the floats at a place.
   *
   * @param region region in which the tensor is
   * @param bytes view of the tensor's bytes in this region
   * @param writes whether the kernel is allowed to write the bytes
   */
  Floats at(Region region, ByteBuffer bytes, boolean writes) {
    Place known = writes ? written : read;
    if (known == null || known.offset() != region.offset() || !region.in(known.device())) {
      known = new Place(region.device(), region.offset(), Floats.of(bytes));
      if (writes) {
        written = known;
      } else {
        read = known;
      }
    }
    return known.floats();
  }
}
