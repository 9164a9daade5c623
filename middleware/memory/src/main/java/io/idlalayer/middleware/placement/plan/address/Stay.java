package io.idlalayer.middleware.placement.plan.address;

/**
 * A part of each step during which a tensor is on the fast device without a break, or the buffers
 * of a kernel are there.
 *
 * @param tensor index in the graph; {@link #BUFFERS} for buffers
 * @param bytes aligned size
 * @param first index of the first kernel, 0 to the number of kernels - 1
 * @param length number of kernels, 1 to their number; if it ends behind the last kernel, it goes on
 *     at the first one of the next step
 */
record Stay(int tensor, long bytes, int first, int length) {
  /** Stands for the tensor of a stay that is one of buffers. */
  static final int BUFFERS = -1;

  /** Returns whether the tensor is there while a kernel runs. */
  boolean contains(int kernel, int kernels) {
    return Math.floorMod(kernel - first, kernels) < length;
  }
}
