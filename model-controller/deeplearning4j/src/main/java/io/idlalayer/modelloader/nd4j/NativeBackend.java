package io.idlalayer.modelloader.nd4j;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the native code of ND4J can be loaded on this machine. A platform for which it was not
 * brought has none; models that plain Java knows are then served in plain Java. Safe for several
 * threads.
 */
public final class NativeBackend {
  private static final Logger LOG = LoggerFactory.getLogger(NativeBackend.class);
  private static final Outcome OUTCOME = load();

  /**
   * What loading came to.
   *
   * @param obstacle why this machine has no such code; empty if it was loaded
   * @param refused what the product itself found wrong; null if nothing
   */
  private record Outcome(Optional<String> obstacle, @Nullable IllegalStateException refused) {}

  private NativeBackend() {}

  /**
   * Returns why the native code cannot be loaded, without a full stop; empty if it can. Only the
   * first call loads it.
   *
   * @throws IllegalStateException if the code is there but must not or cannot be used, such as that
   *     of another ND4J, or without space to unpack it; the message says what to do
   */
  public static Optional<String> obstacle() {
    if (OUTCOME.refused() != null) {
      throw new IllegalStateException(OUTCOME.refused().getMessage(), OUTCOME.refused());
    }
    return OUTCOME.obstacle();
  }

  private static Outcome load() {
    try {
      NativeMemory.takeOver();
      return new Outcome(Optional.empty(), null);
    } catch (LinkageError missing) {
      Throwable reason = missing;
      if (missing instanceof ExceptionInInitializerError && missing.getCause() != null) {
        reason = missing.getCause();
      }
      if (reason instanceof IllegalStateException refused) {
        return new Outcome(Optional.empty(), refused);
      }
      LOG.warn("the native code of ND4J cannot be loaded, so Deeplearning4j is not used", missing);
      while (reason.getCause() != null) {
        reason = reason.getCause();
      }
      return new Outcome(Optional.of(withoutStop(reason.toString())), null);
    }
  }

  /** Callers put the reason into a sentence of their own. */
  private static String withoutStop(String reason) {
    return reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason;
  }
}
