package io.idlalayer.modelcontroller.engine.tape;

/** An operation on tensors of fixed shapes. For one thread. */
public interface TapeKernel extends AutoCloseable {
  /** Computes, with the tensors where they lie now. */
  void run();

  /**
   * Returns the library's name of the implementation, such as {@code jit:avx512_core}; empty if
   * there is none.
   */
  default String implementation() {
    return "";
  }

  /** Frees the memory that it has outside the heap, besides its tensors. */
  @Override
  default void close() {}
}
