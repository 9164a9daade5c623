package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Describes the progress of a run in a few lines: how many events were learned and how fast, how
 * long the rest of the input takes, and how good the version that serves is. Confined to one
 * thread.
 */
public final class ProgressText {
  private static final long UNKNOWN = -1;

  /** Duration of a run after which its rate is used to estimate the remaining time. */
  private static final double RATE_SECONDS = 2;

  private static final double MINUTES_FROM_SECONDS = 120;
  private static final double HOURS_FROM_SECONDS = 2 * 3600;

  private final @Nullable QualityMetric metric;
  private long expected = UNKNOWN;
  private boolean withEarlier;

  /** Events that were accounted for when the run began; {@link #UNKNOWN} before that. */
  private long before = UNKNOWN;

  private long beginNanos;
  private long lastAccounted = UNKNOWN;
  private long lastNanos;

  /**
   * @param applications applications of the run; their quality is shown by their metric, or by
   *     accuracy and absolute error if their metrics differ
   */
  public ProgressText(List<ApplicationSettings> applications) {
    this(commonMetric(applications));
  }

  /**
   * @param metric metric of the applications; null if their metrics differ
   */
  ProgressText(@Nullable QualityMetric metric) {
    this.metric = metric;
  }

  private static @Nullable QualityMetric commonMetric(List<ApplicationSettings> applications) {
    List<QualityMetric> metrics =
        applications.stream().map(ApplicationSettings::metric).distinct().toList();
    return metrics.size() == 1 ? metrics.get(0) : null;
  }

  /**
   * Sets how many records the input of the run has.
   *
   * @param records number of records that this run sends; 0 if it sends none
   */
  public void expect(long records) {
    expected = records > 0 ? records : UNKNOWN;
    withEarlier = false;
  }

  /**
   * Sets how many records the input has, together with those that earlier runs have sent.
   *
   * @param records number of records, above 0
   */
  public void expectInAll(long records) {
    expected = records;
    withEarlier = true;
  }

  /**
   * Begins the run. Further calls before the first event only change the time at which learning of
   * the input begins.
   *
   * @param nowNanos monotonic nanoseconds
   */
  public void begin(RunView view, long nowNanos) {
    long accounted = accounted(statuses(view));
    if (before == UNKNOWN) {
      before = accounted;
    }
    if (before == accounted) {
      beginNanos = nowNanos;
    }
  }

  private static List<Status> statuses(RunView view) {
    return view.learners().stream().map(RunView.Learner::status).toList();
  }

  private static long accounted(List<Status> statuses) {
    return Totals.samples(statuses).accounted(Totals.sum(statuses, Status::trainedNewSamples));
  }

  /** Returns the lines at a given moment, in monotonic nanoseconds. */
  public List<String> lines(RunView view, long nowNanos) {
    begin(view, nowNanos);
    List<Status> statuses = statuses(view);
    long accounted = accounted(statuses);
    String rate = rate(accounted, nowNanos);
    if (statuses.isEmpty()) {
      return List.of("waiting for the first event");
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d of %,d events learned%s%s",
            Totals.sum(statuses, Status::trainedNewSamples),
            Totals.samples(statuses).received(),
            rate,
            ofInput(accounted, nowNanos)));
    PrequentialSummary quality = Totals.prequential(statuses);
    ComparedVersions compared = Totals.compared(statuses);
    if (compared == null || !ComparisonText.shows(compared)) {
      lines.add(version(statuses) + ": " + QualityText.brief(quality, metric));
    } else {
      lines.addAll(ComparisonText.lines(version(statuses), compared));
    }
    String references = QualityText.references(quality, metric);
    if (!references.isEmpty()) {
      lines.add("without a model: " + references);
    }
    return lines;
  }

  private static String version(List<Status> statuses) {
    long version = statuses.stream().mapToLong(Status::servedVersion).max().orElse(0);
    return served(version);
  }

  /** Returns a sentence about the version that serves; 0 stands for none. */
  public static String served(long version) {
    return version == 0 ? "no version yet" : "version " + version + " serves";
  }

  /**
   * Returns events per second since the last call, as a part of a sentence; "" at the first call.
   */
  private String rate(long accounted, long nowNanos) {
    String rate = "";
    if (lastAccounted >= 0 && nowNanos > lastNanos) {
      double since = (accounted - lastAccounted) * 1e9 / (nowNanos - lastNanos);
      rate = String.format(Locale.ROOT, ", %,d/s", Math.max(0, Math.round(since)));
    }
    lastAccounted = accounted;
    lastNanos = nowNanos;
    return rate;
  }

  /**
   * Returns how much of the input is done and how long the rest takes at the rate of the run so
   * far; "" if the length of the input is unknown.
   *
   * @param accounted number of events that are accounted for, including events of earlier runs
   */
  private String ofInput(long accounted, long nowNanos) {
    if (expected == UNKNOWN) {
      return "";
    }
    // A restore can have undone events.
    long ofRun = Math.max(0, accounted - before);
    long reached = Math.min(withEarlier ? accounted : ofRun, expected);
    String share = String.format(Locale.ROOT, ", %d %% of the input", 100 * reached / expected);
    double seconds = (nowNanos - beginNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    return ofRun == 0 || reached == expected || seconds < RATE_SECONDS
        ? share
        : share + ", about " + duration((expected - reached) * seconds / ofRun) + " left";
  }

  private static String duration(double seconds) {
    if (seconds < MINUTES_FROM_SECONDS) {
      return Math.max(1, Math.round(seconds)) + " s";
    }
    return seconds < HOURS_FROM_SECONDS
        ? Math.round(seconds / 60) + " min"
        : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
  }
}
