package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.placement.PlacedMemory;
import io.idlalayer.middleware.placement.PlacementStats;
import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import io.idlalayer.modelcontroller.training.placed.TensorPlacement;
import io.idlalayer.modelcontroller.training.placed.TensorTraffic;
import io.idlalayer.modelcontroller.training.placed.UnsupportedNetworkException;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fits mini-batches, plainly or in a placed memory; the bits are the same. One thread. */
final class Fitting implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Fitting.class);

  private final @Nullable TensorPlacement placement;
  private @Nullable PlacedMemory memory;
  private @Nullable PlacementStats before;
  private boolean unsupported;

  /** Fits mini-batches of one network until it is closed. */
  interface Steps extends AutoCloseable {
    void fit(INDArray features, INDArray labels) throws InterruptedException;

    @Override
    default void close() {}
  }

  /**
   * @param placement null for plain training
   */
  Fitting(@Nullable TensorPlacement placement) {
    this.placement = placement;
  }

  /** Borrows a network; a network that cannot train in a placed memory trains plainly. */
  Steps begin(MultiLayerNetwork network) throws InterruptedException {
    if (placement == null || unsupported) {
      return network::fit;
    }
    try {
      return placed(PlacedNetwork.of(network, memory(placement)));
    } catch (UnsupportedNetworkException e) {
      LOG.warn("Trains without placement of tensors: {}", e.getMessage());
      unsupported = true;
      return network::fit;
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

  private static Steps placed(PlacedNetwork network) {
    return new Steps() {
      @Override
      public void fit(INDArray features, INDArray labels) throws InterruptedException {
        network.fit(new INDArray[] {features}, new INDArray[] {labels}, null, null);
      }

      @Override
      public void close() {
        network.close();
      }
    };
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
