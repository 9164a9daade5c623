package io.idlalayer.modelloader.network;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.nd4j.autodiff.samediff.SameDiff;

/**
 * Creates the updaters of a SameDiff graph before its first step, in which the graph itself would
 * create them.
 */
final class SameDiffUpdaters {
  private SameDiffUpdaters() {}

  /**
   * Creates the updaters if there are none yet, by reflection, since SameDiff offers no public way.
   *
   * @param graph graph with a training configuration
   */
  static void make(SameDiff graph) {
    try {
      Method method = SameDiff.class.getDeclaredMethod("initializeTraining");
      method.setAccessible(true);
      method.invoke(graph);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("the graph's updaters cannot be made", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "this version of SameDiff creates updaters in another way than the one that iDlaLayer was"
              + " built with",
          e);
    }
  }
}
