package io.idlalayer.jobs.operator;

import io.idlalayer.modelloader.natives.LoaderRelease;
import io.idlalayer.modelloader.natives.NativeLibraries;
import org.apache.flink.api.common.functions.RuntimeContext;

/**
 * The class loader of a job. On a session cluster each job has its own class loader. When the tasks
 * of the job have ended, the JVM can free this class loader, unless something still refers to it.
 * If the classes of the product are beside the classes of Flink, in a folder {@code lib}, all jobs
 * of the process share them, and nothing is released.
 */
public final class JobClassLoader {
  private static final String HOOK = "io.idlalayer.natives";

  private JobClassLoader() {}

  /** Returns whether the classes of the product are unloaded with their job. */
  private static boolean ends() {
    return JobClassLoader.class.getClassLoader() != RuntimeContext.class.getClassLoader();
  }

  /**
   * Loads the native libraries for a task. They are released with the last task of the job in this
   * process. A task calls this method before it uses a native library.
   */
  static void enter(RuntimeContext context) {
    if (ends()) {
      context.registerUserCodeClassLoaderReleaseHookIfAbsent(HOOK, LoaderRelease::run);
    }
    NativeLibraries.ensure();
  }

  /** Releases the class loader of a program that has submitted its job. */
  public static void leave() {
    if (ends()) {
      LoaderRelease.run();
    }
  }
}
