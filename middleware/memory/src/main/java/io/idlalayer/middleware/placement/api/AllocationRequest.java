package io.idlalayer.middleware.placement.api;

/**
 * A request for a new object.
 *
 * @param bytes size of the object, above 0
 * @param kernelIndex index of the kernel that writes it first, or {@link #NO_KERNEL}
 * @param tensor name in the {@link TaskGraph} of the step; empty if it has none
 */
public record AllocationRequest(long bytes, Hint hint, int kernelIndex, String tensor) {
  /** Kernel index of a request whose first writing kernel is not known. */
  public static final int NO_KERNEL = -1;

  public AllocationRequest {
    if (bytes <= 0) {
      throw new IllegalArgumentException("an object of " + bytes + " bytes; at least 1 is needed");
    }
    if (kernelIndex < NO_KERNEL) {
      throw new IllegalArgumentException("no kernel has the index " + kernelIndex);
    }
  }

  /** Creates a request for an object without a tensor name. */
  public AllocationRequest(long bytes, Hint hint, int kernelIndex) {
    this(bytes, hint, kernelIndex, "");
  }

  /**
   * Creates a request for an object without a tensor name whose first writing kernel is not known.
   */
  public AllocationRequest(long bytes, Hint hint) {
    this(bytes, hint, NO_KERNEL);
  }
}
