package io.idlalayer.modelloader.nd4j;

import io.idlalayer.modelloader.natives.KernelRuntime;
import java.util.Locale;
import org.nd4j.common.config.ND4JClassLoading;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The settings of Deeplearning4j's runtime on which the numbers of a training depend besides its
 * inputs.
 */
public final class Dl4jRuntime {
  private Dl4jRuntime() {}

  /**
   * Makes ND4J load its resources with the class loader of these classes. Otherwise it takes the
   * context loader of the first thread that uses it, which in a job is closed with the task.
   */
  public static void useOwnClassLoader() {
    ND4JClassLoading.setNd4jClassloaderFromClass(Dl4jRuntime.class);
  }

  /** Returns the backend, version and number of threads in one line. */
  public static String describe() {
    return String.format(
        Locale.ROOT,
        "ND4J %s %s, %d threads",
        version(),
        Nd4j.getBackend().getClass().getSimpleName(),
        KernelRuntime.threads());
  }

  /** Returns the version of ND4J, and of Deeplearning4j. */
  public static String version() {
    String version = Nd4j.class.getPackage().getImplementationVersion();
    return version == null ? "1.0.0-M2.1" : version;
  }
}
