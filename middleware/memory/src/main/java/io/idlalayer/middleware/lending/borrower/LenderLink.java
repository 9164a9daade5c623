package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.lending.wire.ConnectionWatch;
import io.idlalayer.middleware.lending.wire.Handshake;
import io.idlalayer.middleware.lending.wire.RefusedException;
import io.idlalayer.middleware.lending.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The connections with one lender, at most {@value #MOST_CONNECTIONS}. A request whose connection
 * fails is sent once more on a new one, because the lender may have closed a connection that was
 * idle; all requests can be repeated. Any thread.
 */
final class LenderLink implements AutoCloseable {
  static final int MOST_CONNECTIONS = 4;

  private static final int ATTEMPTS = 2;

  private final LenderAddress address;
  private final BorrowerSettings settings;
  private final LongSupplier nanoTime;
  private final ConnectionWatch watch;
  private final Handshake handshake;
  private final Semaphore permits = new Semaphore(MOST_CONNECTIONS, true);
  private final BlockingDeque<Connected> idle = new LinkedBlockingDeque<>(MOST_CONNECTIONS);
  private volatile boolean closed;

  /** A connection, and what the lender said of itself. */
  private record Connected(Wire wire, Handshake.Offer offer) {}

  /** A request on a connection. */
  interface Request<T> {
    T run(Wire wire, Handshake.Offer offer) throws IOException;
  }

  /**
   * @param watch closes connections that take too long
   */
  LenderLink(
      LenderAddress address,
      BorrowerSettings settings,
      LongSupplier nanoTime,
      ConnectionWatch watch) {
    this.address = address;
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.watch = watch;
    handshake = new Handshake(settings.secret(), new SecureRandom());
  }

  LenderAddress address() {
    return address;
  }

  /**
   * Sends a request to the process of the lender that made a loan.
   *
   * @param generation generation of that process; null for any
   * @param limit longest time of the request
   * @throws RefusedException if the lender refuses it
   * @throws IOException if the lender cannot be reached, is too slow, or another process is there
   */
  <T> T ask(@Nullable Long generation, Duration limit, Request<T> request) throws IOException {
    // Each holder is bounded by a time limit.
    permits.acquireUninterruptibly();
    try {
      for (int attempt = 1; ; attempt++) {
        Connected connected = attempt == 1 ? idle.pollFirst() : null;
        if (connected == null) {
          connected = connect();
        }
        if (generation != null && connected.offer().generation() != generation) {
          close(connected);
          throw new IOException(
              "another process is at this address now, which has no loan of ours");
        }
        long start = nanoTime.getAsLong();
        try {
          connected.wire().limit(limit.toNanos());
          T answer = request.run(connected.wire(), connected.offer());
          rest(connected);
          return answer;
        } catch (RefusedException refused) {
          rest(connected);
          throw refused;
        } catch (IOException failed) {
          close(connected);
          if (nanoTime.getAsLong() - start >= limit.toNanos()) {
            throw new SocketTimeoutException("no answer within %s".formatted(limit));
          }
          if (attempt == ATTEMPTS || closed) {
            throw failed;
          }
        }
      }
    } finally {
      permits.release();
    }
  }

  private void rest(Connected connected) {
    connected.wire().unlimited();
    boolean rests = !closed && idle.offerFirst(connected);
    // A close in between has emptied the queue before the connection came.
    if (!rests || (closed && idle.remove(connected))) {
      close(connected);
    }
  }

  private void close(Connected connected) {
    watch.remove(connected.wire());
    connected.wire().close();
  }

  private Connected connect() throws IOException {
    if (closed) {
      throw new IOException("this process has closed its connections with the lender");
    }
    InetAddress host = InetAddress.getByName(address.host());
    if (settings.tls() == null && !host.isLoopbackAddress()) {
      throw new IOException(
          "%s is on another machine, and tensors do not pass a network in clear text; set memory.lending.tls"
              .formatted(address));
    }
    Socket socket = new Socket();
    boolean done = false;
    try {
      socket.connect(
          new InetSocketAddress(host, address.port()), (int) settings.connect().toMillis());
      Wire wire = new Wire(settings.tls() == null ? socket : encrypted(socket), socket, nanoTime);
      wire.limit(settings.connect().toNanos());
      watch.add(wire);
      try {
        Connected connected = new Connected(wire, handshake.borrow(wire));
        done = true;
        return connected;
      } finally {
        if (!done) {
          watch.remove(wire);
          wire.close();
        }
      }
    } finally {
      if (!done) {
        socket.close();
      }
    }
  }

  private Socket encrypted(Socket plain) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            java.util.Objects.requireNonNull(settings.tls())
                .getSocketFactory()
                .createSocket(plain, address.host(), address.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** Closes the idle connections; those in use are closed when their requests end. */
  @Override
  public void close() {
    closed = true;
    for (Connected each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
      close(each);
    }
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
