package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.ContributionMode;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.datacontroller.settings.DataSettings.Staging;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * One configuration of the learner in the comparison. All contenders train the same network on
 * every new sample. They differ in when they train, in which samples they train again, and in how
 * they pass over the samples.
 *
 * @param batch number of new samples (COUNT) or events (PERIODIC) from update to update, or the
 *     weight of waiting (WEIGHT)
 * @param replayBudget largest number of replayed samples of an update
 */
record Contender(Policy policy, Rule rule, int batch, int replayBudget, Fitting fitting) {
  private static final int CONTINUOUS_BATCH = 32;
  private static final int[] BATCHES = {64, 128, 256, 1_024};
  private static final double[] BUDGETS = {0.25, 1, 4, 8};
  private static final Ratios PAPER = new Ratios(0.5, 1, 0);
  private static final int[] NOTHING = {0};
  private static final int[] PERIODS = {64, 128, 256, 512, 1_024};
  private static final String COUNT_RULES =
      """
      FUNCTION_BLOCK count
      VAR_INPUT
        frequency : REAL;
      END_VAR
      VAR_OUTPUT
        life : REAL;
      END_VAR
      FUZZIFY frequency
        TERM once  := (1, 1) (2, 0);
        TERM often := (2, 0) (4, 1);
      END_FUZZIFY
      DEFUZZIFY life
        TERM discard  := 0.1;
        TERM preserve := 0.95;
        METHOD : COGS;
        DEFAULT := 0.5;
      END_DEFUZZIFY
      RULEBLOCK staging
        AND : MIN; ACT : MIN; ACCU : MAX;
        RULE 1 : IF frequency IS often THEN life IS preserve;
        RULE 2 : IF frequency IS once THEN life IS discard;
      END_RULEBLOCK
      END_FUNCTION_BLOCK
      """;
  private static final int[] WEIGHTS = {10, 100, 1_000, 10_000, 100_000};

  /**
   * The way in which an update passes over its rows.
   *
   * @param miniBatch number of rows of a step
   * @param epochs number of passes over the rows
   */
  record Fitting(int miniBatch, int epochs, double learningRate) {
    /** One pass in steps of 32 rows. */
    static final Fitting STANDARD = new Fitting(32, 1, 0.01);
  }

  /** Creates a contender that passes over its rows in the standard way. */
  Contender(Policy policy, Rule rule, int batch, int replayBudget) {
    this(policy, rule, batch, replayBudget, Fitting.STANDARD);
  }

  /** Returns this contender with another way to pass over its rows. */
  Contender with(Fitting other) {
    return new Contender(policy, rule, batch, replayBudget, other);
  }

  /** The policies that choose which samples are trained again. */
  enum Policy {
    /** No replay; one update for each 32 samples. */
    CONTINUOUS,
    /** No replay; updates at a fixed period. */
    PERIODIC,
    /** No replay; an update when the product's rule fires, or after a number of new samples. */
    NO_REPLAY,
    /** The product's selection, with life stages by the fitted model. */
    FUZZY,
    /** {@link #FUZZY} without the new samples that the model knows already. */
    FUZZY_OPEN,
    /** {@link #FUZZY}, always with the whole budget. */
    FUZZY_STEADY,
    /** {@link #FUZZY} with shares of the stages that a search finds. */
    FUZZY_SEARCH,
    /** {@link #FUZZY} with life stages by the default rules. */
    FUZZY_RULES,
    /** {@link #FUZZY} with life stages by the contribution alone. */
    FUZZY_CONTRIBUTION,
    /** {@link #FUZZY} with life stages by the remaining loss. */
    FUZZY_LOSS,
    /**
     * {@link #FUZZY} with life stages by the number of times that a sample came: Discard for once,
     * Mature for twice, Preserve for more.
     */
    FUZZY_COUNT,
    /** The product's default: {@link #FUZZY} with life stages by frequency. */
    FUZZY_FREQUENCY,
    /**
     * {@link #FUZZY} without life stages: the newest samples, as many as the trend of the loss
     * suggests.
     */
    TREND_NEWEST,
    /** The formula of Rang 2021: shares of the stages by score, shares by search. */
    STAGE_SHARES,
    /** A random choice among all samples that were trained before. */
    UNIFORM,
    /** The newest samples. */
    NEWEST_WINDOW,
    /**
     * A random choice among all samples that were trained before, which is kept from update to
     * update.
     */
    RESERVOIR,
    /** The samples with the highest last known losses. */
    LOSS,
    /** The samples with the highest last known gradient norms. */
    GRADIENT_NORM,
    /** The samples with the highest reducible losses. */
    REDUCIBLE_LOSS,
    /** A random choice with the same share of every class. */
    CLASS_BALANCED;

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Policy of(String key) {
      for (Policy policy : values()) {
        if (policy.key().equals(key)) {
          return policy;
        }
      }
      throw new IllegalArgumentException(
          "unknown policy " + key + "; known are " + List.of(values()));
    }
  }

