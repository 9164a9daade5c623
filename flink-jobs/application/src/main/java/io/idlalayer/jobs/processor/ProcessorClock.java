package io.idlalayer.jobs.processor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongSupplier;

/** Tells how long the calling thread has run on a processor. Safe from any thread. */
final class ProcessorClock {
  private ProcessorClock() {}

  /**
   * Returns the clock of the JVM's threads, which asks the operating system: user and system time
   * of the calling thread together, in nanoseconds since it started. A reading takes less than a
   * microsecond. On a platform that does not measure threads, all times are 0.
   */
  static LongSupplier ofThreads() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
        ? threads::getCurrentThreadCpuTime
        : () -> 0;
  }
}
