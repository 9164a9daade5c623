package io.idlalayer.jobs.settings;

import io.idlalayer.modelcontroller.drift.DriftSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;

/** Reads the section {@code update} of an application file. */
final class UpdateReader {
  private static final String WEIGHT = "waiting-samples-per-training-second";
  private static final String MACHINE_PRICE = "machine-price-per-second";
  private static final String STALENESS_PRICE = "staleness-price-per-sample-second";

  private UpdateReader() {}

  /**
   * Largest number of new samples in an update: the FIRED event has the arrival of each one, and
   * must not become too long.
   */
  static final int MOST_BATCH = 100_000;

  static UpdateSettings update(Section section) {
    UpdateSettings defaults = UpdateSettings.defaults();
    Section quality = section.section("quality");
    UpdateSettings settings =
        new UpdateSettings(
            section.choice("rule", defaults.rule(), UpdateSettings.RuleName.values()),
            weight(section, defaults.weight()),
            tuning(section, defaults.tuning()),
            limits(section, defaults.limits()),
            drift(quality, defaults.drift()),
            section.number(MACHINE_PRICE, 0, 0, false, 1e12));
    idle(section, settings, defaults);
    if (!weighsWaiting(settings.rule())) {
      quality.idle(
          "detector",
          settings.drift().detector(),
          defaults.drift().detector(),
          "a rule that weighs waiting (adaptive, area, dla, dla-random, paper)");
    }
    boolean beyond = settings.tuning().count() > settings.limits().maxBatch();
    if (settings.rule() == RuleName.COUNT && beyond) {
      section.problem(
          section.has("count") ? "count" : "max-batch",
          "count is %d, but max-batch ends an update at %d new samples"
              .formatted(settings.tuning().count(), settings.limits().maxBatch()));
    }
    section.finish();
    return settings;
  }

  /** Reports parameters of rules other than the chosen one, because they have no effect. */
  private static void idle(Section section, UpdateSettings settings, UpdateSettings defaults) {
    UpdateSettings.Tuning tuning = settings.tuning();
    UpdateSettings.Tuning otherwise = defaults.tuning();
    RuleName rule = settings.rule();
    if (rule != RuleName.DLA) {
      section.idle("zeta", tuning.zeta(), otherwise.zeta(), "'rule: dla'");
    }
    if (rule != RuleName.AREA) {
      section.idle("omega", tuning.omega(), otherwise.omega(), "'rule: area'");
    }
    if (rule != RuleName.ADAPTIVE) {
      section.idle("rho", tuning.rho(), otherwise.rho(), "'rule: adaptive'");
    }
    if (rule != RuleName.DLA && rule != RuleName.AREA && rule != RuleName.DLA_RANDOM) {
      section.idle(
          "newest",
          tuning.includeNewest(),
          otherwise.includeNewest(),
          "'rule: dla', 'rule: dla-random' or 'rule: area'");
    }
    if (rule != RuleName.DLA_RANDOM) {
      section.idle("draw", tuning.draw(), otherwise.draw(), "'rule: dla-random'");
      section.idle("seed", tuning.seed(), otherwise.seed(), "'rule: dla-random'");
    }
    if (rule != RuleName.PERIODIC) {
      section.idle("period", tuning.periodSeconds(), otherwise.periodSeconds(), "'rule: periodic'");
    }
    if (rule != RuleName.COUNT) {
      section.idle("count", tuning.count(), otherwise.count(), "'rule: count'");
    }
  }

  /** Returns whether an update rule weighs training time against waiting time. */
  private static boolean weighsWaiting(RuleName rule) {
    return switch (rule) {
      case DLA, AREA, ADAPTIVE, DLA_RANDOM, PAPER -> true;
      case BEST_EFFORT, SPECULATIVE, PERIODIC, COUNT, MANUAL -> false;
    };
  }

  private static UpdateSettings.Tuning tuning(Section section, UpdateSettings.Tuning defaults) {
    double period = section.seconds("period", defaults.periodSeconds());
    if (period <= 0) {
      section.problem("period", "must be above 0");
    }
    return defaults
        .withZeta(section.number("zeta", defaults.zeta(), 0, false, 1000))
        .withOmega(section.number("omega", defaults.omega(), 0, false, 1000))
        .withRho(section.number("rho", defaults.rho(), 2, true, 1000))
        .withIncludeNewest(
            section.choice("newest", Newest.EXCLUDE, Newest.values()) == Newest.INCLUDE)
        .withDraw(section.choice("draw", defaults.draw(), UpdateSettings.Draw.values()))
        .withSeed(section.integer("seed", (int) defaults.seed(), 0, Integer.MAX_VALUE))
        .withPeriodSeconds(period)
        .withCount(section.integer("count", defaults.count(), 1, MOST_BATCH));
  }

  /** The choice whether an update trains the arrival that made the rule fire. */
  private enum Newest {
    EXCLUDE,
    INCLUDE
  }

  private static DriftSettings drift(Section section, DriftSettings defaults) {
    DriftSettings settings =
        new DriftSettings(
            section.choice("detector", defaults.detector(), DriftSettings.Detector.values()),
            section.number("seconds-per-loss", defaults.secondsPerLoss(), 0, true, 1e6));
    if (settings.detector() == DriftSettings.Detector.OFF) {
      section.idle(
          "seconds-per-loss",
          settings.secondsPerLoss(),
          defaults.secondsPerLoss(),
          "'detector: adwin' or 'detector: page-hinkley'");
    }
    section.finish();
    return settings;
  }

  private static UpdateSettings.Limits limits(Section section, UpdateSettings.Limits defaults) {
    return new UpdateSettings.Limits(
        section.integer("max-batch", defaults.maxBatch(), 1, MOST_BATCH),
        section.seconds("max-wait", defaults.maxWaitSeconds()),
        section.seconds("min-interval", defaults.minIntervalSeconds()));
  }

  /**
   * Returns the weight w of training time against waiting time, given in samples or by two prices.
   */
  private static double weight(Section section, double otherwise) {
    double weight = section.number(WEIGHT, otherwise, 0, false, 1e9);
    double machine = section.number(MACHINE_PRICE, 0, 0, false, 1e12);
    double staleness = section.number(STALENESS_PRICE, 0, 0, false, 1e12);
    if (!section.has(MACHINE_PRICE) && !section.has(STALENESS_PRICE)) {
      return weight;
    }
    if (section.has(WEIGHT)) {
      section.problem(WEIGHT, "give samples or prices, not both");
    } else if (machine <= 0 || staleness <= 0) {
      section.problem(
          section.has(MACHINE_PRICE) ? MACHINE_PRICE : STALENESS_PRICE,
          "both prices are needed: " + MACHINE_PRICE + " and " + STALENESS_PRICE);
    } else {
      return machine / staleness;
    }
    return weight;
  }
}
