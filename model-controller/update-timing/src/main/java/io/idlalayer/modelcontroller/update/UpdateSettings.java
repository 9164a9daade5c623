package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.drift.DriftSettings;
import java.io.Serializable;
import java.util.Locale;

/**
 * The settings of an update controller.
 *
 * @param weight w: number of samples whose wait of one second costs as much as one second of
 *     training, above 0
 * @param drift whether lost quality makes updates more urgent
 * @param machinePricePerSecond price of a second of training in money, 0 if unknown; only
 *     displayed, since rules use {@code weight}
 */
public record UpdateSettings(
    RuleName rule,
    double weight,
    Tuning tuning,
    Limits limits,
    DriftSettings drift,
    double machinePricePerSecond)
    implements Serializable {

  /** Creates settings without a price of machine time in money. */
  public UpdateSettings(
      RuleName rule, double weight, Tuning tuning, Limits limits, DriftSettings drift) {
    this(rule, weight, tuning, limits, drift, 0);
  }

  /** The update rules that an application can choose. */
  public enum RuleName {
    DLA,
    AREA,
    ADAPTIVE,
    DLA_RANDOM,
    BEST_EFFORT,
    SPECULATIVE,
    PERIODIC,
    COUNT,
    MANUAL,
    PAPER;

    /** Returns the name used in the application file. */
    public String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** The time at which {@code dla-random} draws its threshold. */
  public enum Draw {
    /** One draw for the whole run, for which the factor e/(e-1) is proved. */
    RUN,
    /** A new draw after every update. Costs are lower in practice, but no factor is proved. */
    UPDATE
  }

  /**
   * The parameters of all rules. Each rule reads only its own parameters. Callers begin with {@link
   * #defaults()} and change single parameters.
   *
   * @param zeta threshold factor of {@code dla}, above 0
   * @param omega threshold factor of {@code area}, above 0
   * @param rho factor within which {@code adaptive} keeps the cost of the schedule relative to the
   *     optimum, at least 2
   * @param includeNewest whether {@code dla} and {@code area} train the arrival that made them fire
   * @param seed seed of {@code dla-random}
   * @param periodSeconds period of {@code periodic}
   * @param count batch size of {@code count}
   */
  public record Tuning(
      double zeta,
      double omega,
      double rho,
      boolean includeNewest,
      Draw draw,
      long seed,
      double periodSeconds,
      int count)
      implements Serializable {
    /** Returns the default parameters of all rules. */
    public static Tuning defaults() {
      return new Tuning(1, 1, 2, false, Draw.RUN, 1, 30, 1000);
    }

    /** Returns these parameters with another threshold factor of {@code dla}. */
    public Tuning withZeta(double other) {
      return new Tuning(other, omega, rho, includeNewest, draw, seed, periodSeconds, count);
    }

    /** Returns these parameters with another threshold factor of {@code area}. */
    public Tuning withOmega(double other) {
      return new Tuning(zeta, other, rho, includeNewest, draw, seed, periodSeconds, count);
    }

    /** Returns these parameters with another bound of {@code adaptive}. */
    public Tuning withRho(double other) {
      return new Tuning(zeta, omega, other, includeNewest, draw, seed, periodSeconds, count);
    }

    /**
     * Returns these parameters with another choice whether a training includes the arrival that
     * makes the rule fire.
     */
    public Tuning withIncludeNewest(boolean other) {
      return new Tuning(zeta, omega, rho, other, draw, seed, periodSeconds, count);
    }

    /**
     * Returns these parameters with another choice of when {@code dla-random} draws its threshold.
     */
    public Tuning withDraw(Draw other) {
      return new Tuning(zeta, omega, rho, includeNewest, other, seed, periodSeconds, count);
    }

    /** Returns these parameters with another seed. */
    public Tuning withSeed(long other) {
      return new Tuning(zeta, omega, rho, includeNewest, draw, other, periodSeconds, count);
    }

    /** Returns these parameters with another period of {@code periodic}. */
    public Tuning withPeriodSeconds(double other) {
      return new Tuning(zeta, omega, rho, includeNewest, draw, seed, other, count);
    }

    /** Returns these parameters with another number of samples of {@code count}. */
    public Tuning withCount(int other) {
      return new Tuning(zeta, omega, rho, includeNewest, draw, seed, periodSeconds, other);
    }
  }

  /**
   * The hard limits of update times, which take precedence over the rule. When a limit decides, the
   * rule's bound on costs does not hold.
   *
   * @param maxBatch largest number of new samples of one update, which bounds the memory of a
   *     training
   * @param maxWaitSeconds longest wait of a sample before an update fires; 0 for no limit
   * @param minIntervalSeconds shortest time from the start of an update to the start of the next; 0
   *     for no limit
   */
  public record Limits(int maxBatch, double maxWaitSeconds, double minIntervalSeconds)
      implements Serializable {
    /** Returns the default limits: only a largest batch, which bounds the memory of a training. */
    public static Limits defaults() {
      return new Limits(16_384, 0, 0);
    }
  }

  /** Returns the defaults: {@code adaptive} with w = 1,000. */
  public static UpdateSettings defaults() {
    return of(RuleName.ADAPTIVE, 1_000);
  }

  /** Returns the settings of a rule with default parameters and limits. */
  public static UpdateSettings of(RuleName rule, double weight) {
    return new UpdateSettings(
        rule, weight, Tuning.defaults(), Limits.defaults(), DriftSettings.defaults());
  }

  /** Returns these settings with other parameters of rules. */
  public UpdateSettings with(Tuning other) {
    return new UpdateSettings(rule, weight, other, limits, drift, machinePricePerSecond);
  }

  /** Returns these settings with other limits. */
  public UpdateSettings with(Limits other) {
    return new UpdateSettings(rule, weight, tuning, other, drift, machinePricePerSecond);
  }
}
