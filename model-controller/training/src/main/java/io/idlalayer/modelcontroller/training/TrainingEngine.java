package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import org.jspecify.annotations.Nullable;

/**
 * Creates the networks of one specification and trains them. Each engine can read the files of the
 * other engines. The engine and its networks belong to one thread. The networks are closed before
 * the engine.
 */
public interface TrainingEngine extends AutoCloseable {
  /**
   * Returns a freshly initialised network; all engines give the same parameters for the same seed.
   *
   * @throws IllegalArgumentException if the specification's network cannot be built
   */
  TrainableNetwork create(long seed);

  /**
   * Returns the network in a file, with its updater state.
   *
   * @throws MalformedModelException if the file has no network, or a network of another
   *     specification
   */
  TrainableNetwork decode(byte[] file) throws MalformedModelException;

  /**
   * Begins a training; networks are created and used only between this call and {@link #end}.
   *
   * @param dropNetworks closes the networks of the last training; called if their memory is given
   *     up before there is other memory
   * @return whether the networks of earlier trainings can still be used; if not, the caller must
   *     close them
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if there is no memory for
   *     tensors
   */
  default boolean begin(Runnable dropNetworks) throws InterruptedException {
    return true;
  }

  /** Ends the training, whether it succeeded or failed. */
  default void end() {}

  /**
   * Returns the traffic of tensors between the devices since the last call; null if tensors are not
   * placed.
   */
  default @Nullable TensorTraffic traffic() {
    return null;
  }

  @Override
  default void close() {}
}
