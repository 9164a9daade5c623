package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.training.TrainableNetwork;
import io.idlalayer.modelcontroller.training.TrainingEngine;
import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The training engine of Deeplearning4j and SameDiff, which trains every network that they can
 * build and leaves the place of tensors to them.
 */
final class Dl4jEngine implements TrainingEngine {
  private final ModelSpec spec;

  public Dl4jEngine(ModelSpec spec) {
    this.spec = spec;
  }

  @Override
  public TrainableNetwork create(long seed) {
    return new Trainable(NetworkFactory.create(spec, seed));
  }

  @Override
  public TrainableNetwork decode(byte[] file) throws MalformedModelException {
    return new Trainable(NetworkFactory.decode(spec, file));
  }

  private record Trainable(ArrayNetwork network) implements TrainableNetwork {
    @Override
    public TrainingSteps steps(long seed) {
      Nd4j.getRandom().setSeed(seed);
      return LibraryTrainingSteps.of(network);
    }

    @Override
    public boolean rowsCombine() {
      return RowCombination.in(network);
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
