package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tensor memory in which all tensors are in DRAM. Each lasting tensor has an allocation of its
 * own; all other tensors are in one allocation that the tapes share, because only one tape runs at
 * a time.
 */
public final class DramTensors implements TensorMemory {
  private final List<FloatMemory> lasting = new ArrayList<>();
  private @Nullable FloatMemory passing;

  @Override
  public void store(Tensor tensor, float[] values, int from) {
    FloatMemory memory = new FloatMemory(tensor.length());
    lasting.add(memory);
    tensor.place(memory.part(0, tensor.length()));
    tensor.floats().put(0, values, from, tensor.length());
  }

  @Override
  public void read(Output wanted) {
    wanted.tensor().floats().get(0, wanted.into(), wanted.to(), wanted.count());
  }

  @Override
  public void run(Tape tape, List<Input> inputs, List<Output> outputs) {
    tape.place(passing(tape.passingFloats()));
    for (Input input : inputs) {
      input.tensor().floats().put(0, input.values(), input.from(), input.count());
    }
    tape.run();
    outputs.forEach(this::read);
  }

  /**
   * Returns memory for the tensors that do not outlive a run, as many as the largest tape so far
   * needs.
   */
  private FloatMemory passing(long floats) {
    FloatMemory memory = passing;
    if (memory == null || memory.floats() < floats) {
      if (memory != null) {
        passing = null;
        memory.close();
      }
      memory = new FloatMemory(floats);
      passing = memory;
    }
    return memory;
  }

  @Override
  public void close() {
    lasting.forEach(FloatMemory::close);
    lasting.clear();
    if (passing != null) {
      passing.close();
      passing = null;
    }
  }
}
