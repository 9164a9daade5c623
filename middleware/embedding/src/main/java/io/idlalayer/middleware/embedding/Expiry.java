package io.idlalayer.middleware.embedding;

import java.io.Serializable;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which rows are deleted. A row is idle from its last training on; it is deleted when one of the
 * three rules applies, the first of them that does is its reason.
 *
 * @param unusedSeconds rows that are idle for longer are deleted; 0 for never
 * @param rare bounds how often the id of a row came in new samples since it is counted
 * @param small bounds the L2 norm of a row's weights, vector and wide part together
 */
public record Expiry(double unusedSeconds, Bound rare, Bound small) implements Serializable {
  /** Rows stay for ever. */
  public static final Expiry NEVER = unused(0);

  /**
   * What a row must have in order to stay.
   *
   * @param below rows with less are deleted, 0 for none
   * @param unusedSeconds once they are idle for longer than this, at least 0
   */
  public record Bound(double below, double unusedSeconds) implements Serializable {
    public static final Bound NONE = new Bound(0, 0);
  }

  /** Why a row is deleted. */
  public enum Reason {
    /** Nobody used it for long. */
    UNUSED,
    /** Its id came seldom. */
    RARE,
    /** Its weights are almost zero. */
    SMALL,
    /** There were more rows, or bytes of them, than settings allow; nobody used it for longest. */
    EXCESS
  }

  /** By time alone. */
  public static Expiry unused(double seconds) {
    return new Expiry(seconds, Bound.NONE, Bound.NONE);
  }

  /** Whether rows are deleted at all. */
  boolean deletes() {
    return unusedSeconds > 0 || rare.below() > 0 || small.below() > 0;
  }

  /** Whether the count of an id without a row is deleted. */
  boolean forgets(long idleSeconds) {
    return unusedSeconds > 0 && idleSeconds > unusedSeconds;
  }

  /**
   * Why a row is deleted; null if it stays.
   *
   * @param idleSeconds since its last training; below 0 after the clock was set back
   * @param norm L2 norm of its weights; asked only if it matters. A row with one that is not a
   *     number stays
   */
  @Nullable Reason reason(long idleSeconds, int occurrences, DoubleSupplier norm) {
    if (forgets(idleSeconds)) {
      return Reason.UNUSED;
    }
    if (idleSeconds > rare.unusedSeconds() && occurrences < rare.below()) {
      return Reason.RARE;
    }
    boolean asks = small.below() > 0 && idleSeconds > small.unusedSeconds();
    return asks && norm.getAsDouble() < small.below() ? Reason.SMALL : null;
  }
}
