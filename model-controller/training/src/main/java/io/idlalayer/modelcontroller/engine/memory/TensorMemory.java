package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * Holds the tensors of one network and runs its tapes on them. The numbers that come out are the
 * same, bit for bit, whatever the implementation. One thread.
 */
public interface TensorMemory extends AutoCloseable {
  /**
   * Numbers to write into a tensor of the kind {@link Tensor.Kind#INPUT}, from its first one on.
   *
   * @param from the first of the values that is written
   * @param count how many
   */
  record Input(Tensor tensor, float[] values, int from, int count) {}

  /**
   * Numbers to read from a tensor, from its first one on.
   *
   * @param to where the first one goes
   * @param count how many
   */
  record Output(Tensor tensor, float[] into, int to, int count) {}

  /**
   * Makes a tensor that outlives runs.
   *
   * @param from the first of the values that is its own; it takes as many as it is long
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if it finds no place
   */
  void store(Tensor tensor, float[] values, int from) throws InterruptedException;

  /** Reads a tensor that outlives runs. */
  void read(Output wanted) throws InterruptedException;

  /**
   * Writes the inputs, runs all steps and reads the outputs.
   *
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if a tensor finds no place;
   *     parameters may have been changed in part, as with any failure in the middle of a step
   */
  void run(Tape tape, List<Input> inputs, List<Output> outputs) throws InterruptedException;

  /** Frees everything. A second call does nothing. */
  @Override
  void close();
}
