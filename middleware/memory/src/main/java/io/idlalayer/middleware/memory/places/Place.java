package io.idlalayer.middleware.memory.places;

import io.idlalayer.middleware.memory.device.Arena;
import java.util.function.BooleanSupplier;

/**
 * One place of a combined arena.
 *
 * @param arena its bytes; closed with the combined arena
 * @param direct whether kernels access its bytes by loads and stores
 * @param cost what copies to and from it cost
 * @param usable whether it takes bytes now; others are not placed there, but may still be there
 */
public record Place(Arena arena, boolean direct, PlaceCost cost, BooleanSupplier usable) {
  /** Creates a place that kernels access by loads and stores and that can always be used. */
  public static Place local(Arena arena, PlaceCost cost) {
    return new Place(arena, true, cost, () -> true);
  }
}
