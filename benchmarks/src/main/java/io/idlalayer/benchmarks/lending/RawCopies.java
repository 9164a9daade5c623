package io.idlalayer.benchmarks.lending;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Copies to and from memory of another process with nothing that a loan has: no names, checksums,
 * limits or proofs. A request is its kind, an offset and a length; a write is answered by one byte.
 */
final class RawCopies implements BlockCopies {
  private static final byte PUT = 1;
  private static final byte GET = 2;
  private static final int HEADER_BYTES = 1 + 2 * Integer.BYTES;

  private final BytePipe pipe;
  private final ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
  private final ByteBuffer done = ByteBuffer.allocateDirect(1);

  RawCopies(BytePipe pipe) {
    this.pipe = pipe;
  }

  private void ask(byte kind, long offset, int bytes) throws IOException {
    pipe.send(header.clear().put(kind).putInt(Math.toIntExact(offset)).putInt(bytes).flip());
  }

  @Override
  public void put(long offset, ByteBuffer source) throws IOException {
    ask(PUT, offset, source.remaining());
    pipe.send(source);
    pipe.receive(done.clear());
  }

  @Override
  public void get(long offset, ByteBuffer target) throws IOException {
    ask(GET, offset, target.remaining());
    pipe.receive(target);
  }

  @Override
  public void close() throws IOException {
    pipe.close();
  }

  /**
   * Answers requests until the other side closes the connection.
   *
   * @param memory the bytes that are copied
   */
  static void serve(BytePipe pipe, ByteBuffer memory) throws IOException {
    ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
    ByteBuffer done = ByteBuffer.allocateDirect(1);
    while (true) {
      try {
        pipe.receive(header.clear());
      } catch (EOFException ended) {
        return;
      }
      byte kind = header.flip().get();
      ByteBuffer bytes = memory.slice(header.getInt(), header.getInt());
      if (kind == PUT) {
        pipe.receive(bytes);
        pipe.send(done.clear());
      } else {
        pipe.send(bytes);
      }
    }
  }
}
