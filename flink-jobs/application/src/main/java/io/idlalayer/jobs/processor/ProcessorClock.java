package io.idlalayer.jobs.processor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Tells how long the calling thread has run on a processor. Safe from any thread. */
@FunctionalInterface
public interface ProcessorClock {
  /** Measures nothing: every time is 0. */
  ProcessorClock NONE = () -> 0;

  /**
   * Returns the processor time of the calling thread, user and system together, in nanoseconds
   * since the thread started.
   */
  long threadNanos();

  /**
   * Returns the clock of the JVM's threads, which asks the operating system. A reading takes less
   * than a microsecond. On a platform that does not measure threads it is {@link #NONE}.
   */
  static ProcessorClock ofThreads() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
        ? threads::getCurrentThreadCpuTime
        : NONE;
  }
}
