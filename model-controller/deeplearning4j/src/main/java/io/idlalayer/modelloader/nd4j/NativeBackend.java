package io.idlalayer.modelloader.nd4j;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the native code of ND4J can be loaded on this machine. A platform for which it was not
 * brought has none; models that plain Java knows are then served in plain Java. Safe for several
 * threads.
 */
public final class NativeBackend {
  private static final Logger LOG = LoggerFactory.getLogger(NativeBackend.class);
  private static final Optional<String> OBSTACLE = load();

  private NativeBackend() {}

  /** Returns why it cannot be loaded; empty if it can. Only the first call loads it. */
  public static Optional<String> obstacle() {
    return OBSTACLE;
  }

  private static Optional<String> load() {
    try {
      NativeMemory.takeOver();
      return Optional.empty();
    } catch (LinkageError missing) {
      Throwable reason = missing;
      while (reason.getCause() != null) {
        reason = reason.getCause();
      }
      LOG.warn("the native code of ND4J cannot be loaded, so Deeplearning4j is not used", missing);
      return Optional.of(String.valueOf(reason.getMessage()));
    }
  }
}
