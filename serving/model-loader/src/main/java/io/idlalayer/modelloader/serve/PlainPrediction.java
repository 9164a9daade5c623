package io.idlalayer.modelloader.serve;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.network.InputRows;
import io.idlalayer.modelruntime.network.PlainNetwork;
import java.util.Arrays;

/** A network that predicts in plain Java. Several threads may use one instance. */
record PlainPrediction(PlainNetwork network) implements PredictingNetwork {
  /**
   * Returns the network in a file.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   * @throws MalformedModelException if the file has no network, a network of another specification,
   *     or a network that plain Java does not support
   */
  static PlainPrediction decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException {
    try {
      return new PlainPrediction(PlainNetwork.decodeLayers(spec, file, largestBytes));
    } catch (UnsupportedModelException unknown) {
      throw new MalformedModelException(
          "%s; only Deeplearning4j predicts with it, and %s"
              .formatted(unknown.getMessage(), PredictionLibrary.missing()),
          unknown);
    }
  }

  @Override
  public float[] output(float[] features, int rows) {
    int inputs = features.length / rows;
    int outputs = network.outputs();
    float[] out = new float[rows * outputs];
    for (int from = 0; from < rows; from += network.rowsAtOnce()) {
      int to = Math.min(rows, from + network.rowsAtOnce());
      float[] some = Arrays.copyOfRange(features, from * inputs, to * inputs);
      float[] given = network.output(InputRows.of(some, to - from));
      System.arraycopy(given, 0, out, from * outputs, given.length);
    }
    return out;
  }

  /** Does nothing: the network has no memory outside the heap. */
  @Override
  public void close() {}
}
