package io.idlalayer.benchmarks;

import io.idlalayer.modelcontroller.engine.compile.LibraryNetwork;
import io.idlalayer.modelcontroller.engine.compile.NetworkCompiler;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.TensorMemory;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A training step of a new network whose kernels can be run one by one, in DRAM. */
public final class CompiledStep implements AutoCloseable {
  private final DramTensors memory = new DramTensors();
  private final List<Tensor> lasting = new ArrayList<>();
  private final TapeWriter.Training training;

  /** Has run once on inputs between 0 and 1. */
  public CompiledStep(ModelSpec spec, int rows) throws UncompilableException {
    NetworkPlan plan;
    float[] parameters;
    try (ArrayNetwork network = NetworkFactory.create(spec, 1)) {
      LibraryNetwork read = LibraryNetwork.of(network);
      plan = NetworkCompiler.compile(read, spec.inputWidth());
      parameters = read.parameterValues();
    }
    NetworkTensors tensors = new NetworkTensors(plan);
    for (NetworkPlan.Parameters each : plan.parameters()) {
      Tensor values = tensors.parameters(each.name());
      memory.store(values, parameters, each.from());
      lasting.add(values);
      for (Tensor state : tensors.states(each.name())) {
        memory.store(state, new float[state.length()], 0);
        lasting.add(state);
      }
    }
    training = TapeWriter.training(plan, tensors, new OneDnnKernels(), new Progress(0, 0), rows);
    memory.run(
        training.tape(), training.inputs().stream().map(CompiledStep::filled).toList(), List.of());
  }

  private static TensorMemory.Input filled(Tensor input) {
    SplittableRandom random = new SplittableRandom(1);
    float[] values = new float[input.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextDouble();
    }
    return new TensorMemory.Input(input, values, 0, values.length);
  }

  public Tape tape() {
    return training.tape();
  }

  /** Parameters and updater state, in the order in which a network stores them. */
  public List<Tensor> lasting() {
    return lasting;
  }

  /** Features and labels. */
  public List<Tensor> inputs() {
    return training.inputs();
  }

  @Override
  public void close() {
    training.tape().close();
    memory.close();
  }
}
