package io.idlalayer.middleware.embedding.loops;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation of {@link RowLoops} with which this process computes embedding rows. The
 * process chooses and logs this implementation once, when it makes the first rows. All rows of a
 * process use one implementation, which the JVM's compiler can therefore inline.
 */
public final class ProcessLoops {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessLoops.class);
  private static final String MODULE = "jdk.incubator.vector";

  public static final RowLoops LOOPS = chosen();

  private ProcessLoops() {}

  private static RowLoops chosen() {
    boolean hasVectorApi = ModuleLayer.boot().findModule(MODULE).isPresent();
    RowLoopsChoice choice = RowLoopsChoice.of(hasVectorApi, ProcessLoops::vector);
    if (choice.failure() != null) {
      LOG.warn("the Vector API of this JVM is not used: {}", choice.failure());
    }
    LOG.info(
        "embedding rows are computed with {}{}",
        choice.loops().description(),
        hasVectorApi ? "" : "; with the Vector API if Java gets --add-modules " + MODULE);
    return choice.loops();
  }

  /**
   * Creates the implementation that uses the Vector API.
   *
   * @throws ReflectiveOperationException or a {@link LinkageError} if the JVM lacks a class or
   *     method that the implementation uses
   */
  static RowLoops vector() throws ReflectiveOperationException {
    // By name: the class cannot be loaded without the module.
    Class<?> vector = Class.forName(ProcessLoops.class.getPackageName() + ".VectorRowLoops");
    return (RowLoops) vector.getDeclaredConstructor().newInstance();
  }
}
