package io.idlalayer.modelcontroller.engine.tape;

/** An operation on tensors of fixed shapes, as one step of a tape. Confined to one thread. */
public interface TapeKernel extends AutoCloseable {
  /** Runs the operation on the tensors at their present places. */
  void run();

  /**
   * Returns the library's name of the implementation, such as {@code jit:avx512_core}; empty if
   * there is none.
   */
  default String implementation() {
    return "";
  }

  /** Frees the memory outside the heap that belongs to the kernel. Its tensors are not freed. */
  @Override
  default void close() {}
}
