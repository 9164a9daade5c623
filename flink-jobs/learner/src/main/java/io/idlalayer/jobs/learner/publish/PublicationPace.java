package io.idlalayer.jobs.learner.publish;

import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the next accepted model can be published. Until then the model waits. If another
 * model is accepted first, it replaces the waiting model. Confined to one thread.
 *
 * <ul>
 *   <li>With a time in {@code publishing.every}: when this time has passed since the previous
 *       publication.
 *   <li>With {@code auto}: when the wait of the samples that are learned but not published has cost
 *       as much as a publication does, and at the latest {@link #MOST_MILLIS} after the previous
 *       publication. The costs are those of the update rules: a sample that waits for a second
 *       costs 1, and a second of processor time costs {@code
 *       update.waiting-samples-per-training-second}. So no wait costs more than the publication
 *       that it saves.
 *   <li>If models are mixed, a model possibly has to wait until a version contains the previous
 *       contribution.
 * </ul>
 */
public final class PublicationPace {
  /**
   * Most milliseconds between two publications with {@code auto}, if a model waits for the second.
   */
  static final long MOST_MILLIS = 100;

  private static final double MILLIS_PER_SECOND = 1e3;

  private final boolean auto;
  private final long everyMillis;
  private final double weight;
  private final DoubleSupplier publicationSeconds;
  private long dueAtMillis = Long.MIN_VALUE;
  private long pausedUntilMillis = Long.MIN_VALUE;

  /** Number of samples that are learned but not published. */
  private long samples;

  /** Cost of the waiting of these samples up to {@link #chargedMillis}, in sample-milliseconds. */
  private double charge;

  private long chargedMillis;

  /**
   * @param everySeconds least time between two publications, at least 0; null for {@code auto}
   * @param weight number of samples whose wait of a second costs as much as a processor second
   * @param publicationSeconds returns the processor seconds of a publication; while that is 0,
   *     {@code auto} publishes each model
   */
  PublicationPace(@Nullable Double everySeconds, double weight, DoubleSupplier publicationSeconds) {
    auto = everySeconds == null;
    everyMillis = everySeconds == null ? MOST_MILLIS : Math.round(everySeconds * MILLIS_PER_SECOND);
    this.weight = weight;
    this.publicationSeconds = publicationSeconds;
  }

  /**
   * Records that a model is accepted.
   *
   * @param newSamples number of samples that the model is the first to have learned
   */
  void accepted(int newSamples, long nowMillis) {
    // The clock can have been set back.
    charge += samples * (double) Math.max(0, nowMillis - chargedMillis);
    samples += newSamples;
    chargedMillis = nowMillis;
  }

  /** Records that a model is published. It contains all samples that were learned so far. */
  void published(long nowMillis) {
    dueAtMillis = nowMillis + everyMillis;
    chargedMillis = nowMillis;
    nothingWaits();
  }

  /** Records that no learned sample waits for a publication: its model is published or dropped. */
  void nothingWaits() {
    samples = 0;
    charge = 0;
  }

  /**
   * Makes accepted models wait until a given time. A time in the past ends the wait.
   *
   * @param untilMillis milliseconds of the learner's clock
   */
  public void pause(long untilMillis) {
    pausedUntilMillis = untilMillis;
  }

  /**
   * Returns when the next accepted model can be published, in milliseconds of the learner's clock.
   */
  long dueMillis() {
    long due = auto ? Math.min(dueAtMillis, paidMillis()) : dueAtMillis;
    return Math.max(due, pausedUntilMillis);
  }

  /** Returns when the wait of the samples has cost as much as a publication. */
  private long paidMillis() {
    double left = weight * publicationSeconds.getAsDouble() * MILLIS_PER_SECOND - charge;
    if (left <= 0) {
      return chargedMillis;
    }
    return samples == 0 || left > samples * (double) MOST_MILLIS
        ? Long.MAX_VALUE
        : chargedMillis + (long) Math.ceil(left / samples);
  }
}
