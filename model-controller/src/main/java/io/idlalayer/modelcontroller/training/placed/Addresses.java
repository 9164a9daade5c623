package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.engine.KernelArguments;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.javacpp.BytePointer;

/** Native addresses of kernels' arguments. The pieces of a device stay where they are. */
final class Addresses {
  private record Piece(int device, long index) {}

  private final TieredMemory memory;
  private final Map<Piece, Long> bases = new HashMap<>();

  Addresses(TieredMemory memory) {
    this.memory = memory;
  }

  /** Where an argument of the running kernel lies. */
  long of(KernelArguments arguments, MemObject object) {
    Region region = arguments.region(object);
    long pieceBytes = memory.pieceBytes(region.device());
    long within = region.offset() % pieceBytes;
    Piece piece = new Piece(region.device().index(), region.offset() / pieceBytes);
    Long base = bases.get(piece);
    if (base == null) {
      try (BytePointer start = new BytePointer(arguments.bytes(object))) {
        base = start.address() - within;
      }
      bases.put(piece, base);
    }
    return base + within;
  }
}
