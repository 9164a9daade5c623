package io.idlalayer.modelloader.network;

import io.idlalayer.modelloader.serve.ModelNetwork;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A network whose outputs ND4J computes. */
public interface ArrayNetwork extends ModelNetwork {
  /** Returns the predictions for some rows, which the caller closes; shape [rows, output width]. */
  INDArray output(INDArray features);

  @Override
  default float[] output(float[] features, int rows) {
    try (INDArray in = array(features, rows);
        INDArray out = output(in)) {
      if (out.ordering() == 'c' && !out.isView()) {
        return out.data().asFloat();
      }
      try (INDArray copy = out.dup('c')) {
        return copy.data().asFloat();
      }
    }
  }

  /** Returns rows as an array of ND4J, which the caller closes. */
  static INDArray array(float[] values, int rows) {
    return Nd4j.create(values, new long[] {rows, values.length / rows}, 'c');
  }
}
