package io.idlalayer.middleware.embedding;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loops that this process computes rows with. They are chosen once, and said in the log, when
 * the first rows are made. All rows of a process have the same, so the JVM's compiler sees one
 * implementation and makes its code a part of the loops around it.
 */
final class ProcessLoops {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessLoops.class);
  private static final String MODULE = "jdk.incubator.vector";

  static final RowLoops LOOPS = chosen();

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
   * The loops with the Vector API.
   *
   * @throws ReflectiveOperationException or a {@link LinkageError} if the JVM does not have what
   *     they use
   */
  static RowLoops vector() throws ReflectiveOperationException {
    // By name: the class cannot be loaded without the module.
    Class<?> vector = Class.forName(ProcessLoops.class.getPackageName() + ".VectorRowLoops");
    return (RowLoops) vector.getDeclaredConstructor().newInstance();
  }
}
