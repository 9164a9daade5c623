package io.idlalayer.datacontroller.settings;

import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import io.idlalayer.middleware.sample.HashKey;
import java.io.Serializable;

/**
 * Settings of a data controller.
 *
 * @param staging how samples get their life stages
 * @param replay which trained samples are trained again
 * @param maxSamples largest number of stored samples
 * @param maxBytes largest number of stored payload bytes
 * @param maxUnlabeled largest number of samples that wait for a label; if there are more, the
 *     oldest is deleted
 * @param eviction which samples are evicted first from a full store
 * @param labelWaitMillis longest time that a label waits for the features of its event
 * @param hashKey secret key of the hashes by which events are found by their ids
 * @param defaultWeight weight of a sample whose events have none, at least 0; NaN if such a sample
 *     is incomplete
 * @param defaultLabel label of an event whose label never comes
 * @param forget whether the model can forget withdrawn samples, and within what time
 */
public record DataSettings(
    Staging staging,
    Replay replay,
    int maxSamples,
    long maxBytes,
    int maxUnlabeled,
    Eviction eviction,
    long labelWaitMillis,
    HashKey hashKey,
    double defaultWeight,
    DefaultLabel defaultLabel,
    ForgetSettings forget)
    implements Serializable {
  /** Default of the time that a label waits: an hour. */
  public static final long LABEL_WAIT_MILLIS = 3_600_000;

  /** Creates settings with which an event whose label never comes stays without a label. */
  public DataSettings(
      Staging staging,
      Replay replay,
      int maxSamples,
      long maxBytes,
      int maxUnlabeled,
      Eviction eviction,
      long labelWaitMillis,
      HashKey hashKey,
      double defaultWeight) {
    this(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        labelWaitMillis,
        hashKey,
        defaultWeight,
        DefaultLabel.NONE,
        ForgetSettings.NONE);
  }

  /** Creates settings whose hashes have no secret key. */
  public DataSettings(
      Staging staging,
      Replay replay,
      int maxSamples,
      long maxBytes,
      int maxUnlabeled,
      Eviction eviction) {
    this(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        LABEL_WAIT_MILLIS,
        HashKey.NONE,
        Double.NaN);
  }

  /** Returns these settings with another key of the hashes of events' ids. */
  public DataSettings with(HashKey other) {
    return new DataSettings(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        labelWaitMillis,
        other,
        defaultWeight,
        defaultLabel,
        forget);
  }

  /** Returns these settings with another weight for samples whose events have none. */
  public DataSettings withDefaultWeight(double weight) {
    return new DataSettings(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        labelWaitMillis,
        hashKey,
        weight,
        defaultLabel,
        forget);
  }

  /** Returns these settings with another time that a label waits for the features of its event. */
  public DataSettings withLabelWait(long millis) {
    return new DataSettings(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        millis,
        hashKey,
        defaultWeight,
        defaultLabel,
        forget);
  }

  /** Returns these settings with another default label. */
  public DataSettings with(DefaultLabel other) {
    return new DataSettings(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        labelWaitMillis,
        hashKey,
        defaultWeight,
        other,
        forget);
  }

  /** Returns these settings with other settings of forgetting. */
  public DataSettings with(ForgetSettings other) {
    return new DataSettings(
        staging,
        replay,
        maxSamples,
        maxBytes,
        maxUnlabeled,
        eviction,
        labelWaitMillis,
        hashKey,
        defaultWeight,
        defaultLabel,
        other);
  }

  /** Creates settings by which the oldest samples are evicted first. */
  public DataSettings(
      Staging staging, Replay replay, int maxSamples, long maxBytes, int maxUnlabeled) {
    this(staging, replay, maxSamples, maxBytes, maxUnlabeled, Eviction.OLDEST);
  }

  /**
   * The ways to measure the contribution of a sample to an update (specs, iDlaLayer 1.2 point 3).
   */
  public enum ContributionMode {
    /** The smoothed prequential loss minus the loss after the update, at least 0. */
    GAIN,
    /** The loss after the update: the literal reading of Rang 2021. */
    LOSS,
    /**
     * The loss after the update minus the loss with a model that was trained on other samples,
     * smoothed.
     */
    REDUCIBLE_LOSS,
    /** An upper bound of the norm of the sample's gradient after the update. */
    GRADIENT_NORM
  }

  /** The sources of a sample's score, which decides its life stage. */
  public enum Score {
    /** The rank of the sample's contribution among the contributions of the update's samples. */
    CONTRIBUTION,
    /**
     * The prediction of the Takagi-Sugeno model, as soon as this model predicts better than no
     * model.
     */
    FITTED,
    /** The rules of an FCL file. */
    RULES,
    /** The number of arrivals of the sample's content; needs no contribution. */
    FREQUENCY
  }

  /**
   * The orders in which samples are evicted from a full store. Samples that cannot train any more
   * are always evicted first.
   */
  public enum Eviction {
    /**
     * Evicts Discard first, then Mature, then Preserve; in Mature and Preserve, the samples with
     * the lowest scores first.
     */
    STAGES,
    /** Evicts the oldest samples first. */
    OLDEST,
    /** Evicts in the order of a random number that each sample keeps. */
    RANDOM
  }

  /**
   * The settings by which samples get their life stages.
   *
   * @param rules text text of an FCL file, used with {@link Score#RULES}
   * @param rulesName name of the rules, for messages
   * @param engine the engine that evaluates the rules
   * @param maxAgeUpdates a Preserve or Mature sample goes one stage down when it was not trained
   *     for this number of updates; 0 if samples never age
   */
  public record Staging(
      ContributionMode contribution,
      Score score,
      String rules,
      String rulesName,
      FuzzyEngines.Kind engine,
      int maxAgeUpdates)
      implements Serializable {
    /** Returns the default settings of life stages. */
    public static Staging defaults() {
      return new Staging(
          ContributionMode.GAIN,
          Score.FREQUENCY,
          DefaultRules.TEXT,
          DefaultRules.NAME,
          FuzzyEngines.Kind.BUILT_IN,
          200);
    }

    /** Returns a copy of these settings with another measure of contribution. */
    public Staging with(ContributionMode mode) {
      return new Staging(mode, score, rules, rulesName, engine, maxAgeUpdates);
    }

    /** Returns a copy of these settings with another source of the score. */
    public Staging with(Score other) {
      return new Staging(contribution, other, rules, rulesName, engine, maxAgeUpdates);
    }
  }

  /** The policies that choose the samples to replay. */
  public enum Policy {
    /**
     * Chooses by life stages and the trend of the loss, so that the model trains where it can still
     * learn.
     */
    FUZZY,
    /** Chooses a share of each life stage, best scores first: the formula of Rang 2021. */
    STAGE_SHARES,
    /** Chooses at random, with a new draw for every update. */
    UNIFORM,
    /** Chooses the samples that arrived last. */
    NEWEST_WINDOW,
    /**
     * Chooses a random sample of all samples that ever arrived, which is kept from update to
     * update.
     */
    RESERVOIR,
    /** Chooses the samples whose last measured loss is greatest. */
    LOSS,
    /** Chooses the samples with the greatest gradient norms. */
    GRADIENT_NORM,
    /** Chooses the samples with the greatest reducible losses. */
    REDUCIBLE_LOSS,
    /** Chooses an equal number of each class at random. */
    CLASS_BALANCED
  }

  /**
   * The settings that say which trained samples train again (replay), and which new samples train.
   *
   * @param ratios shares of the trained stages; if {@code search} is true, the first shares of the
   *     search
   * @param search whether the shares are adapted to the shares that improved the model most
   * @param budget largest number of replayed samples of one update; 0 to replay none
   * @param steadyShare with {@link Policy#FUZZY}, the part of the budget, 0 to 1, that is replayed
   *     while the loss does not rise
   * @param newborns with {@link Policy#FUZZY}, which new samples are trained
   */
  public record Replay(
      Policy policy,
      Ratios ratios,
      boolean search,
      int budget,
      double steadyShare,
      Newborns newborns)
      implements Serializable {
    /** Returns the default settings of the replay. */
    public static Replay defaults() {
      return new Replay(Policy.FUZZY, new Ratios(1, 1, 0.25), false, 256, 0.25, Newborns.ALL);
    }

    /**
     * Creates settings by which every new sample trains and every update replays its whole budget.
     */
    public static Replay of(Policy policy, Ratios ratios, boolean search, int budget) {
      return new Replay(policy, ratios, search, budget, 1, Newborns.ALL);
    }
  }

  /** The ways to choose the new samples that train. */
  public enum Newborns {
    /** All new samples train. */
    ALL,
    /** The new samples that the model does not know yet are trained, and a few of the others. */
    OPEN
  }

  /**
   * The fractions of the Mature, Preserve and Discard samples that train again (beta, gamma,
   * delta).
   */
  public record Ratios(double mature, double preserve, double discard) implements Serializable {}

  /** Returns whether the settings use reducible losses, which a held-out model must measure. */
  public boolean needsHeldOutModel() {
    return staging.contribution() == ContributionMode.REDUCIBLE_LOSS
        || replay.policy() == Policy.REDUCIBLE_LOSS;
  }

  /** Returns the default settings. */
  public static DataSettings defaults() {
    return new DataSettings(Staging.defaults(), Replay.defaults(), 1_000_000, 1L << 30, 100_000);
  }
}
