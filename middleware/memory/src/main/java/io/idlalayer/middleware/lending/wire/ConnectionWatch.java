package io.idlalayer.middleware.lending.wire;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections whose time limit has passed, whether they wait to read or to write: blocking
 * sockets have no time limit for writing. Also runs a task of its owner at each look. One thread.
 */
public final class ConnectionWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionWatch.class);

  /** Milliseconds between two looks. */
  public static final long LOOK_MILLIS = 100;

  private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
  private final Runnable each;
  private final ScheduledThreadPoolExecutor thread;
  private volatile boolean closed;

  /**
   * @param name name of the thread
   * @param each task at each look; what it throws is logged
   */
  public ConnectionWatch(String name, Runnable each) {
    this.each = each;
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
            });
    var unused = thread.scheduleWithFixedDelay(this::look, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      for (Wire wire : wires) {
        if (wire.overdue()) {
          LOG.info("the connection with {} took too long and is closed", wire);
          wire.close();
        }
      }
      each.run();
    } catch (RuntimeException | Error failed) {
      // Thrown from here, it would end all later looks.
      LOG.error("looking after connections failed", failed);
    }
  }

  /** Adds a connection, which is closed at once after the looks have ended. */
  public void add(Wire wire) {
    wires.add(wire);
    if (closed) {
      wire.close();
    }
  }

  /** Removes a connection. */
  public void remove(Wire wire) {
    wires.remove(wire);
  }

  /** Ends the looks and closes all connections. */
  @Override
  public void close() {
    closed = true;
    thread.shutdownNow();
    wires.forEach(Wire::close);
  }
}
