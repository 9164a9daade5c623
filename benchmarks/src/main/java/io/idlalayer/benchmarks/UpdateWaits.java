package io.idlalayer.benchmarks;

import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What samples wait for, from their arrival to the publication of the first model that has learned
 * from them, by the times in the decision events:
 *
 * <ul>
 *   <li><b>collecting</b>: from the arrival until the last sample of the same update has arrived
 *   <li><b>firing</b>: from then until the update is fired, mostly because the one before trains
 *   <li><b>training</b>: from then until the trained model is accepted
 *   <li><b>publishing</b>: from then until the model, or a later one, is published
 * </ul>
 *
 * <p>Confined to one thread.
 */
final class UpdateWaits {
  private static final long LONGEST_MILLIS = 3_600_000;
  private static final int DIGITS = 3;

  private final Map<Long, Update> open = new HashMap<>();
  private final List<Update> waiting = new ArrayList<>();
  private final List<Update> published = new ArrayList<>();

  /** The times of an update in epoch milliseconds; 0 for what has not happened yet. */
  private static final class Update {
    private final long firedMillis;
    private final long newestMillis;
    private final List<ArrivalTimes> arrivals = new ArrayList<>();
    private long acceptedMillis;
    private long publishedMillis;
    private double trainMillis;

    Update(long firedMillis, ArrivalTimes times) {
      this.firedMillis = firedMillis;
      long[] after = times.afterMillis();
      newestMillis =
          after.length == 0 ? firedMillis : times.firstMillis() + after[after.length - 1];
      arrivals.add(times);
    }
  }

  /** What the samples of some updates waited. */
  private static final class Sum {
    private final Histogram waits = new Histogram(LONGEST_MILLIS, DIGITS);
    private double collecting;
    private double firing;
    private double training;
    private double publishing;
    private double trainer;
    private int updates;

    void add(Update update) {
      updates++;
      trainer += update.trainMillis;
      for (ArrivalTimes times : update.arrivals) {
        for (int i = 0; i < times.counts().length; i++) {
          long arrived = times.firstMillis() + times.afterMillis()[i];
          int count = times.counts()[i];
          waits.recordValueWithCount(
              Math.min(LONGEST_MILLIS, Math.max(0, update.publishedMillis - arrived)), count);
          collecting += (double) count * (update.newestMillis - arrived);
          firing += (double) count * (update.firedMillis - update.newestMillis);
          training += (double) count * (update.acceptedMillis - update.firedMillis);
          publishing += (double) count * (update.publishedMillis - update.acceptedMillis);
        }
      }
    }

    String line(String title) {
      double samples = Math.max(1, waits.getTotalCount());
      return String.format(
          Locale.ROOT,
          "  %-14s %7d %8d %7.0f %6d %7d %11.0f %7.0f %9.0f %11.0f %10.1f",
          title,
          updates,
          waits.getTotalCount(),
          waits.getMean(),
          waits.getValueAtPercentile(50),
          waits.getValueAtPercentile(99),
          collecting / samples,
          firing / samples,
          training / samples,
          publishing / samples,
          trainer / Math.max(1, updates));
    }
  }

  void event(DecisionEvent event) {
    UpdateRecord update = event.update();
    if (update == null) {
      return;
    }
    ArrivalTimes times = event.arrivals();
    switch (event.type()) {
      case FIRED -> {
        if (times != null) {
          open.put(update.number(), new Update(event.atMillis(), times));
        }
      }
      case ARRIVALS -> {
        Update of = open.get(update.number());
        if (of != null && times != null) {
          of.arrivals.add(times);
        }
      }
      case STAGED -> accepted(open.remove(update.number()), event, update);
      case PUBLISHED -> {
        for (Update each : waiting) {
          each.publishedMillis = event.atMillis();
        }
        published.addAll(waiting);
        waiting.clear();
      }
      default -> {}
    }
  }

  private void accepted(@Nullable Update fired, DecisionEvent event, UpdateRecord update) {
    if (fired == null) {
      return;
    }
    fired.acceptedMillis = event.atMillis();
    fired.trainMillis = update.requireTraining().seconds() * 1e3;
    waiting.add(fired);
  }

  /**
   * Prints what samples waited, for each part of the run.
   *
   * @param fromMillis beginning of the run
   * @param warmMillis time from which the code is warm
   * @param secondsOfPart length of a part
   */
  void print(PrintWriter out, long fromMillis, long warmMillis, int secondsOfPart) {
    out.println(
        "waits of samples in milliseconds, by the time of the publication:\n"
            + "  seconds        updates  samples    mean median     p99"
            + "  collecting  firing  training  publishing    trainer");
    Map<Long, Sum> parts = new TreeMap<>();
    Sum all = new Sum();
    Sum warm = new Sum();
    for (Update each : published) {
      long part = (each.publishedMillis - fromMillis) / 1_000 / secondsOfPart;
      parts.computeIfAbsent(part, key -> new Sum()).add(each);
      all.add(each);
      if (each.firedMillis >= warmMillis) {
        warm.add(each);
      }
    }
    parts.forEach(
        (part, sum) ->
            out.println(sum.line(part * secondsOfPart + " to " + (part + 1) * secondsOfPart)));
    out.println(warm.line("warm"));
    out.println(all.line("all"));
  }
}
