package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelloader.artifact.MalformedModelException;
import io.idlalayer.modelloader.artifact.ModelSpec;
import java.io.IOException;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The product's own engine, for the networks that it knows. */
public final class TapeEngine implements TrainingEngine {
  private final EngineNetworks networks;

  public TapeEngine(ModelSpec spec, KernelLibrary kernels) {
    networks = new EngineNetworks(spec, kernels);
  }

  @Override
  public TrainableNetwork create(long seed) {
    return new Trainable(networks.create(seed));
  }

  @Override
  public TrainableNetwork decode(byte[] file) throws MalformedModelException {
    return new Trainable(networks.decode(file));
  }

  private record Trainable(EngineNetwork network) implements TrainableNetwork {
    @Override
    public TrainingSteps steps(long seed) {
      network.seed(seed);
      return this::fit;
    }

    private OptionalDouble fit(
        float[] features, float[] labels, int rows, float @Nullable [] weights) {
      return OptionalDouble.of(network.fit(features, labels, rows, weights));
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
}
