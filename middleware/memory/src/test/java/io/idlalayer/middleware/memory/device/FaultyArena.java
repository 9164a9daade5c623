package io.idlalayer.middleware.memory.device;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** An arena that fails, writes short or stalls on demand. */
public final class FaultyArena implements Arena {
  /** How it fails. */
  public enum Fault {
    NONE,
    SHORT,
    FULL,
    BROKEN
  }

  private final Arena arena;
  public volatile Fault fault = Fault.NONE;
  public final AtomicInteger healthyPuts = new AtomicInteger();
  public volatile Runnable beforePut = () -> {};

  public FaultyArena(DeviceSpec spec) {
    arena = new DirectArena(spec);
  }

  FaultyArena(DeviceSpec spec, int pieceBytes) {
    arena = new DirectArena(spec, pieceBytes);
  }

  /** Fails from now on, after some puts that do not. */
  public void failAfter(int puts, Fault how) {
    healthyPuts.set(puts);
    fault = how;
  }

  @Override
  public long capacityBytes() {
    return arena.capacityBytes();
  }

  @Override
  public long pieceBytes() {
    return arena.pieceBytes();
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    return arena.view(offset, bytes);
  }

  @Override
  public int put(long offset, ByteBuffer source) {
    beforePut.run();
    if (fault == Fault.NONE || healthyPuts.getAndDecrement() > 0) {
      return arena.put(offset, source);
    }
    switch (fault) {
      case SHORT -> source.limit(source.position() + Math.min(3, source.remaining()));
      case FULL -> source.limit(source.position());
      default -> throw new DeviceFailureException("the medium broke", null);
    }
    return arena.put(offset, source);
  }

  @Override
  public String description() {
    return "faulty";
  }

  @Override
  public void close() {
    arena.close();
  }
}
