package io.idlalayer.testkit;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyAttributes;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Multiplies the tries of every property by the system property {@value Stress#FACTOR}. The gate
 * tries as often as a property says; {@code ./idla verify --stress} tries many times as often.
 * Leaves out what is marked with {@link FixedTries}. Found by jqwik as a service.
 */
public final class Tries implements AroundPropertyHook {
  private static final int TRIES_BY_DEFAULT = 100;

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    int factor = Stress.factor();
    boolean fixed =
        context.targetMethod().isAnnotationPresent(FixedTries.class)
            || context.containerClass().isAnnotationPresent(FixedTries.class);
    PropertyAttributes attributes = context.attributes();
    if (factor > 1 && !fixed) {
      attributes.setTries(attributes.tries().orElse(TRIES_BY_DEFAULT) * factor);
    }
    return property.execute();
  }

  /** Runs before the hooks of jqwik, which read the number of tries. */
  @Override
  public int aroundPropertyProximity() {
    return -100;
  }
}
