package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Hands events from learners to readers in the same process. So these readers need not read events
 * from Kafka that their own process has just encoded and sent. The events are sent to the topics
 * nevertheless, for other processes. Thread-safe.
 */
public final class DecisionHandover {
  /**
   * Largest number of events that wait for a reader, which is the number that 25 updates a second
   * cause in half a minute. An event takes about 10 KB.
   */
  static final int MOST_WAITING = 4_096;

  /**
   * Longest time for which the events of updates wait for others, so that a reader need not wake up
   * for each event. A short delay does not matter, because people read the result.
   */
  private static final long GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final DecisionHandover PROCESS = new DecisionHandover(MOST_WAITING);

  private final int mostWaiting;
  private final List<Reader> readers = new CopyOnWriteArrayList<>();

  DecisionHandover(int mostWaiting) {
    this.mostWaiting = mostWaiting;
  }

  /** Returns the handover of this process. */
  public static DecisionHandover process() {
    return PROCESS;
  }

  /** Hands an event to all readers. Never waits for one. */
  public void offer(DecisionEvent event) {
    for (Reader reader : readers) {
      reader.add(event);
    }
  }

  /** Opens a reader, which gets all events from now on, of all runs in this process. */
  public Reader open() {
    Reader reader = new Reader();
    readers.add(reader);
    return reader;
  }

  /**
   * A reader of events. If it falls behind, it gets no more events: it must then read the rest from
   * the topics. One thread reads; that thread closes it.
   */
  public final class Reader implements AutoCloseable {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<DecisionEvent> waiting = new ArrayDeque<>();
    private boolean behind;

    /** Whether there is an event that must not wait for others. */
    private boolean urgent;

    private Reader() {}

    private void add(DecisionEvent event) {
      lock.lock();
      try {
        if (behind) {
          return;
        }
        boolean first = waiting.isEmpty();
        boolean fits = waiting.size() < mostWaiting;
        if (fits) {
          waiting.add(event);
        }
        behind = !fits;
        urgent |= !event.type().frequent();
        if (first || urgent || behind) {
          added.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    /**
     * Waits for events and returns all waiting events; the events of each learner are in their
     * order. After the first event of an update has come, the method waits up to 100 ms for further
     * events.
     *
     * @param longest the longest total time to wait
     */
    public List<DecisionEvent> poll(Duration longest) throws InterruptedException {
      long nanos = longest.toNanos();
      lock.lock();
      try {
        if (waiting.isEmpty()) {
          while (waiting.isEmpty() && !behind && nanos > 0) {
            nanos = added.awaitNanos(nanos);
          }
          nanos = Math.min(nanos, GATHERING_NANOS);
          while (!waiting.isEmpty() && !urgent && !behind && nanos > 0) {
            nanos = added.awaitNanos(nanos);
          }
        }
        List<DecisionEvent> events = new ArrayList<>(waiting);
        waiting.clear();
        urgent = false;
        return events;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Returns whether events were left out. Events before the first event that was left out can
     * still wait to be read.
     */
    public boolean behind() {
      lock.lock();
      try {
        return behind;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      readers.remove(this);
    }
  }
}
