package io.idlalayer.jobs.processor;

import io.idlalayer.middleware.models.storage.folder.FileOperations;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time of all threads of a process whose names begin with a given text. Thread-safe.
 */
final class NamedThreads {
  /** Start of the names that Kafka gives to the threads of producers without a client id. */
  private static final String SENDING = "kafka-producer-network-thread | producer-";

  private final ThreadMXBean threads;
  private final String name;

  // Guarded by this object.
  /**
   * The threads at the last measurement, and whether they count. So the name of a thread is looked
   * up only once.
   */
  private Map<Long, Boolean> known = new HashMap<>();

  private final Map<Long, Long> alive = new HashMap<>();
  private long endedNanos;

  private NamedThreads(ThreadMXBean threads, String name) {
    this.threads = threads;
    this.name = name;
  }

  /**
   * Returns the network threads of this process's Kafka producers, except the threads of producers
   * with a client id, which send an input.
   */
  static NamedThreads sending() {
    return new NamedThreads(ManagementFactory.getThreadMXBean(), SENDING);
  }

  /** Returns the threads of this process that write files of models, except the trainer threads. */
  static NamedThreads writing() {
    return new NamedThreads(ManagementFactory.getThreadMXBean(), FileOperations.WRITER_THREADS);
  }

  /**
   * Returns the processor time of all these threads so far, including ended threads, in
   * nanoseconds.
   */
  synchronized long nanos() {
    if (!threads.isThreadCpuTimeSupported() || !threads.isThreadCpuTimeEnabled()) {
      return 0;
    }
    Map<Long, Long> now = new HashMap<>();
    Map<Long, Boolean> running = new HashMap<>();
    for (long id : threads.getAllThreadIds()) {
      Boolean before = known.get(id);
      boolean counts = before == null ? counts(id) : before;
      running.put(id, counts);
      long nanos = counts ? threads.getThreadCpuTime(id) : -1;
      if (nanos >= 0) {
        now.put(id, nanos);
      }
    }
    known = running;
    alive.forEach((id, nanos) -> endedNanos += now.containsKey(id) ? 0 : nanos);
    alive.clear();
    alive.putAll(now);
    return endedNanos + now.values().stream().mapToLong(Long::longValue).sum();
  }

  private boolean counts(long id) {
    ThreadInfo thread = threads.getThreadInfo(id);
    return thread != null && thread.getThreadName().startsWith(name);
  }
}
