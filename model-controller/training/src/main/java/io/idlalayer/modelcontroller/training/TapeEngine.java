package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.PlacedDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.Arrays;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The product's own engine, which compiles networks to tapes. */
final class TapeEngine implements TrainingEngine {
  private final EngineNetworks networks;
  private final @Nullable PlacedDevices devices;

  /** Creates an engine that keeps all tensors in DRAM. */
  public TapeEngine(ModelSpec spec, KernelLibrary kernels) {
    this(spec, kernels, null, new NetworkForms());
  }

  /**
   * @param tenant tenant whose part of the memory contains the networks' tensors; null if all
   *     tensors are in DRAM. In both cases the resulting models are equal, byte for byte
   * @param forms file forms of the specification's networks
   */
  public TapeEngine(
      ModelSpec spec,
      KernelLibrary kernels,
      TensorShares.@Nullable Tenant tenant,
      NetworkForms forms) {
    if (tenant == null) {
      devices = null;
      networks = new EngineNetworks(spec, kernels, DramTensors::new, forms);
    } else {
      PlacedDevices opened = new PlacedDevices(tenant);
      devices = opened;
      networks = new EngineNetworks(spec, kernels, opened::tensors, forms);
    }
  }

  @Override
  public TrainableNetwork create(long seed) {
    return new Trainable(networks.create(seed));
  }

  @Override
  public TrainableNetwork decode(byte[] file) throws MalformedModelException {
    return new Trainable(networks.decode(file));
  }

  @Override
  public boolean begin(Runnable dropNetworks) throws InterruptedException {
    return devices == null || devices.begin(dropNetworks);
  }

  @Override
  public void end() {
    if (devices != null) {
      devices.end();
    }
  }

  @Override
  public @Nullable TensorTraffic traffic() {
    return devices == null ? null : devices.traffic();
  }

  @Override
  public void close() {
    if (devices != null) {
      devices.close();
    }
  }

  private record Trainable(EngineNetwork network) implements TrainableNetwork {
    @Override
    public TrainingSteps steps(long seed) {
      network.seed(seed);
      return new Steps(network);
    }

    @Override
    public boolean predictsInTraining() {
      return network.predictsInTraining();
    }

    @Override
    public boolean rowsCombine() {
      return network.rowsCombine();
    }

    @Override
    public float[] output(float[] features, int rows) {
      return network.output(features, rows);
    }

    @Override
    public boolean finite() {
      return network.finite();
    }

    @Override
    public byte[] encode() throws IOException {
      return network.encode();
    }

    @Override
    public void close() {
      network.close();
    }
  }

  private record Steps(EngineNetwork network) implements TrainingSteps {
    @Override
    public OptionalDouble fit(
        float[] features,
        float[] labels,
        int rows,
        float @Nullable [] weights,
        float @Nullable [] inputErrors,
        float @Nullable [] outputs)
        throws InterruptedException {
      if (weights == null || Integer.bitCount(rows) == 1 || !network.rowsCombine()) {
        return OptionalDouble.of(
            network.fit(features, labels, rows, weights, inputErrors, outputs));
      }
      return padded(features, labels, rows, weights, inputErrors, outputs);
    }

    /**
     * Trains a mini-batch of weighted rows, and adds rows of weight 0 until the number of rows is a
     * power of two. The number of distinct rows varies between mini-batches; without added rows,
     * the network would need many tapes.
     */
    private OptionalDouble padded(
        float[] features,
        float[] labels,
        int rows,
        float[] weights,
        float @Nullable [] inputErrors,
        float @Nullable [] outputs)
        throws InterruptedException {
      int more = Integer.highestOneBit(rows) << 1;
      float[] scaled = new float[more];
      for (int i = 0; i < rows; i++) {
        scaled[i] = weights[i] * more / rows;
      }
      float[] errors = inputErrors == null ? null : longer(inputErrors, rows, more);
      float[] predicted = outputs == null ? null : longer(outputs, rows, more);
      double loss =
          network.fit(
              longer(features, rows, more),
              longer(labels, rows, more),
              more,
              scaled,
              errors,
              predicted);
      if (inputErrors != null && errors != null) {
        System.arraycopy(errors, 0, inputErrors, 0, inputErrors.length);
      }
      if (outputs != null && predicted != null) {
        System.arraycopy(predicted, 0, outputs, 0, outputs.length);
      }
      return OptionalDouble.of(loss);
    }

    private static float[] longer(float[] values, int rows, int more) {
      return Arrays.copyOf(values, values.length / rows * more);
    }
  }
}
