package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * A policy that contract tests try.
 *
 * @param collects whether retired objects may keep their memory until a collection
 */
public record PolicyCase(String name, Supplier<PlacementPolicy> maker, boolean collects) {
  /** The policies of the product. */
  public static List<PolicyCase> shipped() {
    return Arrays.stream(PlacementName.values()).map(PolicyCase::of).toList();
  }

  /** A policy of the product, which plans on the thread of its memory. */
  public static PolicyCase of(PlacementName name) {
    return new PolicyCase(
        name.key(), () -> name.create(PlanDesk.on(Runnable::run, null, System::nanoTime)), false);
  }

  /** A new policy. */
  public PlacementPolicy create() {
    return maker.get();
  }

  /** Whether the fast device must hold everything. */
  public boolean allFast() {
    return name.equals(PlacementName.ALL_FAST.key());
  }

  @Override
  public String toString() {
    return name;
  }
}
