package io.idlalayer.benchmarks;

import io.idlalayer.modelcontroller.engine.compile.LibraryNetwork;
import io.idlalayer.modelcontroller.engine.compile.NetworkCompiler;
import io.idlalayer.modelcontroller.engine.compile.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.TapeWriter;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.kernel.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.Progress;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Step;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelloader.artifact.ModelSpec;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import java.util.List;
import java.util.Set;

/** The kernels of oneDNN in a training step, without what lies between them. */
final class BareKernels implements AutoCloseable {
  /** As the steps of a tape are named that oneDNN computes. */
  private static final Set<String> NATIVE =
      Set.of(
          "product",
          "gradient",
          "errors",
          "convolution",
          "gradients",
          "pooling",
          "activation",
          "recurrence");

  private final FloatMemory parameters;
  private final FloatMemory gradients;
  private final FloatMemory state;
  private final FloatMemory passing;
  private final Tape tape;
  private final List<Kernel> kernels;

  BareKernels(ModelSpec spec, int rows) throws UncompilableException {
    NetworkPlan plan;
    try (ArrayNetwork network = NetworkFactory.create(spec, 1)) {
      plan = NetworkCompiler.compile(LibraryNetwork.of(network), spec.inputWidth());
    }
    parameters = new FloatMemory(plan.parameterLength());
    gradients = new FloatMemory(plan.parameterLength());
    state = new FloatMemory(plan.stateLength());
    NetworkTensors tensors = new NetworkTensors(plan, parameters, gradients, state);
    tape = TapeWriter.training(plan, tensors, new OneDnnKernels(), new Progress(0, 0), rows).tape();
    passing = new FloatMemory(tape.passingFloats());
    tape.place(passing);
    kernels =
        tape.steps().stream()
            .filter(step -> NATIVE.contains(step.name()))
            .map(Step::kernel)
            .toList();
  }

  /** Microseconds of one step, mean of some. */
  double micros(int steps) {
    long start = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      for (Kernel kernel : kernels) {
        kernel.run();
      }
    }
    return (System.nanoTime() - start) / 1e3 / steps;
  }

  @Override
  public void close() {
    tape.close();
    passing.close();
    parameters.close();
    gradients.close();
    state.close();
  }
}
