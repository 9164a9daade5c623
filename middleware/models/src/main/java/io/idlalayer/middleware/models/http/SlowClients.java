package io.idlalayer.middleware.models.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Interrupts HTTP exchanges whose client is too slow. The JDK's server has timeouts for the whole
 * process only, and none that is extended by progress. Interrupting a thread that waits for a
 * socket closes the connection, also with TLS, and the thread goes on.
 */
final class SlowClients implements Runnable, AutoCloseable {
  private static final long LOOKS_PER_PATIENCE = 40;

  /** The patience is divided by this if a request arrives while others wait for a thread. */
  private static final long HURRY = 20;

  private final long patienceNanos;
  private final long longestNanos;
  private final BooleanSupplier othersWait;
  private final Map<Thread, Exchange> exchanges = new ConcurrentHashMap<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** An exchange that a thread is working on; guarded by this object. */
  private static final class Exchange {
    final long endNanos;
    final long hurriedNanos;
    long dueNanos;
    boolean received;
    boolean interrupted;
    boolean over;

    Exchange(long hurriedNanos, long dueNanos, long endNanos) {
      this.hurriedNanos = hurriedNanos;
      this.dueNanos = dueNanos;
      this.endNanos = endNanos;
    }

    /**
     * Sets the time by which the calling thread must make progress. The thread has just made
     * progress, so its interrupt flag, if still set, is cleared, unless the exchange has taken too
     * long as a whole.
     */
    synchronized void due(long nanos) {
      dueNanos = nanos;
      if (interrupted && System.nanoTime() - endNanos <= 0) {
        interrupted = false;
        Thread.interrupted();
      }
    }

    synchronized void received() {
      received = true;
    }

    /** Interrupts the thread of this exchange if it is late. */
    synchronized void interruptIfLate(Thread thread, boolean othersWait) {
      long now = System.nanoTime();
      boolean hurried = othersWait && !received && now - hurriedNanos > 0;
      if (!over && (hurried || now - dueNanos > 0 || now - endNanos > 0)) {
        interrupted = true;
        thread.interrupt();
      }
    }
  }

  /**
   * @param patience from one sign of progress to the next
   * @param longest for an exchange as a whole
   * @param othersWait whether requests wait for a thread; then a request must arrive in a twentieth
   *     of the patience
   */
  SlowClients(Duration patience, Duration longest, BooleanSupplier othersWait) {
    patienceNanos = patience.toNanos();
    longestNanos = longest.toNanos();
    this.othersWait = othersWait;
  }

  /** Records that the calling thread begins an exchange. */
  void begin() {
    long now = System.nanoTime();
    exchanges.put(
        Thread.currentThread(),
        new Exchange(now + patienceNanos / HURRY, now + patienceNanos, now + longestNanos));
  }

  /** Records that the client of the calling thread's exchange has sent or received some bytes. */
  void progress() {
    Exchange exchange = exchanges.get(Thread.currentThread());
    if (exchange != null) {
      exchange.due(System.nanoTime() + patienceNanos);
    }
  }

  /** Records that the whole request of the calling thread's exchange has arrived. */
  void received() {
    Exchange exchange = exchanges.get(Thread.currentThread());
    if (exchange != null) {
      exchange.received();
      exchange.due(System.nanoTime() + patienceNanos);
    }
  }

  /**
   * Records that the calling thread computes: until its next progress, only the time limit of the
   * whole exchange applies.
   */
  void computing() {
    Exchange exchange = exchanges.get(Thread.currentThread());
    if (exchange != null) {
      exchange.due(exchange.endNanos);
    }
  }

  /**
   * Records that the calling thread has ended its exchange, so that it is not interrupted from now
   * on.
   */
  void end() {
    Exchange exchange = exchanges.remove(Thread.currentThread());
    if (exchange != null) {
      synchronized (exchange) {
        exchange.over = true;
      }
    }
    Thread.interrupted();
  }

  @Override
  public void run() {
    try {
      long pause = Math.max(1, TimeUnit.NANOSECONDS.toMillis(patienceNanos) / LOOKS_PER_PATIENCE);
      while (!closing.await(pause, TimeUnit.MILLISECONDS)) {
        boolean wait = othersWait.getAsBoolean();
        exchanges.forEach((thread, exchange) -> exchange.interruptIfLate(thread, wait));
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closing.countDown();
  }
}
