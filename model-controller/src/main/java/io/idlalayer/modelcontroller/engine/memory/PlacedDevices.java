package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.DeviceFailureException;
import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/** The memory that the networks of one trainer share, opened when the first of them needs it. */
public final class PlacedDevices implements AutoCloseable {
  private final TensorPlacement placement;
  private @Nullable PlacedMemory memory;
  private @Nullable PlacementStats before;
  private long networks;

  public PlacedDevices(TensorPlacement placement) {
    this.placement = placement;
  }

  /**
   * A memory for the tensors of one network.
   *
   * @throws DeviceFailureException if there are not that many bytes
   * @throws InterruptedRunException if the thread was interrupted while they were acquired
   */
  public TensorMemory tensors() {
    PlacedMemory open = memory;
    if (open == null) {
      open = opened();
      memory = open;
      before = open.stats();
    }
    return new PlacedTensors(open, "%d/".formatted(++networks));
  }

  private PlacedMemory opened() {
    try {
      return placement.open();
    } catch (DeviceFailureException failed) {
      if (failed.getCause() instanceof ClosedByInterruptException) {
        // The file was being written. Whoever is told of the interrupt need not find it pending.
        InterruptedException interrupt = new InterruptedException(failed.getMessage());
        var unused = Thread.interrupted();
        throw new InterruptedRunException(interrupt);
      }
      throw failed;
    }
  }

  /** What moved since the last call; null if nothing has been placed. */
  public @Nullable TensorTraffic traffic() {
    PlacedMemory open = memory;
    PlacementStats last = before;
    if (open == null || last == null) {
      return null;
    }
    TieredMemory devices = open.memory();
    PlacementStats now = open.stats();
    before = now;
    return TensorTraffic.between(
        last, now, devices.first(DeviceKind.FAST), devices.first(DeviceKind.SLOW));
  }

  /** After the networks. */
  @Override
  public void close() {
    PlacedMemory open = memory;
    memory = null;
    before = null;
    if (open == null) {
      return;
    }
    try {
      open.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
