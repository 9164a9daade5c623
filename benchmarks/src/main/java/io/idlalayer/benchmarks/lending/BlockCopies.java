package io.idlalayer.benchmarks.lending;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies between this process and memory of another one. One thread. */
interface BlockCopies extends AutoCloseable {
  /** Copies a buffer's bytes, from its position to its limit, to the other process. */
  void put(long offset, ByteBuffer source) throws IOException;

  /** Copies bytes of the other process into a buffer until it is full. */
  void get(long offset, ByteBuffer target) throws IOException;

  @Override
  void close() throws IOException;
}
