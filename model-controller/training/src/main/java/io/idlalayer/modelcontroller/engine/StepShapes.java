package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * The training steps of a network with mini-batches of any size.
 *
 * @param plan plan of the specification's network
 * @param kernels library whose kernels train it
 */
public record StepShapes(ModelSpec spec, NetworkPlan plan, KernelLibrary kernels) {
  /**
   * Returns a step that can be run, with all tensors in DRAM. The caller closes the step.
   *
   * @param rows rows of the mini-batch, at least 1
   */
  public CompiledStep compiled(int rows) {
    try {
      return new CompiledStep(spec, kernels, rows);
    } catch (UncompilableException changed) {
      throw new IllegalStateException("a network that was compiled before", changed);
    }
  }

  /**
   * Returns the largest number of bytes that tensors take at any time, either during a training on
   * a mini-batch or during a prediction for its rows. This method runs no kernels.
   *
   * @param rows rows of the mini-batch, at least 1
   */
  public long peakBytes(int rows) {
    return EngineNetworks.steps(plan, kernels, rows, rows, 1).peakBytes();
  }

  /** Returns the bytes of the parameters. */
  public long parameterBytes() {
    return (long) Float.BYTES * plan.parameterLength();
  }

  /**
   * Returns whether the rows of a mini-batch are normalized together, so that training the
   * mini-batch in parts would give another result.
   */
  public boolean normalizesBatches() {
    return plan.nodes().stream().anyMatch(node -> node.layer() instanceof LayerPlan.Normalized);
  }
}
