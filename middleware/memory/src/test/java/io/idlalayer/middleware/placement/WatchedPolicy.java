package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Does what a policy does, and tells a watcher of each call first. */
public final class WatchedPolicy {
  private WatchedPolicy() {}

  /**
   * Watches a policy.
   *
   * @param watcher whose answers are ignored
   */
  public static PlacementPolicy of(PlacementPolicy policy, PlacementPolicy watcher) {
    return (PlacementPolicy)
        Proxy.newProxyInstance(
            WatchedPolicy.class.getClassLoader(),
            new Class<?>[] {PlacementPolicy.class},
            (proxy, method, arguments) -> {
              try {
                method.invoke(watcher, arguments);
                return method.invoke(policy, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }
}
