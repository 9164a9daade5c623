package io.idlalayer.benchmarks.source;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * When updates come, and whether they train earlier samples again.
 *
 * @param periodSeconds of {@link RuleName#PERIODIC}, else 0
 * @param replays whether updates train earlier samples again, by the product's default selection
 */
record Arm(RuleName rule, double periodSeconds, boolean replays) {
  /** Period of the source. */
  static final double SOURCE_PERIOD_SECONDS = 120;

  /** What the source compares elapsed times with. */
  static final Arm SOURCE_PERIODIC = new Arm(RuleName.PERIODIC, SOURCE_PERIOD_SECONDS, false);

  /** What the source compares quality with: an update whenever samples wait. */
  static final Arm CONTINUOUS = new Arm(RuleName.BEST_EFFORT, 0, false);

  /** The rule of the source. */
  static final Arm DLA = new Arm(RuleName.DLA, 0, true);

  /** The default rule. */
  static final Arm ADAPTIVE = new Arm(RuleName.ADAPTIVE, 0, true);

  /** Arms of every application: those of the source, the product's, and the given periods. */
  static List<Arm> all(List<Double> periods) {
    List<Arm> arms = new ArrayList<>(List.of(SOURCE_PERIODIC, CONTINUOUS, DLA, ADAPTIVE));
    periods.forEach(seconds -> arms.add(new Arm(RuleName.PERIODIC, seconds, true)));
    return arms;
  }

  /** Whether it is one of the periods of which the best is looked for. */
  boolean period() {
    return rule == RuleName.PERIODIC && replays;
  }

  String label() {
    String name =
        switch (rule) {
          case PERIODIC -> String.format(Locale.ROOT, "periodic %s s", shortest(periodSeconds));
          case BEST_EFFORT -> "continuous";
          default -> rule.key();
        };
    return replays ? name : name + ", new samples only";
  }

  private static String shortest(double seconds) {
    return seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds);
  }

  UpdateSettings update(double weight) {
    UpdateSettings settings = UpdateSettings.of(rule, weight);
    return periodSeconds == 0
        ? settings
        : settings.with(Tuning.defaults().withPeriodSeconds(periodSeconds));
  }

  /**
   * @param budget most replayed samples of an update, 0 for an application that never replays
   */
  DataSettings data(int budget) {
    DataSettings defaults = DataSettings.defaults();
    Replay standard = defaults.replay();
    Replay replay =
        replays && budget > 0
            ? new Replay(
                standard.policy(),
                standard.ratios(),
                standard.search(),
                budget,
                standard.steadyShare(),
                standard.newborns())
            : Replay.of(Policy.UNIFORM, new Ratios(0, 0, 0), false, 0);
    return new DataSettings(
        defaults.staging(),
        replay,
        defaults.maxSamples(),
        defaults.maxBytes(),
        defaults.maxUnlabeled());
  }
}
