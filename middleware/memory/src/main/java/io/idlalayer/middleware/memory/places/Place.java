package io.idlalayer.middleware.memory.places;

import io.idlalayer.middleware.memory.device.Arena;
import java.util.function.BooleanSupplier;

/**
 * One place of a combined arena.
 *
 * @param arena bytes of the place; closed with the combined arena
 * @param direct whether kernels access its bytes by loads and stores
 * @param cost cost of copies to and from the place
 * @param usable whether the place takes new bytes now. A place that does not can still have bytes
 *     from before
 */
public record Place(Arena arena, boolean direct, PlaceCost cost, BooleanSupplier usable) {
  /** Creates a place that kernels access by loads and stores and that can always be used. */
  public static Place local(Arena arena, PlaceCost cost) {
    return new Place(arena, true, cost, () -> true);
  }
}
