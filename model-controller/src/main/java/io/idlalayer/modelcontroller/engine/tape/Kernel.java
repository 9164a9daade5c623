package io.idlalayer.modelcontroller.engine.tape;

/** An operation on tensors whose shapes it knows. One thread. */
public interface Kernel extends AutoCloseable {
  /** Computes, with the tensors where they lie now. */
  void run();

  /** Frees what it has outside the heap, besides its tensors. */
  @Override
  default void close() {}
}
