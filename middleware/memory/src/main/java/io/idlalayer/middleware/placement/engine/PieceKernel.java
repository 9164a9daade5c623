package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/** What a kernel does with the pieces of its arguments. */
@FunctionalInterface
public interface PieceKernel {
  /**
   * The current place of a range's bytes: in the argument itself, or in a copy of the range.
   *
   * @param holder argument of the kernel or copy that has the bytes, for {@link
   *     KernelArguments#bytes}
   * @param offset offset of the range's first byte in the holder
   */
  record Place(MemObject holder, long offset) {}

  /**
   * Computes a piece.
   *
   * @param piece number of the piece, from 0
   * @param places places of the piece's ranges, in their order
   */
  void run(int piece, List<Place> places, KernelArguments arguments) throws InterruptedException;
}
