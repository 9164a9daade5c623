package io.idlalayer.modelloader.network;

import io.idlalayer.modelloader.nd4j.NativeBackend;
import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelloader.serve.PredictingNetwork;
import io.idlalayer.modelloader.serve.PredictionLibrary;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Optional;

/** Predictions of Deeplearning4j and SameDiff. */
public final class LibraryPredictions implements PredictionLibrary {
  @Override
  public Optional<String> obstacle() {
    return NativeBackend.obstacle();
  }

  @Override
  public PredictingNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException {
    NativeMemory.begin();
    try {
      return new Guarded(NetworkFactory.decode(spec, file, largestBytes));
    } finally {
      NativeMemory.end();
    }
  }

  /** A network whose arrays are not freed while it computes. */
  private record Guarded(ArrayNetwork network) implements PredictingNetwork {
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
    public void close() {
      network.close();
    }
  }
}
