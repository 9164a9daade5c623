package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/** What a kernel does with the pieces of its arguments. */
@FunctionalInterface
public interface PieceKernel {
  /**
   * Where the bytes of a range are now: in the argument itself, or in a copy of the range.
   *
   * @param holder an argument of the kernel, for {@link KernelArguments#bytes}
   * @param offset of the range's first byte in the holder
   */
  record Place(MemObject holder, long offset) {}

  /**
   * Computes a piece.
   *
   * @param piece its number, from 0
   * @param places of its ranges, in their order
   */
  void run(int piece, List<Place> places, KernelArguments arguments) throws InterruptedException;
}
