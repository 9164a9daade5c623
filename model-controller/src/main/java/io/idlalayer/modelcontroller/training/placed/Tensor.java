package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.TaskGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** An object with the array that lies in it. The array follows its object when a kernel starts. */
final class Tensor {
  final MemObject object;
  final String name;
  final TaskGraph.TensorKind kind;

  /** Owns the buffer; others may be views of it. */
  final INDArray array;

  /** Where the array's buffer points. */
  long address;

  /** Layers that need it in their backward pass, and values that are still to be read. */
  int holders;

  /** Whether it ends with its step although others of its kind do not. */
  boolean brief;

  Tensor(MemObject object, String name, TaskGraph.TensorKind kind, INDArray array, long address) {
    this.object = object;
    this.name = name;
    this.kind = kind;
    this.array = array;
    this.address = address;
  }

  /** Whether it ends with its step at the latest. */
  boolean ofStep() {
    return brief || kind == TaskGraph.TensorKind.INTERMEDIATE || kind == TaskGraph.TensorKind.INPUT;
  }

  @Override
  public String toString() {
    return name + " in " + object;
  }
}
