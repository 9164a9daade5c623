package io.idlalayer.benchmarks;

import io.idlalayer.modelcontroller.engine.CompiledStep;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Set;

/**
 * The kernels of oneDNN in a training step, without what lies between them. Changes of form before
 * and after a convolution count, and so do the whole steps of dot products, whose vectors are
 * copied in Java, and of an LSTM, whose cells are swept over in Java.
 */
final class BareKernels implements AutoCloseable {
  /** Names of the tape steps that oneDNN computes. */
  private static final Set<String> NATIVE =
      Set.of(
          "product",
          "gradient",
          "errors",
          "convolution",
          "gradients",
          "pooling",
          "dots",
          "activation",
          "recurrence");

  /** Changes of form before and after a convolution. */
  private static final String COPY = "copy of ";

  private final CompiledStep step;
  private final List<TapeKernel> kernels;

  BareKernels(ModelSpec spec, int rows) throws UncompilableException {
    step = new CompiledStep(spec, new OneDnnKernels(), rows);
    kernels =
        step.tape().steps().stream().filter(BareKernels::isNative).map(TapeStep::kernel).toList();
  }

  /** Returns whether oneDNN computes a step, or changes the form of a tensor in it. */
  static boolean isNative(TapeStep step) {
    return NATIVE.contains(step.name()) || step.name().startsWith(COPY);
  }

  /** Microseconds of one step, mean of some. */
  double micros(int steps) {
    long start = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      for (TapeKernel kernel : kernels) {
        kernel.run();
      }
    }
    return (System.nanoTime() - start) / 1e3 / steps;
  }

  @Override
  public void close() {
    step.close();
  }
}
