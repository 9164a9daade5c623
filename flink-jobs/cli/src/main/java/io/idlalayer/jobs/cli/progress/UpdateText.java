package io.idlalayer.jobs.cli.progress;

import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.report.QualityText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Describes an update in words that need no explanation. The decision topic has the numbers by
 * which the rule decided.
 */
final class UpdateText {
  /** Unit of the reasons of rules that weigh waiting against training. */
  private static final String WEIGHED = "sample-seconds";

  private static final String LIMIT = "hard limit: ";
  private static final String FOLLOWED = "following: ";

  private UpdateText() {}

  /** Returns what a published update has learned, its duration, and the reason for its time. */
  static String of(UpdateRecord update) {
    UpdateRecord.Firing firing = update.firing();
    UpdateRecord.Training training = update.requireTraining();
    return String.format(
        Locale.ROOT,
        "version %d: learned %,d new events%s in %s, their mean loss went from %s to %s; %s",
        update.requirePublished().version(),
        firing.newSamples(),
        firing.replayedSamples() == 0
            ? ""
            : String.format(
                Locale.ROOT, " and repeated %,d earlier ones", firing.replayedSamples()),
        duration(training.seconds()),
        QualityText.number(training.meanLossBefore()),
        QualityText.number(training.meanLossAfter()),
        reason(firing.grounds()));
  }

  /** Returns why an update was made when it was. */
  static String reason(Grounds grounds) {
    List<String> parts = new ArrayList<>();
    boolean weighed = false;
    for (String part : grounds.reason().split("; ", -1)) {
      if (part.contains(WEIGHED)) {
        parts.add("waiting longer would have cost more than training");
        weighed = true;
      } else if (part.startsWith(LIMIT)) {
        parts.add(part.substring(LIMIT.length()));
      } else if (!part.startsWith(FOLLOWED) && !part.contains(" costs ")) {
        parts.add(part);
      }
    }
    // Only this reason takes into account that the model is getting worse.
    if (weighed && grounds.basis().urgency() > 1) {
      parts.add("sooner than usual, because the model is getting worse");
    }
    return String.join("; ", parts);
  }

  /**
   * Formats a duration in milliseconds or seconds, because trainings take from parts of a
   * millisecond to minutes.
   */
  static String duration(double seconds) {
    return seconds < 1
        ? String.format(Locale.ROOT, "%.1f ms", 1e3 * seconds)
        : String.format(Locale.ROOT, "%.2f s", seconds);
  }
}
