package io.idlalayer.jobs.terminal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl-C and other requests to end the process: after the first request the command ends cleanly; a
 * second request ends the process at once. A shutdown hook is not enough: Flink's own hooks run at
 * the same time and close resources that the last savepoint needs.
 *
 * <p>The JDK's class for this, {@code sun.misc.Signal}, is called by reflection, because javac's
 * warning about its use cannot be switched off.
 */
public final class StopSignals implements AutoCloseable {
  private static final List<String> NAMES = List.of("INT", "TERM", "HUP");
  private static final int INTERRUPTED_CODE = 130;

  private final AtomicInteger received = new AtomicInteger();
  private final List<Runnable> restores = new ArrayList<>();

  public StopSignals() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Method handle = signal.getMethod("handle", signal, handler);
      Object ours =
          Proxy.newProxyInstance(
              StopSignals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> called(proxy, method, arguments));
      for (String name : NAMES) {
        Object each = signal.getConstructor(String.class).newInstance(name);
        Object before = handle.invoke(null, each, ours);
        restores.add(() -> restore(handle, each, before));
      }
    } catch (ReflectiveOperationException unavailable) {
      throw new IllegalStateException("this JVM does not support signal handlers", unavailable);
    }
  }

  /** Returns whether the process was asked to end. Safe from any thread. */
  public boolean received() {
    return received.get() > 0;
  }

  private Object called(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "handle" -> {
        if (received.incrementAndGet() > 1) {
          Runtime.getRuntime().halt(INTERRUPTED_CODE);
        }
        return proxy;
      }
      case "equals" -> {
        return proxy == arguments[0];
      }
      case "hashCode" -> {
        return System.identityHashCode(proxy);
      }
      default -> {
        return "stop signals";
      }
    }
  }

  private static void restore(Method handle, Object signal, Object before) {
    try {
      handle.invoke(null, signal, before);
    } catch (IllegalAccessException | InvocationTargetException unexpected) {
      throw new IllegalStateException(
          "cannot restore the previous handler of a signal", unexpected);
    }
  }

  @Override
  public void close() {
    restores.forEach(Runnable::run);
  }
}
