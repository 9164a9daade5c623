package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.TensorMemory;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A training step of a new network, with all tensors in DRAM. Callers can run its kernels one by
 * one. The constructor runs the step once, with inputs between 0 and 1. Confined to one thread.
 */
public final class CompiledStep implements AutoCloseable {
  private final DramTensors memory = new DramTensors();
  private final List<Tensor> lasting = new ArrayList<>();
  private final TapeWriter.Training training;

  /**
   * Compiles a step and runs it once.
   *
   * @param rows rows of the mini-batch, at least 1
   * @throws UncompilableException if the engine cannot train the network
   * @throws io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException if the library cannot
   *     create a kernel
   */
  public CompiledStep(ModelSpec spec, KernelLibrary kernels, int rows)
      throws UncompilableException {
    StoredNetwork fresh = StoredNetwork.create(spec, 1, EngineNetworks.errorsFrom(spec));
    NetworkPlan plan = fresh.form().plan();
    float[] parameters = fresh.values().parameters();
    NetworkTensors tensors = new NetworkTensors(plan);
    boolean whole = false;
    try {
      for (NetworkPlan.Parameters each : plan.parameters()) {
        Tensor values = tensors.parameters(each.name());
        memory.store(values, parameters, each.from());
        lasting.add(values);
        for (Tensor state : tensors.states(each.name())) {
          memory.store(state, new float[state.length()], 0);
          lasting.add(state);
        }
      }
      training = TapeWriter.training(plan, tensors, kernels, new Progress(0, 0), rows);
      try {
        List<TensorMemory.Input> inputs = new ArrayList<>();
        training.inputs().forEach(input -> inputs.add(filled(input)));
        memory.run(training.tape(), inputs, List.of());
        whole = true;
      } finally {
        if (!whole) {
          training.tape().close();
        }
      }
    } finally {
      if (!whole) {
        memory.close();
      }
    }
  }

  private static TensorMemory.Input filled(Tensor input) {
    SplittableRandom random = new SplittableRandom(1);
    float[] values = new float[input.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextDouble();
    }
    return new TensorMemory.Input(input, values, 0, values.length);
  }

  /** Returns the tape of the step. */
  public Tape tape() {
    return training.tape();
  }

  /**
   * Returns the parameters and updater state, in the order in which the file of a network stores
   * them.
   */
  public List<Tensor> lasting() {
    return lasting;
  }

  /** Returns the tensors of features and labels. */
  public List<Tensor> inputs() {
    return training.inputs();
  }

  @Override
  public void close() {
    training.tape().close();
    memory.close();
  }
}
