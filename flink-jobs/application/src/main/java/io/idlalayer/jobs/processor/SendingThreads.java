package io.idlalayer.jobs.processor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time of the network threads of a process's Kafka producers, except those with a
 * client id of their own, which send an input. Safe from any thread.
 */
final class SendingThreads {
  /** Start of the names that Kafka gives to the threads of producers without a client id. */
  private static final String NAME = "kafka-producer-network-thread | producer-";

  private final ThreadMXBean threads;

  // Guarded by this object.
  /** The threads of the last reading, and whether they send: their names are looked up once. */
  private Map<Long, Boolean> known = new HashMap<>();

  private final Map<Long, Long> alive = new HashMap<>();
  private long endedNanos;

  private SendingThreads(ThreadMXBean threads) {
    this.threads = threads;
  }

  static SendingThreads ofProcess() {
    return new SendingThreads(ManagementFactory.getThreadMXBean());
  }

  /** Returns the processor time of all such threads so far, ended ones too, in nanoseconds. */
  synchronized long nanos() {
    if (!threads.isThreadCpuTimeSupported() || !threads.isThreadCpuTimeEnabled()) {
      return 0;
    }
    Map<Long, Long> now = new HashMap<>();
    Map<Long, Boolean> running = new HashMap<>();
    for (long id : threads.getAllThreadIds()) {
      Boolean before = known.get(id);
      boolean sends = before == null ? sends(id) : before;
      running.put(id, sends);
      long nanos = sends ? threads.getThreadCpuTime(id) : -1;
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

  private boolean sends(long id) {
    ThreadInfo thread = threads.getThreadInfo(id);
    return thread != null && thread.getThreadName().startsWith(NAME);
  }
}
