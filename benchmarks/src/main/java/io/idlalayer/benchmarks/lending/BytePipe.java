package io.idlalayer.benchmarks.lending;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection on which bytes are sent and received, and nothing else. One thread. */
interface BytePipe extends AutoCloseable {
  /** Sends the bytes of a buffer from its position to its limit. */
  void send(ByteBuffer source) throws IOException;

  /**
   * Receives bytes until a buffer is full.
   *
   * @throws EOFException if the connection ends before
   */
  void receive(ByteBuffer target) throws IOException;

  @Override
  void close() throws IOException;

  /** Bytes of a channel, from and to memory outside the heap. */
  record Channel(SocketChannel channel) implements BytePipe {
    @Override
    public void send(ByteBuffer source) throws IOException {
      while (source.hasRemaining()) {
        channel.write(source);
      }
    }

    @Override
    public void receive(ByteBuffer target) throws IOException {
      while (target.hasRemaining()) {
        if (channel.read(target) < 0) {
          throw new EOFException();
        }
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Bytes of a socket's streams, by way of an array, as TLS needs it. */
  final class Streams implements BytePipe {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] part = new byte[1 << 20];

    Streams(Socket socket) throws IOException {
      this.socket = socket;
      in = socket.getInputStream();
      out = socket.getOutputStream();
    }

    @Override
    public void send(ByteBuffer source) throws IOException {
      while (source.hasRemaining()) {
        int bytes = Math.min(part.length, source.remaining());
        source.get(part, 0, bytes);
        out.write(part, 0, bytes);
      }
    }

    @Override
    public void receive(ByteBuffer target) throws IOException {
      while (target.hasRemaining()) {
        int read = in.read(part, 0, Math.min(part.length, target.remaining()));
        if (read < 0) {
          throw new EOFException();
        }
        target.put(part, 0, read);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
