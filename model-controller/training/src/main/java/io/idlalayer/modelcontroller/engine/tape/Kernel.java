package io.idlalayer.modelcontroller.engine.tape;

/** An operation on tensors whose shapes it knows. One thread. */
public interface Kernel extends AutoCloseable {
  /** Computes, with the tensors where they lie now. */
  void run();

  /**
   * What the library calls the way in which it computes, such as {@code jit:avx512_core}; empty if
   * there is no such name.
   */
  default String implementation() {
    return "";
  }

  /** Frees what it has outside the heap, besides its tensors. */
  @Override
  default void close() {}
}
