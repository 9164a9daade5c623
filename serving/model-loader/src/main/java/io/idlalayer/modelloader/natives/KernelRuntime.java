package io.idlalayer.modelloader.natives;

import java.util.Locale;

/** The runtime of the training kernels, on which the last bits of a training depend. */
public final class KernelRuntime {
  private static final String THREADS_VARIABLE = "OMP_NUM_THREADS";

  private KernelRuntime() {}

  /**
   * Returns the number of threads of the native kernels, on which the last bits of results depend.
   */
  public static int threads() {
    String set = System.getenv(THREADS_VARIABLE);
    if (set != null && set.matches("[1-9]\\d{0,3}")) {
      return Integer.parseInt(set);
    }
    return Runtime.getRuntime().availableProcessors();
  }

  /** Returns the Java version, the processor and the number of threads in one line. */
  public static String describe() {
    return String.format(
        Locale.ROOT,
        "Java %s on %s, %d threads",
        Runtime.version(),
        System.getProperty("os.arch"),
        threads());
  }
}
