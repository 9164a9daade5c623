package io.idlalayer.benchmarks.campaign.process;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A serving process as a user might run it: follows an application with a loader whose native
 * allocations fail while a file says so. It is started with the class path of the build under test,
 * and uses reflection so that it works with every build: {@code SubscriberProbe MODELS APPLICATION
 * FILE}.
 */
public final class SubscriberProbe {
  /** Where the types are, in this build and in the ones before the module was split. */
  private static final List<String> PACKAGES =
      List.of("models.store.", "models.serve.", "checkpoint.");

  private SubscriberProbe() {}

  public static void main(String[] args) throws Exception {
    Class<?> storeType = type("ModelStore");
    Object store =
        storeType
            .getConstructor(Path.class, InstantSource.class)
            .newInstance(Path.of(args[0]), InstantSource.system());
    Object subscription =
        constructor(type("ModelSubscriber$Subscription"), 4)
            .newInstance(store, args[1], 0, Duration.ofMillis(100));
    Class<?> loaderType = type("ModelLoader");
    Object loader =
        Proxy.newProxyInstance(
            loaderType.getClassLoader(),
            new Class<?>[] {loaderType},
            (proxy, method, values) -> loaded(method, values, Path.of(args[2])));
    Class<?> type = type("ModelSubscriber");
    Object subscriber =
        constructor(type, 3).newInstance(subscription, loader, InstantSource.system());
    start(type, subscriber);
    Method status = type.getMethod("status");
    while (true) {
      Thread.sleep(500);
      System.out.println("status: " + status.invoke(subscriber));
    }
  }

  private static Class<?> type(String name) throws ClassNotFoundException {
    ClassNotFoundException nowhere =
        new ClassNotFoundException(name + " is in none of " + PACKAGES);
    for (String candidate : PACKAGES) {
      try {
        return Class.forName("io.idlalayer.middleware." + candidate + name);
      } catch (ClassNotFoundException elsewhere) {
        nowhere.addSuppressed(elsewhere);
      }
    }
    throw nowhere;
  }

  private static Constructor<?> constructor(Class<?> type, int parameters)
      throws NoSuchMethodException {
    for (Constructor<?> constructor : type.getConstructors()) {
      if (constructor.getParameterCount() == parameters) {
        return constructor;
      }
    }
    throw new NoSuchMethodException(
        "a public constructor of %s with %d parameters".formatted(type, parameters));
  }

  private static @Nullable Object loaded(Method method, Object[] values, Path control)
      throws Exception {
    if (!method.getName().equals("load")) {
      return null;
    }
    if (Files.readString(control).trim().equals("OUT_OF_MEMORY_LOADING")) {
      System.out.println("probe: the allocation fails");
      throw new OutOfMemoryError("injected: a native allocation failed");
    }
    Object manifest = values[0].getClass().getMethod("manifest").invoke(values[0]);
    Object version = manifest.getClass().getMethod("version").invoke(manifest);
    System.out.println("probe v" + version + " loaded");
    return version;
  }

  /** Without notices, and with a listener where one is asked for. */
  private static void start(Class<?> type, Object subscriber) throws Exception {
    for (Method method : type.getMethods()) {
      if (method.getName().equals("start")) {
        Object[] values = new Object[method.getParameterCount()];
        for (int i = 0; i < values.length; i++) {
          if (method.getParameterTypes()[i] == Consumer.class) {
            Consumer<Object> refused = reason -> System.out.println("refused: " + reason);
            values[i] = refused;
          }
        }
        method.invoke(subscriber, values);
        return;
      }
    }
    throw new NoSuchMethodException("ModelSubscriber.start");
  }
}
