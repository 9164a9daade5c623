package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelloader.serve.PredictingNetwork;

/**
 * A network for predictions only: its parameters are in DRAM, and it has no updater state. Belongs
 * to one thread; {@link #close} frees everything.
 */
final class TestedNetwork implements PredictingNetwork {
  private final DramTensors memory = new DramTensors();
  private final Predictions predictions;

  /**
   * Creates a network from its parameters. If the creation fails, all allocated memory is freed.
   */
  TestedNetwork(NetworkPlan plan, float[] parameters, KernelLibrary kernels) {
    boolean whole = false;
    try {
      NetworkTensors tensors = new NetworkTensors(plan);
      for (NetworkPlan.Parameters each : plan.parameters()) {
        memory.store(tensors.parameters(each.name()), parameters, each.from());
      }
      predictions = new Predictions(plan, tensors, kernels, memory);
      whole = true;
    } finally {
      if (!whole) {
        memory.close();
      }
    }
  }

  @Override
  public float[] output(float[] features, int rows) {
    return predictions.output(features, rows);
  }

  @Override
  public void close() {
    predictions.close();
    memory.close();
  }
}
