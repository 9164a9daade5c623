package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import java.nio.channels.ClosedByInterruptException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The part of the process's tensor memory that one trainer has, with the tensors of the trainer's
 * networks.
 */
public final class PlacedDevices implements AutoCloseable {
  private final TensorShares.Tenant tenant;
  private @Nullable PlacedMemory memory;
  private @Nullable PlacementStats before;
  private long networks;

  public PlacedDevices(TensorShares.Tenant tenant) {
    this.tenant = tenant;
  }

  /**
   * Begins a training: waits until the trainer has a part of the process's memory.
   *
   * @param dropNetworks closes the networks of the last training; called if their memory is given
   *     up
   * @return whether the networks of the last training are still in memory; otherwise they must be
   *     read again
   * @throws NoPartException if no part becomes free
   * @throws DeviceFailureException if a device lacks the bytes
   */
  public boolean begin(Runnable dropNetworks) throws InterruptedException {
    PlacedMemory known = memory;
    PlacedMemory now = begun(dropNetworks);
    if (now.equals(known)) {
      return true;
    }
    memory = now;
    before = now.stats();
    return known == null;
  }

  private PlacedMemory begun(Runnable dropNetworks) throws InterruptedException {
    try {
      return tenant.begin(dropNetworks);
    } catch (DeviceFailureException failed) {
      if (failed.getCause() instanceof ClosedByInterruptException) {
        // The file was being written. The exception reports the interrupt, so its flag is cleared.
        InterruptedException interrupt = new InterruptedException(failed.getMessage());
        interrupt.initCause(failed);
        var unused = Thread.interrupted();
        throw interrupt;
      }
      throw failed;
    }
  }

  /** Ends the training, whether it succeeded or not. */
  public void end() {
    PlacedMemory open = memory;
    TensorGrant grant = tenant.grant();
    try {
      if (open != null && grant != null && grant.takeCostsAsked()) {
        open.stepCosts().ifPresentOrElse(grant::costs, grant::askCosts);
      }
    } finally {
      tenant.end();
    }
  }

  /** Returns a memory for the tensors of one network; only during a training. */
  public TensorMemory tensors() {
    PlacedMemory open = memory;
    if (open == null) {
      throw new IllegalStateException("no training has begun");
    }
    return new PlacedTensors(open, String.format(Locale.ROOT, "%d/", ++networks));
  }

  /**
   * Returns the traffic of tensors between the devices since the last call; null if no tensor was
   * placed.
   */
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
        last,
        now,
        devices.first(DeviceKind.FAST),
        devices.first(DeviceKind.SLOW),
        open.planUse().orElse(null),
        tenant.lent());
  }

  /** Gives up the trainer's part of the memory; called after the networks are closed. */
  @Override
  public void close() {
    memory = null;
    before = null;
    tenant.close();
  }
}
