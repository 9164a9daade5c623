package io.idlalayer.middleware.placement;

/**
 * What a policy is and needs.
 *
 * @param name as in settings and reports
 * @param needsStaticGraph whether {@link PlacementPolicy#plan} must be called first
 * @param needsProfiles whether kernels' times must be known first
 * @param asyncCapable whether it moves objects in the background
 */
public record PolicyInfo(
    String name, boolean needsStaticGraph, boolean needsProfiles, boolean asyncCapable) {
  /** A policy that decides as it goes. */
  public static PolicyInfo online(String name) {
    return new PolicyInfo(name, false, false, false);
  }
}
