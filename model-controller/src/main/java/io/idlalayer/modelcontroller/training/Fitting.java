package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.modelcontroller.training.placed.TensorPlacement;
import io.idlalayer.modelcontroller.training.placed.TensorTraffic;
import io.idlalayer.modelcontroller.training.placed.UnsupportedNetworkException;
import io.idlalayer.modelloader.network.ArrayNetwork;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fits mini-batches, plainly or in a placed memory; the bits are the same. One thread. */
final class Fitting implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Fitting.class);

  private final @Nullable TensorPlacement placement;
  private @Nullable PlacedMemory memory;
  private @Nullable PlacementStats before;
  private boolean unsupported;

  /**
   * @param placement null for plain training
   */
  Fitting(@Nullable TensorPlacement placement) {
    this.placement = placement;
  }

  /** Borrows a network; a network that cannot train in a placed memory trains plainly. */
  TrainingSteps begin(ArrayNetwork network) throws InterruptedException {
    if (placement == null || unsupported) {
      return TrainingSteps.plainly(network);
    }
    try {
      return TrainingSteps.placed(network, memory(placement));
    } catch (UnsupportedNetworkException e) {
      LOG.warn("Trains without placement of tensors: {}", e.getMessage());
      unsupported = true;
      return TrainingSteps.plainly(network);
    }
  }

  private PlacedMemory memory(TensorPlacement where) {
    PlacedMemory open = memory;
    if (open == null) {
      open = where.open();
      memory = open;
      before = open.stats();
    }
    return open;
  }

  /** What moved since the last call; null if nothing is placed. */
  @Nullable TensorTraffic traffic() {
    PlacedMemory open = memory;
    PlacementStats last = before;
    if (open == null || last == null || unsupported) {
      return null;
    }
    TieredMemory devices = open.memory();
    PlacementStats now = open.stats();
    before = now;
    return TensorTraffic.between(
        last, now, devices.first(DeviceKind.FAST), devices.first(DeviceKind.SLOW));
  }

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
