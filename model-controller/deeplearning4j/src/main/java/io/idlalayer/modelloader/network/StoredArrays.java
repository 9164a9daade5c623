package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.StoredArray;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Converts arrays that {@link StoredArray} has read and checked into arrays of ND4J. */
final class StoredArrays {
  private StoredArrays() {}

  /**
   * Reads the next array.
   *
   * @param what it is, for messages
   * @throws MalformedModelException if it is none, or of another type than FLOAT or DOUBLE
   */
  static INDArray read(ByteBuffer in, String what) throws MalformedModelException {
    StoredArray array = StoredArray.read(in, what);
    long[] shape = array.shape();
    char order = array.order();
    float[] floats = array.floats();
    if (floats != null) {
      return shape.length == 0 ? Nd4j.scalar(floats[0]) : Nd4j.create(floats, shape, order);
    }
    double[] doubles = Objects.requireNonNull(array.doubles());
    return shape.length == 0
        ? Nd4j.scalar(doubles[0])
        : Nd4j.create(doubles, shape, Nd4j.getStrides(shape, order), order, DataType.DOUBLE);
  }

  /** Refuses bytes after the last array. */
  static void checkEnd(ByteBuffer in, String what) throws MalformedModelException {
    StoredArray.checkEnd(in, what);
  }
}
