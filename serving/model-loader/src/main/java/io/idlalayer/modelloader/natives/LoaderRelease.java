package io.idlalayer.modelloader.natives;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.runtime.ObjectMethods;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases the class loader of the product's classes when its job has ended. To do so, it ends the
 * threads of JavaCPP and ND4J, which wait for garbage for ever and keep their classes in memory. No
 * class of this class loader may be used afterwards.
 *
 * <p>Safe for several threads.
 */
public final class LoaderRelease {
  /** Longest wait in seconds for the end of one thread. */
  private static final long MOST_SECONDS = 2;

  private static final Logger LOG = LoggerFactory.getLogger(LoaderRelease.class);
  private static final List<Runnable> ACTIONS = new CopyOnWriteArrayList<>();

  private LoaderRelease() {}

  /** Adds an action for the release; it runs after the threads of libraries have ended. */
  public static void add(Runnable action) {
    ACTIONS.add(action);
  }

  /** Ends the threads whose class this class loader has defined, and runs the actions. */
  public static void run() {
    ClassLoader loader = LoaderRelease.class.getClassLoader();
    List<Thread> threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getClass().getClassLoader() == loader)
            .filter(thread -> thread != Thread.currentThread())
            .toList();
    threads.forEach(Thread::interrupt);
    threads.forEach(LoaderRelease::awaitEnd);
    ACTIONS.forEach(Runnable::run);
    forgetRecords();
  }

  /**
   * Makes Java forget the records of this class loader. Java's code that compares components of
   * records remembers the last type for which it was created, so a class of the ended job would
   * stay in memory until the next job. This method makes Java create the code once more, for a
   * class of Java. Only versions before Java 18 need this.
   */
  private static void forgetRecords() {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    try {
      MethodHandle component =
          lookup.findVirtual(String.class, "strip", MethodType.methodType(String.class));
      for (String method : List.of("equals", "hashCode", "toString")) {
        ObjectMethods.bootstrap(
            lookup, method, MethodHandle.class, String.class, "text", component);
      }
    } catch (Throwable other) {
      LOG.warn("classes of a job that has ended may stay in memory until the next job", other);
    }
  }

  /**
   * Waits for the end of a thread that was interrupted. If the thread goes on, the log names it,
   * because it keeps the classes of its job in memory.
   */
  public static void awaitEnd(Thread thread) {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(MOST_SECONDS));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn(
          "thread {} goes on after the end of its job, and keeps its classes in memory",
          thread.getName());
    }
  }
}
