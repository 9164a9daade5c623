package io.idlalayer.middleware.placement;

/**
 * A new object is wanted.
 *
 * @param bytes above 0
 * @param kernelIndex of the kernel that writes it first; {@link #NO_KERNEL} if none is known
 */
public record AllocationRequest(long bytes, Hint hint, int kernelIndex) {
  /** No kernel is known. */
  public static final int NO_KERNEL = -1;

  public AllocationRequest {
    if (bytes <= 0) {
      throw new IllegalArgumentException("an object of " + bytes + " bytes; at least 1 is needed");
    }
    if (kernelIndex < NO_KERNEL) {
      throw new IllegalArgumentException("no kernel has the index " + kernelIndex);
    }
  }

  /** Outside of any kernel. */
  public AllocationRequest(long bytes, Hint hint) {
    this(bytes, hint, NO_KERNEL);
  }
}
