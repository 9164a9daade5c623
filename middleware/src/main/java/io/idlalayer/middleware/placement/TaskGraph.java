package io.idlalayer.middleware.placement;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A step of training as planners see it: kernels in the order of execution and the tensors between
 * them.
 */
public record TaskGraph(List<Kernel> kernels, List<Tensor> tensors) {
  /** What a tensor is to the step. */
  public enum TensorKind {
    /** Made and given up within a step. */
    INTERMEDIATE,
    /** A weight, kept over steps. */
    PARAMETER,
    /** Comes from outside of the step. */
    INPUT,
    /** A gradient or the state of an updater. */
    GRADIENT
  }

  /**
   * An operation.
   *
   * @param reads indexes of tensors
   * @param writes indexes of tensors
   * @param fastNanos with every tensor on the fast device; 0 if unknown
   */
  public record Kernel(String name, List<Integer> reads, List<Integer> writes, long fastNanos) {
    public Kernel {
      reads = List.copyOf(reads);
      writes = List.copyOf(writes);
      if (fastNanos < 0) {
        throw new IllegalArgumentException("kernel %s takes %d ns".formatted(name, fastNanos));
      }
    }
  }

  /**
   * What kernels read and write.
   *
   * @param bytes above 0
   * @param mutable whether a kernel changes it in place
   */
  public record Tensor(String name, long bytes, TensorKind kind, boolean mutable) {
    public Tensor {
      if (bytes <= 0) {
        throw new IllegalArgumentException("tensor %s has %d bytes".formatted(name, bytes));
      }
    }
  }

  /**
   * @throws IllegalArgumentException if a kernel names a tensor that is not there, or reads an
   *     intermediate one before any kernel wrote it
   */
  public TaskGraph {
    kernels = List.copyOf(kernels);
    tensors = List.copyOf(tensors);
    Set<Integer> written = new HashSet<>();
    for (Kernel kernel : kernels) {
      for (int tensor : kernel.reads()) {
        Tensor read = checked(tensors, kernel, tensor);
        if (read.kind() == TensorKind.INTERMEDIATE && !written.contains(tensor)) {
          throw new IllegalArgumentException(
              "kernel %s reads tensor %s before it is written"
                  .formatted(kernel.name(), read.name()));
        }
      }
      for (int tensor : kernel.writes()) {
        checked(tensors, kernel, tensor);
        written.add(tensor);
      }
    }
  }

  private static Tensor checked(List<Tensor> tensors, Kernel kernel, int tensor) {
    if (tensor < 0 || tensor >= tensors.size()) {
      throw new IllegalArgumentException(
          "kernel %s uses tensor %d of %d".formatted(kernel.name(), tensor, tensors.size()));
    }
    return tensors.get(tensor);
  }

  /** Index of the last kernel that reads or writes a tensor; -1 if none does. */
  public int lastUse(int tensor) {
    for (int i = kernels.size() - 1; i >= 0; i--) {
      if (kernels.get(i).reads().contains(tensor) || kernels.get(i).writes().contains(tensor)) {
        return i;
      }
    }
    return -1;
  }
}
