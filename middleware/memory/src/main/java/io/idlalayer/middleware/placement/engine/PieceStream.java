package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.object.ByteRange;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Passes the slow arguments of a kernel through buffers on the fast device, piece by piece: while
 * one piece is computed, the next one is copied in and the previous one back. Fast arguments are
 * used in place. One thread.
 */
final class PieceStream {
  static final int BUFFERS = Action.Stream.BUFFERS;

  /** The buffers together take at most the fast device's budget divided by this number. */
  static final long SHARE = Action.Stream.BUFFER_SHARE;

  private static final long ALIGNMENT_BYTES = 64;

  private final TieredMemory memory;
  private final DeviceId fast;
  private final List<Piece> pieces;
  private final KernelArguments arguments;
  private final List<Buffer> buffers = new ArrayList<>();
  private final List<MemObject> made = new ArrayList<>();

  /**
   * A buffer on the fast device for the slow ranges of a piece, with the background copies into and
   * out of it.
   */
  private static final class Buffer {
    final MemObject object;
    final List<CompletableFuture<MoveReceipt>> copies = new ArrayList<>();

    Buffer(MemObject object) {
      this.object = object;
    }
  }

  /** Runs the code of a kernel on one piece. */
  @FunctionalInterface
  interface Computation {
    /** Computes one piece and returns the nanoseconds that it took by the memory's clock. */
    long run(int piece, List<PieceKernel.Place> places) throws InterruptedException;
  }

  /**
   * Creates a stream of a kernel's pieces, without buffers yet.
   *
   * @throws IllegalArgumentException if a piece has an object that is not an argument, or changes
   *     one that the kernel only reads
   */
  PieceStream(TieredMemory memory, DeviceId fast, List<Piece> pieces, KernelArguments arguments) {
    this.memory = memory;
    this.fast = fast;
    this.pieces = pieces;
    this.arguments = arguments;
    for (Piece piece : pieces) {
      piece.ranges().forEach(this::check);
    }
  }

  private void check(Piece.Range range) {
    arguments.region(range.object());
    if (range.use() == Piece.Use.CHANGES && !arguments.writes(range.object())) {
      throw new IllegalArgumentException(
          "a piece changes %s, which the kernel only reads; name it in its writes"
              .formatted(range.object()));
    }
  }

  private boolean slow(Piece.Range range) {
    return !arguments.region(range.object()).in(fast);
  }

  /**
   * Returns the bytes that the largest piece needs in a buffer; 0 if no argument is on the slow
   * device.
   */
  long bufferBytes() {
    long most = 0;
    for (Piece piece : pieces) {
      long bytes = 0;
      for (Piece.Range range : piece.ranges()) {
        bytes += slow(range) ? aligned(range.bytes()) : 0;
      }
      most = Math.max(most, bytes);
    }
    return most;
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  /**
   * Allocates buffers where the policy places them, as many as the fast device has room for.
   *
   * @return whether there are slow arguments, and room for buffers
   */
  boolean prepare(int kernelIndex) throws InterruptedException {
    long bytes = bufferBytes();
    if (bytes == 0) {
      return false;
    }
    int wanted = Math.min(BUFFERS, pieces.size());
    for (int i = 0; i < wanted; i++) {
      MemObject object = make(new AllocationRequest(bytes, Hint.FAST, kernelIndex));
      if (object == null || !object.in(fast)) {
        break;
      }
      buffers.add(new Buffer(object));
    }
    return !buffers.isEmpty();
  }

  /**
   * Allocates a buffer; null if not even the slow device has room, because the kernel can do
   * without.
   */
  private @Nullable MemObject make(AllocationRequest request) throws InterruptedException {
    try {
      MemObject object = arguments.createBuffer(request);
      made.add(object);
      return object;
    } catch (DeviceFullException e) {
      return null;
    }
  }

  /** Returns the objects of the buffers, which the caller retires. */
  List<MemObject> buffers() {
    return made;
  }

  /**
   * Computes all pieces of the kernel and copies their slow ranges through the buffers. All copies
   * have ended when this returns or throws.
   *
   * @return nanoseconds that the pieces took by the memory's clock, without waits for copies
   */
  long run(Computation computation) throws InterruptedException {
    boolean done = false;
    long computed = 0;
    try {
      int fetched = 0;
      for (int piece = 0; piece < pieces.size(); piece++) {
        // With one buffer, the next piece waits for this one.
        int ahead = Math.min(pieces.size(), piece + Math.min(2, buffers.size()));
        while (fetched < ahead) {
          fetch(fetched++);
        }
        await(buffer(piece));
        // A wait whose copy has just ended returns in spite of an interrupt, which is noticed here.
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted before piece " + piece);
        }
        computed += computation.run(piece, places(piece));
        store(piece);
      }
      for (Buffer buffer : buffers) {
        await(buffer);
      }
      done = true;
      return computed;
    } finally {
      if (!done) {
        abandon();
      }
    }
  }

  private Buffer buffer(int piece) {
    return buffers.get(piece % buffers.size());
  }

  private void fetch(int piece) throws InterruptedException {
    Buffer buffer = buffer(piece);
    await(buffer);
    copy(piece, buffer, true);
  }

  private void store(int piece) throws InterruptedException {
    copy(piece, buffer(piece), false);
  }

  private void copy(int piece, Buffer buffer, boolean in) throws InterruptedException {
    long at = 0;
    for (Piece.Range range : pieces.get(piece).ranges()) {
      if (!slow(range)) {
        continue;
      }
      if (in || range.use() == Piece.Use.CHANGES) {
        ByteRange near = new ByteRange(arguments.region(buffer.object), at, range.bytes());
        ByteRange far =
            new ByteRange(arguments.region(range.object()), range.offset(), range.bytes());
        buffer.copies.add(memory.copyInBackground(in ? near : far, in ? far : near));
      }
      at += aligned(range.bytes());
    }
  }

  private void await(Buffer buffer) throws InterruptedException {
    for (CompletableFuture<MoveReceipt> copy : buffer.copies) {
      memory.await(copy);
    }
    buffer.copies.clear();
  }

  private List<PieceKernel.Place> places(int piece) {
    List<PieceKernel.Place> places = new ArrayList<>();
    long at = 0;
    for (Piece.Range range : pieces.get(piece).ranges()) {
      if (slow(range)) {
        places.add(new PieceKernel.Place(buffer(piece).object, at));
        at += aligned(range.bytes());
      } else {
        places.add(new PieceKernel.Place(range.object(), range.offset()));
      }
    }
    return places;
  }

  /**
   * Waits for copies whose results are not needed any more, before the bytes of the buffers are
   * freed.
   */
  private void abandon() {
    for (Buffer buffer : buffers) {
      for (CompletableFuture<MoveReceipt> copy : buffer.copies) {
        copy.exceptionally(failure -> null).join();
      }
    }
  }

  /** Returns the places of a piece's ranges in the arguments themselves, without buffers. */
  static List<PieceKernel.Place> inPlace(Piece piece) {
    return piece.ranges().stream()
        .map(range -> new PieceKernel.Place(range.object(), range.offset()))
        .toList();
  }
}
