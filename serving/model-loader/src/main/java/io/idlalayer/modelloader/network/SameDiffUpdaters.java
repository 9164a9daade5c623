package io.idlalayer.modelloader.network;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.nd4j.autodiff.samediff.SameDiff;

/** Makes the updaters of a SameDiff graph, which itself makes them in its first step. */
final class SameDiffUpdaters {
  private SameDiffUpdaters() {}

  /**
   * Makes them if there are none yet. There is no public way.
   *
   * @param graph with a training configuration
   */
  static void make(SameDiff graph) {
    try {
      Method method = SameDiff.class.getDeclaredMethod("initializeTraining");
      method.setAccessible(true);
      method.invoke(graph);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("the graph's updaters cannot be made", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of SameDiff makes updaters otherwise", e);
    }
  }
}
