package io.idlalayer.middleware.placement.api;

/**
 * A new object is wanted.
 *
 * @param bytes above 0
 * @param kernelIndex of the kernel that writes it first; {@link #NO_KERNEL} if none is known
 * @param tensor its name, as in the {@link TaskGraph} of the step; empty if it has none
 */
public record AllocationRequest(long bytes, Hint hint, int kernelIndex, String tensor) {
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

  /** Without a name. */
  public AllocationRequest(long bytes, Hint hint, int kernelIndex) {
    this(bytes, hint, kernelIndex, "");
  }

  /** Outside of any kernel, without a name. */
  public AllocationRequest(long bytes, Hint hint) {
    this(bytes, hint, NO_KERNEL);
  }
}
