package io.idlalayer.middleware.lending.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection on which frames are sent and received. One thread at a time; any thread may close
 * it, and {@link ConnectionWatch} does if a time limit passes, which ends a read or write that
 * waits.
 */
public final class Wire implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Wire.class);
  private static final int HEADER_BYTES = 2 * Integer.BYTES;
  private static final int FIRST_BUFFER_BYTES = 1 << 10;
  private static final int MOST_TEXT_BYTES = 400;

  private final Socket transport;
  private final InputStream in;
  private final OutputStream out;
  private final LongSupplier nanoTime;
  private byte[] received = new byte[FIRST_BUFFER_BYTES];
  private byte[] sent = new byte[FIRST_BUFFER_BYTES];
  private int mostBytes = Protocol.MOST_HANDSHAKE_BYTES;
  private volatile boolean limited;
  private volatile long limitNanos;

  /**
   * A frame that was received.
   *
   * @param body valid until the next frame is received
   */
  public record Frame(byte type, ByteBuffer body) {}

  /**
   * @param socket a connected socket, whose streams are used
   * @param transport the socket of the network below TLS, or the first one if there is no TLS;
   *     closed with the wire
   * @param nanoTime the time, in nanoseconds
   */
  public Wire(Socket socket, Socket transport, LongSupplier nanoTime) throws IOException {
    this.transport = transport;
    this.nanoTime = nanoTime;
    transport.setTcpNoDelay(true);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /**
   * Sets a time limit: unless another one is set before, the connection is closed when it passes.
   *
   * @param nanos time from now, in nanoseconds
   */
  public void limit(long nanos) {
    limitNanos = nanoTime.getAsLong() + nanos;
    limited = true;
  }

  /** Removes the time limit. */
  public void unlimited() {
    limited = false;
  }

  boolean overdue() {
    return limited && nanoTime.getAsLong() - limitNanos >= 0;
  }

  /** Allows frames of full size; called when both sides know each other. */
  void trust() {
    mostBytes = Protocol.MOST_FRAME_BYTES;
  }

  /** Returns a buffer for the body of a frame that {@link #send} sends. */
  public ByteBuffer body(int bytes) {
    int needed = HEADER_BYTES + 1 + bytes;
    if (sent.length < needed) {
      sent = new byte[needed];
    }
    return ByteBuffer.wrap(sent, HEADER_BYTES + 1, bytes);
  }

  /**
   * Sends a frame.
   *
   * @param body the buffer that {@link #body} returned last, filled up to its position
   */
  public void send(byte type, ByteBuffer body) throws IOException {
    int end = body.position();
    sent[HEADER_BYTES] = type;
    CRC32C checksum = new CRC32C();
    checksum.update(sent, HEADER_BYTES, end - HEADER_BYTES);
    ByteBuffer.wrap(sent).putInt(end - HEADER_BYTES).putInt((int) checksum.getValue());
    out.write(sent, 0, end);
    out.flush();
  }

  /** Sends a frame without a body. */
  public void send(byte type) throws IOException {
    send(type, body(0));
  }

  /** Sends the refusal of a request. */
  public void refuse(Refusal refusal, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer body = body(1 + Math.min(MOST_TEXT_BYTES, bytes.length));
    body.put(refusal.code()).put(bytes, 0, Math.min(MOST_TEXT_BYTES, bytes.length));
    send(Protocol.REFUSED, body);
  }

  /**
   * Waits for the first byte of a frame.
   *
   * @return false if the other side has closed the connection
   */
  public boolean awaitFrame() throws IOException {
    int first = in.read();
    if (first < 0) {
      return false;
    }
    received[0] = (byte) first;
    return true;
  }

  /**
   * Receives the rest of the frame whose first byte {@link #awaitFrame} has found. The length is
   * checked before anything is allocated for it.
   *
   * @throws ProtocolException if it is too long, empty, or not whole
   */
  public Frame rest() throws IOException {
    fill(1, HEADER_BYTES);
    ByteBuffer header = ByteBuffer.wrap(received);
    int length = header.getInt();
    int checksum = header.getInt();
    if (length < 1 || length > mostBytes) {
      throw new ProtocolException(
          String.format(
              Locale.ROOT, "a frame of %d bytes; 1 to %d are allowed", length, mostBytes));
    }
    if (received.length < length) {
      received = new byte[length];
    }
    fill(0, length);
    CRC32C actual = new CRC32C();
    actual.update(received, 0, length);
    if ((int) actual.getValue() != checksum) {
      throw new ProtocolException("a frame of %d bytes whose checksum is wrong".formatted(length));
    }
    return new Frame(received[0], ByteBuffer.wrap(received, 1, length - 1));
  }

  /**
   * Receives a frame.
   *
   * @throws EOFException if the connection ends before
   */
  public Frame receive() throws IOException {
    if (!awaitFrame()) {
      throw new EOFException("the connection was closed");
    }
    return rest();
  }

  /**
   * Receives the answer to a request.
   *
   * @param type type that the answer must have
   * @throws RefusedException if the request was refused
   * @throws ProtocolException if the answer has another type
   */
  public ByteBuffer answer(byte type) throws IOException {
    Frame frame = receive();
    if (frame.type() == Protocol.REFUSED && frame.body().hasRemaining()) {
      Refusal refusal = Refusal.of(frame.body().get());
      throw new RefusedException(refusal, StandardCharsets.UTF_8.decode(frame.body()).toString());
    }
    if (frame.type() != type) {
      throw new ProtocolException(
          "an answer of type %d; type %d was expected".formatted(frame.type(), type));
    }
    return frame.body();
  }

  private void fill(int from, int to) throws IOException {
    int at = from;
    while (at < to) {
      int read = in.read(received, at, to - at);
      if (read < 0) {
        throw new EOFException("the connection was closed in the middle of a frame");
      }
      at += read;
    }
  }

  /**
   * Closes the connection without a farewell of TLS, which would wait for a lock that a waiting
   * write holds; frames have lengths, so none can be cut off unnoticed. A second call does nothing.
   */
  @Override
  public void close() {
    try {
      transport.close();
    } catch (IOException late) {
      LOG.debug("the connection with {} was not closed in order", this, late);
    }
  }

  @Override
  public String toString() {
    return String.valueOf(transport.getRemoteSocketAddress());
  }
}
