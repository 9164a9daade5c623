package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.training.TrainableNetwork;
import io.idlalayer.modelcontroller.training.TrainingEngine;
import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.nd4j.NativeMemory;
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

  Dl4jEngine(ModelSpec spec) {
    this.spec = spec;
  }

  @Override
  public boolean begin(Runnable dropNetworks) {
    NativeMemory.begin();
    return true;
  }

  @Override
  public void end() {
    NativeMemory.end();
  }

  @Override
  public TrainableNetwork create(long seed) {
    return new Trainable(created(spec, seed));
  }

  /**
   * Returns the network with which iDlaLayer's engine begins, or one that it does not know.
   *
   * @throws IllegalArgumentException if the network cannot be built
   */
  static ArrayNetwork created(ModelSpec spec, long seed) {
    byte[] file;
    try {
      file = EngineNetworks.newFile(spec, seed);
    } catch (UncompilableException unknown) {
      return NetworkFactory.create(spec, seed);
    }
    try {
      return NetworkFactory.decode(spec, file);
    } catch (MalformedModelException refused) {
      throw new IllegalArgumentException(
          "Deeplearning4j cannot read the new network: " + refused.getMessage(), refused);
    }
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
      NativeMemory.begin();
      try {
        return network.output(features, rows);
      } finally {
        NativeMemory.end();
      }
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