  /** Returns the data controller's settings for this contender. */
  DataSettings settings() {
    DataSettings defaults = DataSettings.defaults();
    Replay replay =
        replayed() == DataSettings.Policy.FUZZY
            ? fuzzy(defaults.replay())
            : Replay.of(replayed(), PAPER, true, replayBudget);
    return new DataSettings(
        staging(defaults.staging()),
        replay,
        defaults.maxSamples(),
        defaults.maxBytes(),
        defaults.maxUnlabeled());
  }

  private Staging staging(Staging standard) {
    return switch (policy) {
      case FUZZY_RULES -> standard.with(Score.RULES);
      case FUZZY_CONTRIBUTION -> standard.with(Score.CONTRIBUTION);
      case FUZZY_LOSS -> standard.with(Score.CONTRIBUTION).with(ContributionMode.LOSS);
      case FUZZY_COUNT ->
          new Staging(
              standard.contribution(),
              Score.RULES,
              COUNT_RULES,
              "count.fcl",
              standard.engine(),
              standard.maxAgeUpdates());
      case FUZZY_FREQUENCY -> standard;
      default -> standard.with(Score.FITTED);
    };
  }

  private Replay fuzzy(Replay standard) {
    return new Replay(
        DataSettings.Policy.FUZZY,
        policy == Policy.TREND_NEWEST ? new Ratios(1, 1, 1) : standard.ratios(),
        policy == Policy.FUZZY_SEARCH,
        replayBudget,
        policy == Policy.FUZZY_STEADY ? 1 : standard.steadyShare(),
        policy == Policy.FUZZY_OPEN ? DataSettings.Newborns.OPEN : standard.newborns());
  }

  /** Returns the update controller's settings for this contender. */
  UpdateSettings updateSettings() {
    Tuning tuning = Tuning.defaults();
    return switch (rule) {
      case WEIGHT -> UpdateSettings.of(RuleName.ADAPTIVE, batch);
      case COUNT -> updateSettings(RuleName.COUNT).with(tuning.withCount(batch));
      case PERIODIC -> {
        double seconds = (double) batch * QualityRun.EVENT_MILLIS / TimeUnit.SECONDS.toMillis(1);
        yield updateSettings(RuleName.PERIODIC).with(tuning.withPeriodSeconds(seconds));
      }
    };
  }

  /**
   * Returns settings for a rule that does not use the weight of waiting; the default weight has no
   * effect.
   */
  private static UpdateSettings updateSettings(RuleName name) {
    return UpdateSettings.of(name, UpdateSettings.defaults().weight());
  }

  private DataSettings.Policy replayed() {
    return switch (policy) {
      case UNIFORM, NEWEST_WINDOW, RESERVOIR, LOSS, GRADIENT_NORM, REDUCIBLE_LOSS, CLASS_BALANCED ->
          DataSettings.Policy.valueOf(policy.name());
      case CONTINUOUS, PERIODIC, NO_REPLAY, STAGE_SHARES -> DataSettings.Policy.STAGE_SHARES;
      default -> DataSettings.Policy.FUZZY;
    };
  }

  /** The rules that decide when to train. */
  enum Rule {
    /** An update as soon as a number of new samples wait. */
    COUNT,
    /** At a fixed period; for policies that replay nothing. */
    PERIODIC,
    /** An update when the product's default rule fires. */
    WEIGHT
  }

  /**
   * Returns all configurations of a policy that the experiment tries, all with the standard way to
   * pass over rows.
   *
   * @param rule {@link Rule#COUNT}, or {@link Rule#WEIGHT} for weights and replay budgets
   */
  static List<Contender> grid(Policy policy, Rule rule) {
    List<Contender> grid = new ArrayList<>();
    if (rule == Rule.WEIGHT) {
      for (int weight : WEIGHTS) {
        for (int budget : policy == Policy.NO_REPLAY ? NOTHING : BATCHES) {
          grid.add(new Contender(policy, rule, weight, budget));
        }
      }
      return grid;
    }
    switch (policy) {
      case CONTINUOUS -> grid.add(new Contender(policy, Rule.COUNT, CONTINUOUS_BATCH, 0));
      case PERIODIC -> {
        for (int period : PERIODS) {
          grid.add(new Contender(policy, Rule.PERIODIC, period, 0));
        }
      }
      case NO_REPLAY -> {
        for (int batch : BATCHES) {
          grid.add(new Contender(policy, Rule.COUNT, batch, 0));
        }
      }
      default -> {
        for (int batch : BATCHES) {
          for (double budget : BUDGETS) {
            grid.add(new Contender(policy, Rule.COUNT, batch, (int) (budget * batch)));
          }
        }
      }
    }
    return grid;
  }
}
