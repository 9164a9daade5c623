package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * Holds the tensors of one network and runs its tapes on them. All implementations give equal
 * results, bit for bit. Confined to one thread.
 */
public interface TensorMemory extends AutoCloseable {
  /**
   * Numbers that a run writes to the beginning of a tensor of the kind {@link Tensor.Kind#INPUT}.
   *
   * @param from index of the first value that is written
   * @param count number of values
   */
  record Input(Tensor tensor, float[] values, int from, int count) {}

  /**
   * An array that receives numbers from the beginning of a tensor.
   *
   * @param to index at which the first number is written
   * @param count number of values
   */
  record Output(Tensor tensor, float[] into, int to, int count) {}

  /**
   * Stores the numbers of a tensor that outlives runs.
   *
   * @param from index of the tensor's first value in {@code values}
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if there is no space for
   *     the tensor
   */
  void store(Tensor tensor, float[] values, int from) throws InterruptedException;

  /** Reads the numbers of a tensor that outlives runs. */
  void read(Output wanted) throws InterruptedException;

  /**
   * Writes the inputs, runs all steps and reads the outputs.
   *
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if there is no space for a
   *     tensor; a failure in the middle of a step can leave some parameters changed and others not
   */
  void run(Tape tape, List<Input> inputs, List<Output> outputs) throws InterruptedException;

  /** Frees everything. A second call does nothing. */
  @Override
  void close();
}
