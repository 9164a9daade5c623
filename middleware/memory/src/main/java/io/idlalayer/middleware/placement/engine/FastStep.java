package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A step that runs as a whole on the fast device: its lasting objects are leased from its start to
 * its end, and its other tensors share one block of free fast memory. Nothing is evicted for it.
 * {@link #finish} ends a step that succeeded; a step that is closed without this has failed. One
 * thread.
 */
public final class FastStep implements AutoCloseable {
  private final TieredMemory memory;
  private final DeviceId fast;
  private final PlacementMeter meter;

  /** Lock of the engine, which guards the meter. */
  private final Lock lock;

  private final KernelTurns.Turn turn;
  private @Nullable MemObject block;
  private @Nullable KernelArguments leased;
  private long startNanos;

  /**
   * @param turn which the step closes at its end
   */
  FastStep(
      TieredMemory memory, DeviceId fast, PlacementMeter meter, Lock lock, KernelTurns.Turn turn) {
    this.memory = memory;
    this.fast = fast;
    this.meter = meter;
    this.lock = lock;
    this.turn = turn;
  }

  /**
   * Takes the block, and keeps the lasting objects where they are until {@link #begin}. The caller
   * holds the lock.
   *
   * @return false if there is no free fast memory for the block
   */
  boolean reserve(KernelEvent step, long passingBytes) {
    Region region = memory.allocate(fast, passingBytes).orElse(null);
    if (region == null) {
      return false;
    }
    MemObject taken = memory.adopt(region, passingBytes);
    block = taken;
    // Another thread that makes room would move it otherwise, before it is leased.
    memory.pin(taken);
    step.arguments().forEach(memory::pin);
    return true;
  }

  /** Takes the leases, and the time at which the step begins. */
  void begin(KernelEvent step) throws InterruptedException {
    boolean begun = false;
    try {
      List<MemObject> written = new ArrayList<>(step.writes());
      written.add(block());
      leased =
          KernelArguments.lease(
              memory,
              new KernelEvent(step.site(), step.reads(), written),
              false,
              request -> {
                throw new IllegalStateException("a step as a whole creates no objects");
              });
      startNanos = memory.clock().nanos();
      begun = true;
    } finally {
      step.arguments().forEach(memory::unpin);
      memory.unpin(block());
      if (!begun) {
        close();
      }
    }
  }

  /**
   * Returns a view of the bytes of a lasting object, in native order; read-only if the step does
   * not write it. Not to be used after the step.
   */
  public ByteBuffer bytes(MemObject object) {
    return arguments().bytes(object);
  }

  /** Returns the region of a lasting object. Equal regions mean equal addresses. */
  public Region region(MemObject object) {
    return arguments().region(object);
  }

  /** Returns the block of the tensors that do not outlive the step. Its bytes are undefined. */
  public MemObject block() {
    MemObject taken = block;
    if (taken == null) {
      throw new IllegalStateException("the step has ended or has not begun");
    }
    return taken;
  }

  private KernelArguments arguments() {
    KernelArguments held = leased;
    if (held == null) {
      throw new IllegalStateException("the step has ended or has not begun");
    }
    return held;
  }

  /**
   * Ends the step successfully and counts its kernels.
   *
   * @param kernels number of kernels that ran
   * @param uses number of their arguments together
   */
  public void finish(int kernels, long uses) throws InterruptedException {
    long nanos = memory.clock().nanos() - startNanos;
    close();
    lock.lock();
    try {
      meter.startedFast(kernels, uses);
      meter.computed(nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Gives back the leases and the block. A second call does nothing. */
  @Override
  public void close() throws InterruptedException {
    MemObject taken = block;
    KernelArguments held = leased;
    block = null;
    leased = null;
    try (turn;
        held) {
      if (taken != null) {
        // Before its lease ends, so that nothing can move it and the retirement never waits.
        memory.retire(taken);
      }
    }
  }
}
