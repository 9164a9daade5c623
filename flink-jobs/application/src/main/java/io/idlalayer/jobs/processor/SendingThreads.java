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
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith(NAME)) {
        long nanos = threads.getThreadCpuTime(thread.getThreadId());
        if (nanos >= 0) {
          now.put(thread.getThreadId(), nanos);
        }
      }
    }
    alive.forEach((id, nanos) -> endedNanos += now.containsKey(id) ? 0 : nanos);
    alive.clear();
    alive.putAll(now);
    return endedNanos + now.values().stream().mapToLong(Long::longValue).sum();
  }
}
