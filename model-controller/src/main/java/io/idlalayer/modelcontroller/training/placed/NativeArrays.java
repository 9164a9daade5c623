package io.idlalayer.modelcontroller.training.placed;

import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.indexer.DoubleIndexer;
import org.bytedeco.javacpp.indexer.FloatIndexer;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.cpu.nativecpu.buffer.BaseCpuDataBuffer;
import org.nd4j.linalg.factory.Nd4j;

/** ND4J arrays over memory that is not ND4J's and that it never frees. */
final class NativeArrays {
  private NativeArrays() {}

  /** Whether arrays of a type can lie in objects. */
  static boolean supports(DataType type) {
    return type == DataType.FLOAT || type == DataType.DOUBLE;
  }

  /** An array at an address. Shape and strides in elements. */
  static INDArray at(long address, DataType type, long[] shape, long[] strides, char order) {
    long length = 1;
    for (long extent : shape) {
      length *= extent;
    }
    return Nd4j.create(buffer(address, type, length), shape, strides, 0, order);
  }

  private static DataBuffer buffer(long address, DataType type, long length) {
    if (type == DataType.DOUBLE) {
      DoublesAt pointer = new DoublesAt(address, length);
      return Nd4j.createBuffer(pointer, type, length, DoubleIndexer.create(pointer));
    }
    FloatsAt pointer = new FloatsAt(address, length);
    return Nd4j.createBuffer(pointer, type, length, FloatIndexer.create(pointer));
  }

  /**
   * Has an array that owns its buffer, and native operations on its views, use another address.
   * Access to single elements of views made before is not covered.
   */
  static void move(INDArray array, long address) {
    BaseCpuDataBuffer buffer = (BaseCpuDataBuffer) root(array);
    long length = buffer.length();
    Pointer pointer =
        array.dataType() == DataType.DOUBLE
            ? new DoublesAt(address, length)
            : new FloatsAt(address, length);
    buffer.getOpaqueDataBuffer().setPrimaryBuffer(pointer, length);
    buffer.actualizePointerAndIndexer();
  }

  /** The buffer that an array is in, whether it is a view or not. */
  static DataBuffer root(INDArray array) {
    DataBuffer data = array.data();
    DataBuffer original = data.originalDataBuffer();
    return original == null ? data : original;
  }

  /** Without a deallocator. */
  private static final class FloatsAt extends FloatPointer {
    FloatsAt(long address, long length) {
      super((Pointer) null);
      this.address = address;
      position = 0;
      limit = length;
      capacity = length;
    }
  }

  /** Without a deallocator. */
  private static final class DoublesAt extends DoublePointer {
    DoublesAt(long address, long length) {
      super((Pointer) null);
      this.address = address;
      position = 0;
      limit = length;
      capacity = length;
    }
  }
}
