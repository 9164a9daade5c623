package io.idlalayer.modelcontroller.training.placed;

import java.util.LinkedHashSet;
import java.util.Set;
import org.nd4j.autodiff.samediff.internal.memory.AbstractMemoryMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.shape.LongShapeDescriptor;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Where a SameDiff session's arrays come from: tensors, or plain arrays for integers and booleans.
 * What the session releases is collected, since a kernel may still be running.
 */
final class SessionArrays extends AbstractMemoryMgr {
  private final Tensors tensors;
  private Set<Tensor> released = new LinkedHashSet<>();

  SessionArrays(Tensors tensors) {
    this.tensors = tensors;
  }

  /** In the running kernel; its values are undefined. The order is that of plain training. */
  @Override
  public INDArray allocate(boolean detached, DataType type, long... shape) {
    if (!NativeArrays.supports(type) || empty(shape)) {
      return Nd4j.createUninitializedDetached(type, shape);
    }
    return tensors.createIntermediate(type, shape, Nd4j.order());
  }

  private static boolean empty(long[] shape) {
    for (long extent : shape) {
      if (extent == 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public INDArray allocate(boolean detached, LongShapeDescriptor descriptor) {
    if (descriptor.isEmpty()) {
      return Nd4j.create(descriptor);
    }
    return allocate(detached, descriptor.dataType(), descriptor.getShape());
  }

  @Override
  public void release(INDArray array) {
    Tensor tensor = tensors.of(array);
    if (tensor != null && tensor.ofStep()) {
      released.add(tensor);
    }
  }

  /** What was released since the last call. */
  Set<Tensor> takeReleased() {
    Set<Tensor> taken = released;
    released = new LinkedHashSet<>();
    return taken;
  }

  /** Has nothing of its own. */
  @Override
  public void close() {
    released.clear();
  }
}
