package io.idlalayer.testkit;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyAttributes;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Decides how often tests try, and what. The gate tries as often as a test says, the same values
 * each time, so that one tree has one result. {@code ./idla verify --stress} sets the system
 * property {@value #FACTOR}: this hook then multiplies the tries of every jqwik property, and jqwik
 * draws the seed of each. jqwik finds the hook as a service.
 */
public final class Tries implements AroundPropertyHook {
  private static final String FACTOR = "idlalayer.tries.factor";
  private static final int TRIES_BY_DEFAULT = 100;

  /** Returns the number of repetitions of a test that is not a property. */
  public static int choose(int inTheGate, int underStress) {
    return factor() > 1 ? underStress : inTheGate;
  }

  private static int factor() {
    return Integer.getInteger(FACTOR, 1);
  }

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    PropertyAttributes attributes = context.attributes();
    int tries = attributes.tries().orElse(TRIES_BY_DEFAULT);
    // An example has one try, on an instance that it may change.
    if (factor() > 1 && tries > 1) {
      attributes.setTries(tries * factor());
    }
    if (factor() == 1 && attributes.seed().isEmpty()) {
      attributes.setSeed(Integer.toString(context.targetMethod().toGenericString().hashCode()));
    }
    return property.execute();
  }

  /** Runs before the hooks of jqwik, which read the number of tries. */
  @Override
  public int aroundPropertyProximity() {
    return -100;
  }
}
