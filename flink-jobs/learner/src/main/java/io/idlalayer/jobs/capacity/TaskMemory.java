package io.idlalayer.jobs.capacity;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * The memory for learners: the sizes of one process that runs tasks, and the number of such
 * processes.
 *
 * @param heapBytes largest heap of one process
 * @param directBytes largest memory outside of the heap that one process is allowed to allocate
 * @param processes number of processes that share the learners, at least 1
 * @param settings the settings that change the two sizes
 */
public record TaskMemory(long heapBytes, long directBytes, int processes, Settings settings) {
  public TaskMemory {
    if (heapBytes < 1 || directBytes < 0 || processes < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "heapBytes=%d, directBytes=%d, processes=%d",
              heapBytes,
              directBytes,
              processes));
    }
  }

  /**
   * The names of the settings that determine the two sizes, for messages; {@code %d} stands for
   * mebibytes.
   *
   * @param heap setting of the heap, such as {@code IDLA_HEAP=%dm}
   * @param direct setting of the other memory, such as {@code
   *     IDLA_JAVA_OPTS=-XX:MaxDirectMemorySize=%dm}
   */
  public record Settings(String heap, String direct) {
    /** The settings of a process that the launcher starts. */
    static final Settings LAUNCHER =
        new Settings("IDLA_HEAP=%dm", "IDLA_JAVA_OPTS=-XX:MaxDirectMemorySize=%dm");
  }

  /** Returns the memory of this process, which runs all tasks itself. */
  public static TaskMemory ofThisProcess() {
    return new TaskMemory(
        Runtime.getRuntime().maxMemory(), directBytesOfThisProcess(), 1, Settings.LAUNCHER);
  }

  /**
   * Returns the limit of {@code -XX:MaxDirectMemorySize}; the size of the heap if this option is
   * not set.
   */
  private static long directBytesOfThisProcess() {
    HotSpotDiagnosticMXBean jvm =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long given = Long.parseLong(jvm.getVMOption("MaxDirectMemorySize").getValue());
    return given == 0 ? Runtime.getRuntime().maxMemory() : given;
  }
}
