package io.idlalayer.benchmarks.emulation;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A slow network before a server of this machine: connections with its address reach the server,
 * and their bytes pass a token bucket in each direction, which all connections share. The first
 * bytes of a request, those after an answer, wait for the latency as well. Any thread.
 */
public final class SlowLink implements Closeable {
  private static final int PART_BYTES = 16 << 10;

  private final InetSocketAddress server;
  private final long latencyNanos;
  private final TokenBucket requests;
  private final TokenBucket answers;
  private final ServerSocket socket;
  private final AtomicLong passed = new AtomicLong();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private enum Direction {
    REQUEST,
    ANSWER
  }

  /**
   * @param bytesPerSecond bandwidth of each direction
   * @param latencyNanos time that each request waits in addition
   * @throws IOException if there is no free port
   */
  public SlowLink(InetSocketAddress server, double bytesPerSecond, long latencyNanos)
      throws IOException {
    this.server = server;
    this.latencyNanos = latencyNanos;
    requests = new TokenBucket(bytesPerSecond);
    answers = new TokenBucket(bytesPerSecond);
    socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    start("slow-link", this::accept);
  }

  /** Returns the port at which the server is reached over this link. */
  public int port() {
    return socket.getLocalPort();
  }

  /** Returns the bytes that have passed in both directions. */
  public long passedBytes() {
    return passed.get();
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket near = socket.accept();
        Socket far = new Socket();
        open.add(near);
        open.add(far);
        far.connect(server);
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        AtomicReference<Direction> last = new AtomicReference<>(Direction.ANSWER);
        start("slow-link-requests", () -> pump(near, far, Direction.REQUEST, last));
        start("slow-link-answers", () -> pump(far, near, Direction.ANSWER, last));
      } catch (IOException failed) {
        if (!closed) {
          System.err.println("a connection did not pass the slow link: " + failed);
        }
      }
    }
  }

  private void pump(Socket from, Socket to, Direction direction, AtomicReference<Direction> last) {
    TokenBucket bucket = direction == Direction.REQUEST ? requests : answers;
    byte[] part = new byte[PART_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int bytes = in.read(part); bytes >= 0; bytes = in.read(part)) {
        boolean first = last.getAndSet(direction) != direction && direction == Direction.REQUEST;
        long now = System.nanoTime();
        waitUntil(Math.max(bucket.reserve(bytes, now), now + (first ? latencyNanos : 0)));
        out.write(part, 0, bytes);
        passed.addAndGet(bytes);
      }
    } catch (IOException ended) {
      // One side has closed the connection; the other one is closed above.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void waitUntil(long deadlineNanos) {
    for (long left = deadlineNanos - System.nanoTime();
        left > 0;
        left = deadlineNanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Closes the link with all connections. */
  @Override
  public void close() throws IOException {
    closed = true;
    socket.close();
    for (Socket each : open) {
      each.close();
    }
  }
}
