package io.idlalayer.datacontroller.settings;

import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import java.io.Serializable;

/**
 * Settings of a data controller.
 *
 * @param staging how samples get their life stages
 * @param replay which trained samples train again
 * @param maxSamples most stored samples
 * @param maxBytes most stored payload bytes
 * @param maxUnlabeled most samples that may wait for a label; the oldest goes first
 * @param eviction which samples leave a full store first
 */
public record DataSettings(
    Staging staging,
    Replay replay,
    int maxSamples,
    long maxBytes,
    int maxUnlabeled,
    Eviction eviction)
    implements Serializable {

  /** The oldest samples leave first. */
  public DataSettings(
      Staging staging, Replay replay, int maxSamples, long maxBytes, int maxUnlabeled) {
    this(staging, replay, maxSamples, maxBytes, maxUnlabeled, Eviction.OLDEST);
  }

  /** How a contribution is measured (specs, iDlaLayer 1.2 point 3). */
  public enum ContributionMode {
    /** Smoothed prequential loss minus the loss after the update, not below 0. */
    GAIN,
    /** The loss after the update: the literal reading of Rang 2021. */
    LOSS,
    /** Smoothed loss after the update beyond that of a model trained on other samples. */
    REDUCIBLE_LOSS,
    /** Bound of the norm of the sample's gradient after the update. */
    GRADIENT_NORM
  }

  /** The source of a score. */
  public enum Score {
    /** The rank of the contribution. */
    CONTRIBUTION,
    /** The prediction of the Takagi-Sugeno model, once it is better than none. */
    FITTED,
    /** The rules of an FCL file. */
    RULES,
    /** How often the content has arrived; asks for no contribution. */
    FREQUENCY
  }

  /** Which samples leave a full store first. Those that cannot train any more always do. */
  public enum Eviction {
    /** Discard, then Mature, then Preserve; the lowest scores of these two. */
    STAGES,
    /** The oldest. */
    OLDEST,
    /** The contribution is a random number that each sample keeps. */
    RANDOM
  }

  /**
   * The settings by which samples get their life stages.
   *
   * @param rules text text of an FCL file, used with {@link Score#RULES}
   * @param rulesName name of the rules, for messages
   * @param engine the engine that evaluates the rules
   * @param maxAgeUpdates number of updates after which a Preserve or Mature sample that none of
   *     them trained goes one stage down; 0 for never
   */
  public record Staging(
      ContributionMode contribution,
      Score score,
      String rules,
      String rulesName,
      FuzzyEngines.Kind engine,
      int maxAgeUpdates)
      implements Serializable {
    /** Returns the defaults of the design. */
    public static Staging defaults() {
      return new Staging(
          ContributionMode.GAIN,
          Score.FREQUENCY,
          DefaultRules.TEXT,
          DefaultRules.NAME,
          FuzzyEngines.Kind.BUILT_IN,
          200);
    }

    /** Returns these settings with another mode. */
    public Staging with(ContributionMode mode) {
      return new Staging(mode, score, rules, rulesName, engine, maxAgeUpdates);
    }

    /** Returns these settings with another score. */
    public Staging with(Score other) {
      return new Staging(contribution, other, rules, rulesName, engine, maxAgeUpdates);
    }
  }

  /** The policy that chooses the samples to replay. */
  public enum Policy {
    /** Life stages and the trend of the loss: trains where there is something to learn. */
    FUZZY,
    /** A share of each life stage, best scores first: the formula of Rang 2021. */
    STAGE_SHARES,
    /** A fresh random draw for every update. */
    UNIFORM,
    /** The newest. */
    NEWEST_WINDOW,
    /** A random sample of all that ever arrived, kept over time. */
    RESERVOIR,
    /** The greatest last losses. */
    LOSS,
    /** The greatest gradient norms. */
    GRADIENT_NORM,
    /** The greatest reducible losses. */
    REDUCIBLE_LOSS,
    /** An equal number of each class, drawn at random. */
    CLASS_BALANCED
  }

  /**
   * Which trained samples train again.
   *
   * @param ratios shares of the trained stages; where {@code search} starts
   * @param search whether the shares follow what helped before
   * @param budget most replayed samples of one update, 0 for none
   * @param steadyShare with {@link Policy#FUZZY}, the part of the budget, 0 to 1, that is replayed
   *     while the loss does not rise
   * @param newborns with {@link Policy#FUZZY}, which new samples train
   */
  public record Replay(
      Policy policy,
      Ratios ratios,
      boolean search,
      int budget,
      double steadyShare,
      Newborns newborns)
      implements Serializable {
    /** Returns the defaults of the design. */
    public static Replay defaults() {
      return new Replay(Policy.FUZZY, new Ratios(1, 1, 0.25), false, 256, 0.25, Newborns.ALL);
    }

    /** Every new sample trains, and always the whole budget. */
    public static Replay of(Policy policy, Ratios ratios, boolean search, int budget) {
      return new Replay(policy, ratios, search, budget, 1, Newborns.ALL);
    }
  }

  /** Which new samples train. */
  public enum Newborns {
    /** All. */
    ALL,
    /** Samples that the model does not know yet, and a few of the others. */
    OPEN
  }

  /** Fractions of Mature, Preserve and Discard samples that train again (beta, gamma, delta). */
  public record Ratios(double mature, double preserve, double discard) implements Serializable {}

  /** Returns whether the settings need the reducible part of losses. */
  public boolean needsHeldOutModel() {
    return staging.contribution() == ContributionMode.REDUCIBLE_LOSS
        || replay.policy() == Policy.REDUCIBLE_LOSS;
  }

  /** Returns the defaults of the design. */
  public static DataSettings defaults() {
    return new DataSettings(Staging.defaults(), Replay.defaults(), 1_000_000, 1L << 30, 100_000);
  }
}
