package io.idlalayer.console.whatif;

import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes update settings as lines of an application file. Settings with default values are omitted,
 * and so is {@code update.quality}, which no simulation uses.
 */
final class UpdateYaml {
  /**
   * Precision of written numbers: enough digits to read an equal price again, but few enough that
   * rounding errors are not visible.
   */
  private static final MathContext DIGITS = new MathContext(12);

  private UpdateYaml() {}

  /** Returns the section {@code update} of an application file with these settings. */
  static String of(UpdateSettings settings) {
    StringBuilder yaml = new StringBuilder("update:\n");
    line(yaml, "rule: " + settings.rule().key());
    settings(settings).forEach(each -> line(yaml, each));
    double machine = settings.machinePricePerSecond();
    if (machine > 0) {
      line(yaml, "machine-price-per-second: " + plain(machine));
      line(yaml, "staleness-price-per-sample-second: " + plain(machine / settings.weight()));
    } else {
      line(yaml, "waiting-samples-per-training-second: " + plain(settings.weight()));
    }
    return yaml.toString();
  }

  private static void line(StringBuilder yaml, String line) {
    yaml.append("  ").append(line).append('\n');
  }

  /**
   * Returns the parameters of the rule and the limits that differ from defaults, each as {@code
   * key: value}.
   */
  static List<String> settings(UpdateSettings settings) {
    List<String> lines = new ArrayList<>(tuning(settings));
    Limits limits = settings.limits();
    Limits defaults = Limits.defaults();
    if (limits.maxBatch() != defaults.maxBatch()) {
      lines.add("max-batch: " + limits.maxBatch());
    }
    addSeconds(lines, "max-wait", limits.maxWaitSeconds(), defaults.maxWaitSeconds());
    addSeconds(lines, "min-interval", limits.minIntervalSeconds(), defaults.minIntervalSeconds());
    return lines;
  }

  /**
   * Returns only the parameters of the rule, because the reader of application files refuses
   * parameters of other rules.
   */
  private static List<String> tuning(UpdateSettings settings) {
    Tuning tuning = settings.tuning();
    Tuning defaults = Tuning.defaults();
    List<String> lines = new ArrayList<>();
    switch (settings.rule()) {
      case DLA -> {
        addNumber(lines, "zeta", tuning.zeta(), defaults.zeta());
        addNewest(lines, tuning);
      }
      case AREA -> {
        addNumber(lines, "omega", tuning.omega(), defaults.omega());
        addNewest(lines, tuning);
      }
      case ADAPTIVE -> addNumber(lines, "rho", tuning.rho(), defaults.rho());
      case DLA_RANDOM -> {
        addNewest(lines, tuning);
        if (tuning.draw() != defaults.draw()) {
          lines.add("draw: " + tuning.draw().name().toLowerCase(Locale.ROOT));
        }
        if (tuning.seed() != defaults.seed()) {
          lines.add("seed: " + tuning.seed());
        }
      }
      case PERIODIC ->
          addSeconds(lines, "period", tuning.periodSeconds(), defaults.periodSeconds());
      case COUNT -> addNumber(lines, "count", tuning.count(), defaults.count());
      case BEST_EFFORT, SPECULATIVE, MANUAL, PAPER -> {
        // These rules have no parameters.
      }
    }
    return lines;
  }

  private static void addNewest(List<String> lines, Tuning tuning) {
    if (tuning.includeNewest()) {
      lines.add("newest: include");
    }
  }

  private static void addNumber(List<String> lines, String key, double value, double otherwise) {
    if (value != otherwise) {
      lines.add(key + ": " + plain(value));
    }
  }

  private static void addSeconds(List<String> lines, String key, double value, double otherwise) {
    if (value != otherwise) {
      lines.add(key + ": " + plain(value) + "s");
    }
  }

  /** Returns a number as text without an exponent. */
  static String plain(double value) {
    BigDecimal digits = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    return digits.toPlainString();
  }
}
