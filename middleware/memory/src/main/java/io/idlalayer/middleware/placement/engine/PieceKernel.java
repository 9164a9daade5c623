package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/** The code that computes a kernel piece by piece. */
@FunctionalInterface
public interface PieceKernel {
  /**
   * The place where a piece finds the bytes of a range: in the argument itself, or in a copy of the
   * range.
   *
   * @param holder argument of the kernel or copy that has the bytes, for {@link
   *     KernelArguments#bytes}
   * @param offset offset of the range's first byte in the holder
   */
  record Place(MemObject holder, long offset) {}

  /**
   * Computes one piece of the kernel.
   *
   * @param piece number of the piece, from 0
   * @param places places of the piece's ranges, in their order
   */
  void run(int piece, List<Place> places, KernelArguments arguments) throws InterruptedException;
}
