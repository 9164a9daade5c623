package io.idlalayer.middleware.embedding.settings;

import java.io.Serializable;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The setting that says which embedding rows are deleted. A row is idle since its last training. It
 * is deleted when one of three rules applies; the first one that applies is the reason.
 *
 * @param unusedSeconds rows that are idle for longer are deleted; 0 for never
 * @param rare least number of occurrences of the id in new samples, since they are counted
 * @param small least L2 norm of the weights, vector and wide part together
 */
public record Expiry(double unusedSeconds, Bound rare, Bound small) implements Serializable {
  /** Deletes no rows. */
  public static final Expiry NEVER = unused(0);

  /**
   * A rule that deletes a row that is idle for long and has a value below a bound.
   *
   * @param below rows with a smaller value are deleted; 0 deletes none
   * @param unusedSeconds how long such a row must be idle before, at least 0
   */
  public record Bound(double below, double unusedSeconds) implements Serializable {
    public static final Bound NONE = new Bound(0, 0);
  }

  /** The reasons for which a row is deleted. */
  public enum Reason {
    /** The row was not used for long. */
    UNUSED,
    /** The row was not used for a while, and its id occurred rarely. */
    RARE,
    /** The row was not used for a while, and its weights are almost zero. */
    SMALL,
    /**
     * The tables had more rows or bytes than the settings allow, and the row was unused for the
     * longest time.
     */
    EXCESS
  }

  /** Creates a setting that deletes rows by their idle time alone. */
  public static Expiry unused(double seconds) {
    return new Expiry(seconds, Bound.NONE, Bound.NONE);
  }

  /** Returns whether this setting deletes any rows. */
  public boolean deletes() {
    return unusedSeconds > 0 || rare.below() > 0 || small.below() > 0;
  }

  /** Returns whether the count of an id without a row is deleted after this idle time. */
  public boolean forgets(long idleSeconds) {
    return unusedSeconds > 0 && idleSeconds > unusedSeconds;
  }

  /**
   * Returns the reason for which a row is deleted, null if the row stays.
   *
   * @param idleSeconds since its last training; below 0 after the clock was set back
   * @param norm L2 norm of its weights, computed only if a rule needs it; a row whose norm is not a
   *     number stays
   */
  public @Nullable Reason reason(long idleSeconds, int occurrences, DoubleSupplier norm) {
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
