package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.training.placed.TensorPlacement;
import io.idlalayer.modelcontroller.training.placed.TensorTraffic;
import io.idlalayer.modelloader.artifact.MalformedModelException;
import io.idlalayer.modelloader.artifact.ModelSpec;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.factory.Nd4j;

/** Deeplearning4j and SameDiff: everything that they can train. */
public final class Dl4jEngine implements TrainingEngine {
  private final ModelSpec spec;
  private final Fitting fitting;

  /** Leaves the tensors to Deeplearning4j. */
  public Dl4jEngine(ModelSpec spec) {
    this(spec, null);
  }

  /**
   * @param placement where the networks' tensors go while they train; null to leave them to
   *     Deeplearning4j. The models are the same, byte for byte
   */
  public Dl4jEngine(ModelSpec spec, @Nullable TensorPlacement placement) {
    this.spec = spec;
    fitting = new Fitting(placement);
  }

  @Override
  public TrainableNetwork create(long seed) {
    return new Trainable(NetworkFactory.create(spec, seed), fitting);
  }

  @Override
  public TrainableNetwork decode(byte[] file) throws MalformedModelException {
    return new Trainable(NetworkFactory.decode(spec, file), fitting);
  }

  @Override
  public @Nullable TensorTraffic traffic() {
    return fitting.traffic();
  }

  @Override
  public void close() {
    fitting.close();
  }

  private record Trainable(ArrayNetwork network, Fitting fitting) implements TrainableNetwork {
    @Override
    public TrainingSteps steps(long seed) throws InterruptedException {
      Nd4j.getRandom().setSeed(seed);
      return fitting.begin(network);
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
