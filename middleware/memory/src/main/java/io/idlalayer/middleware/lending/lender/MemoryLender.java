package io.idlalayer.middleware.lending.lender;

import io.idlalayer.middleware.lending.wire.ConnectionWatch;
import io.idlalayer.middleware.lending.wire.Handshake;
import io.idlalayer.middleware.lending.wire.LoanId;
import io.idlalayer.middleware.lending.wire.RefusedException;
import io.idlalayer.middleware.lending.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that lends memory of this process. Each connection has a thread; connections beyond the
 * limit, and those of too many strangers, are closed at once. The memory lives as long as the
 * server: its loans end with it. Any thread.
 */
public final class MemoryLender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryLender.class);
  private static final int BACKLOG = 64;
  private static final int STRANGERS_SHARE = 4;
  private static final long JOIN_MILLIS = 5_000;
  private static final long PAUSE_NANOS = 100_000_000;

  private final LenderSettings settings;
  private final LongSupplier nanoTime;
  private final ThreadFactory threads;
  private final LentMemory memory;
  private final Handshake handshake;
  private final Handshake.Offer offer;
  private final ServerSocket socket;
  private final Semaphore connections;
  private final Semaphore strangers;
  private final Set<Thread> sessions = ConcurrentHashMap.newKeySet();
  private final AtomicLong refusedConnections = new AtomicLong();
  private final ConnectionWatch watch;
  private final Thread accepting;
  private volatile boolean closed;

  /**
   * How a lender is used.
   *
   * @param capacityBytes most bytes that it lends at a time
   * @param lentBytes bytes of its present loans
   * @param borrowers bytes of its present loans by HOST:PORT from which each was asked for
   * @param loans number of its present loans
   * @param connections number of open connections
   * @param refusedConnections connections that it has closed because there were too many
   */
  public record Use(
      long capacityBytes,
      long lentBytes,
      SortedMap<String, Long> borrowers,
      int loans,
      int connections,
      long refusedConnections) {
    public Use {
      borrowers = Collections.unmodifiableSortedMap(new TreeMap<>(borrowers));
    }
  }

  private MemoryLender(LenderSettings settings, LongSupplier nanoTime, ThreadFactory threads)
      throws IOException {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.threads = threads;
    SecureRandom random = new SecureRandom();
    memory =
        new LentMemory(
            settings.bytes(),
            settings.unitBytes(),
            settings.lease().toNanos(),
            nanoTime,
            () -> LoanId.random(random));
    handshake = new Handshake(settings.secret(), random);
    offer = new Handshake.Offer(random.nextLong(), settings.lease().toMillis());
    connections = new Semaphore(settings.connections());
    strangers = new Semaphore(Math.max(1, settings.connections() / STRANGERS_SHARE));
    socket = new ServerSocket();
    boolean bound = false;
    try {
      socket.setReuseAddress(true);
      socket.bind(settings.bind(), BACKLOG);
      watch = new ConnectionWatch("memory-lender-watch", memory::expire);
      bound = true;
    } finally {
      if (!bound) {
        socket.close();
      }
    }
    accepting = new Thread(this::accept, "memory-lender");
    accepting.setDaemon(true);
  }

  /**
   * Starts a lender.
   *
   * @throws IOException if the address cannot be used
   */
  public static MemoryLender start(LenderSettings settings) throws IOException {
    return start(settings, System::nanoTime);
  }

  /**
   * Starts a lender with a clock.
   *
   * @param nanoTime the time, in nanoseconds
   * @throws IOException if the address cannot be used
   */
  public static MemoryLender start(LenderSettings settings, LongSupplier nanoTime)
      throws IOException {
    return start(settings, nanoTime, Thread::new);
  }

  /** Starts a lender whose connections have threads of a factory. */
  static MemoryLender start(LenderSettings settings, LongSupplier nanoTime, ThreadFactory threads)
      throws IOException {
    MemoryLender lender = new MemoryLender(settings, nanoTime, threads);
    boolean started = false;
    try {
      lender.accepting.start();
      started = true;
      return lender;
    } finally {
      if (!started) {
        lender.close();
      }
    }
  }

  /** Returns the address on which this lender listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  /**
   * Takes all memory that is not lent yet from the system. Without this call, the lender takes
   * memory when it lends it.
   *
   * @throws NoRoomException if the system does not give the memory
   */
  public void reserve() throws NoRoomException {
    memory.acquireAll();
  }

  /** Returns the number of bytes that this lender could lend now. */
  public long freeBytes() {
    memory.expire();
    return memory.capacityBytes() - memory.lentBytes();
  }

  /** Returns how this lender is used now. */
  public Use use() {
    memory.expire();
    return new Use(
        memory.capacityBytes(),
        memory.lentBytes(),
        memory.borrowers(),
        memory.loans(),
        settings.connections() - connections.availablePermits(),
        refusedConnections.get());
  }

  private void accept() {
    while (!closed) {
      try {
        take(socket.accept());
      } catch (IOException | RuntimeException | Error failed) {
        // Thrown from here, it would end the lending for all.
        if (!closed) {
          LOG.warn("a connection to the lender of memory was not accepted", failed);
          pause();
        }
      }
    }
  }

  /** Waits after a failure, such as too many open files, which would repeat at once. */
  private static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  private void take(Socket accepted) throws IOException {
    if (!connections.tryAcquire()) {
      refusedConnections.incrementAndGet();
      accepted.close();
      return;
    }
    if (!strangers.tryAcquire()) {
      connections.release();
      refusedConnections.incrementAndGet();
      accepted.close();
      return;
    }
    boolean started = false;
    Thread session = null;
    try {
      session = threads.newThread(() -> serve(accepted));
      session.setName("memory-lender-" + accepted.getPort());
      session.setDaemon(true);
      sessions.add(session);
      session.start();
      started = true;
    } finally {
      if (!started) {
        // For instance because the system gives no more threads.
        if (session != null) {
          sessions.remove(session);
        }
        strangers.release();
        connections.release();
        accepted.close();
      }
    }
  }

  /** Returns a socket with the TLS of this lender, which shakes hands when it is first used. */
  private Socket encrypted(Socket accepted) throws IOException {
    SSLContext tls = settings.tls();
    if (tls == null) {
      return accepted;
    }
    SSLSocket layered =
        (SSLSocket) tls.getSocketFactory().createSocket(accepted, (InputStream) null, true);
    layered.setUseClientMode(false);
    return layered;
  }

  private void serve(Socket accepted) {
    boolean stranger = true;
    try (accepted;
        Wire wire = new Wire(encrypted(accepted), accepted, nanoTime)) {
      watch.add(wire);
      try {
        wire.limit(settings.limits().handshake().toNanos());
        handshake.lend(wire, offer);
        stranger = false;
        strangers.release();
        new LenderSession(
                wire,
                memory,
                settings.limits(),
                accepted.getInetAddress().getHostAddress() + ":" + accepted.getPort())
            .run();
      } finally {
        watch.remove(wire);
      }
    } catch (RefusedException refused) {
      LOG.warn("{} was refused: {}", accepted.getRemoteSocketAddress(), refused.getMessage());
    } catch (IOException ended) {
      if (!closed) {
        LOG.info(
            "the connection with {} has ended: {}",
            accepted.getRemoteSocketAddress(),
            ended.getMessage());
      }
    } finally {
      if (stranger) {
        strangers.release();
      }
      connections.release();
      sessions.remove(Thread.currentThread());
    }
  }

  /**
   * Ends all loans and connections and waits for the threads, at most 5 s for each. A second call
   * does nothing.
   */
  @Override
  public void close() throws IOException {
    closed = true;
    try {
      socket.close();
    } finally {
      endConnections();
    }
  }

  private void endConnections() {
    watch.close();
    boolean interrupted = false;
    for (Thread thread : sessions) {
      interrupted |= !join(thread);
    }
    interrupted |= !join(accepting);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean join(Thread thread) {
    try {
      thread.join(JOIN_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
