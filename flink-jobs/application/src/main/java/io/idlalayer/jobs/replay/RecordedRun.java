package io.idlalayer.jobs.replay;

import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The history of a real run, from its decision log: the arrivals of samples, the updates that
 * trained them, and the durations of trainings. After a restore, update numbers are used again, and
 * the later events replace the earlier ones.
 */
public final class RecordedRun {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final SortedMap<Long, List<ArrivalTimes>> fired = new TreeMap<>();
  private final NavigableMap<Long, UpdateRecord> accepted = new TreeMap<>();

  private int most = Integer.MAX_VALUE;
  private long mostTimes = Long.MAX_VALUE;

  /** Number of different arrival times in {@code fired}. */
  private long times;

  /** Creates a run without any events. */
  public RecordedRun() {}

  /**
   * Reads the decision log of a run.
   *
   * @param learner application, or application/partition, if the log has several learners; else
   *     null
   * @param notes receives a note if the log ends too early
   * @throws IOException if the log cannot be read, has no learner or several, or if a line other
   *     than a truncated last line is damaged
   */
  public static RecordedRun read(Path file, @Nullable String learner, Consumer<String> notes)
      throws IOException {
    SortedMap<String, RecordedRun> runs = new TreeMap<>();
    try (RecordedEvents events = new RecordedEvents(file)) {
      for (DecisionEvent event = events.next(); event != null; event = events.next()) {
        runs.computeIfAbsent(name(event), key -> new RecordedRun()).take(event);
      }
      if (!events.cut().isEmpty()) {
        notes.accept(events.cut());
      }
    }
    return choose(file, runs, learner);
  }

  private static String name(DecisionEvent event) {
    return event.application() + "/" + event.partition();
  }

  private static RecordedRun choose(
      Path file, SortedMap<String, RecordedRun> runs, @Nullable String learner) throws IOException {
    runs.values().removeIf(run -> run.accepted.isEmpty());
    if (learner != null) {
      String full = learner.contains("/") ? learner : learner + "/0";
      runs.keySet().retainAll(new TreeSet<>(List.of(full)));
    }
    if (runs.isEmpty()) {
      throw new IOException(
          "%s holds no accepted update%s".formatted(file, learner == null ? "" : " of " + learner));
    }
    if (runs.size() > 1) {
      throw new IOException(
          "%s holds several learners: %s; choose one with --application"
              .formatted(file, String.join(", ", runs.keySet())));
    }
    return runs.values().iterator().next();
  }

  /**
   * Adds the next event of the learner to the history. Events of other learners belong to other
   * runs.
   */
  public void take(DecisionEvent event) {
    UpdateRecord update = event.update();
    // A status comes from another topic, and can be older than the updates that were read already.
    if (update == null && event.type() != DecisionEvent.Type.RESTORED) {
      return;
    }
    // A restore has undone the updates above the learner's own count.
    long updates = event.status().updates();
    accepted.tailMap(updates + 1).clear();
    forget(fired.tailMap(updates + 2));
    if (update == null) {
      return;
    }
    ArrivalTimes part = event.arrivals();
    if (event.type() == DecisionEvent.Type.FIRED && part != null) {
      begin(update.number(), part);
    } else if (event.type() == DecisionEvent.Type.ARRIVALS && part != null) {
      goOn(update.number(), part);
    } else if (trained(event.type()) && update.training() != null) {
      accepted.put(update.number(), update);
      shrink();
    }
  }

  private void begin(long number, ArrivalTimes first) {
    forget(fired.subMap(number, number + 1));
    // All parts except the last one have equal lengths.
    if ((first.parts() - 1L) * first.counts().length < mostTimes) {
      put(number, List.of(first));
      shrink();
    }
  }

  private void goOn(long number, ArrivalTimes part) {
    List<ArrivalTimes> parts = fired.get(number);
    // A part can be sent twice.
    if (parts != null && part.part() == parts.size() + 1) {
      parts.add(part);
      times += part.counts().length;
      shrink();
    }
  }

  private void put(long number, List<ArrivalTimes> parts) {
    fired.put(number, new ArrayList<>(parts));
    times += size(parts);
  }

  private void forget(SortedMap<Long, List<ArrivalTimes>> some) {
    some.values().forEach(parts -> times -= size(parts));
    some.clear();
  }

  private static long size(List<ArrivalTimes> parts) {
    return parts.stream().mapToLong(part -> part.counts().length).sum();
  }

  /**
   * Keeps only the newest updates from now on, up to these limits. If one update alone has more
   * arrival times than the limit, its arrival times are dropped, and {@link #trace} and {@link
   * #outcome} omit it.
   *
   * @param updates above 0
   * @param arrivalTimes largest number of different arrival times of all updates together,
   *     including updates that are not accepted yet; above 0
   */
  public void limit(int updates, long arrivalTimes) {
    most = updates;
    mostTimes = arrivalTimes;
    shrink();
  }

  private void shrink() {
    while (accepted.size() > most) {
      accepted.remove(accepted.firstKey());
      forget(fired.headMap(accepted.firstKey()));
    }
    if (times > mostTimes) {
      List<Long> tooLong =
          fired.entrySet().stream()
              .filter(each -> size(each.getValue()) > mostTimes)
              .map(Map.Entry::getKey)
              .toList();
      tooLong.forEach(number -> forget(fired.subMap(number, number + 1)));
    }
    while (times > mostTimes) {
      long next = fired.firstKey() + 1;
      accepted.headMap(next).clear();
      forget(fired.headMap(next));
    }
  }

  /**
   * Returns whether an event of this type reports an accepted update; a held model is never
   * accepted.
   */
  private static boolean trained(DecisionEvent.Type type) {
    return type == DecisionEvent.Type.STAGED || type == DecisionEvent.Type.PUBLISHED;
  }

  /**
   * Returns when the first sample of {@link #trace} arrived, epoch milliseconds; 0 if there is
   * none.
   */
  public long firstArrivalMillis() {
    return accepted.keySet().stream()
        .flatMap(number -> arrivals(number).stream())
        .mapToLong(ArrivalTimes::firstMillis)
        .min()
        .orElse(0);
  }

  /** Returns the arrivals of all trained samples. */
  public ArrivalTrace trace() {
    ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
    accepted
        .keySet()
        .forEach(
            number -> {
              for (ArrivalTimes times : arrivals(number)) {
                for (int run = 0; run < times.counts().length; run++) {
                  trace.add(
                      (times.firstMillis() + times.afterMillis()[run]) * NANOS_PER_MILLI,
                      times.counts()[run]);
                }
              }
            });
    return trace.build();
  }

  /** Returns all parts of an update's arrivals; an empty list if a part is missing. */
  private List<ArrivalTimes> arrivals(long number) {
    List<ArrivalTimes> parts = fired.getOrDefault(number, List.of());
    return parts.isEmpty() || parts.size() < parts.get(0).parts() ? List.of() : parts;
  }

  private UpdateRecord last() {
    UpdateRecord last = null;
    for (UpdateRecord update : accepted.values()) {
      last = update;
    }
    return java.util.Objects.requireNonNull(last, "a recorded run needs at least one update");
  }

  /**
   * Returns the costs of updates as estimated at the last update, including the overhead of
   * updates. The rule possibly used a lower cost, because it uses the lower end of the interval of
   * epsilon while epsilon is uncertain.
   */
  public ScheduleCosts costs() {
    UpdateRecord last = last();
    Grounds grounds = last.firing().grounds();
    double each = grounds.basis().costs().secondsPerSample();
    double fixed =
        grounds.predicted().mean() - each * last.firing().newSamples() + grounds.basis().overhead();
    // While a drift is open, the rule uses a lower weight than the settings.
    double weight = grounds.basis().costs().weight() * grounds.basis().urgency();
    return new ScheduleCosts(each, Math.max(0, fixed), weight);
  }

  /**
   * Returns the outcome of the real run. Its costs are the measured durations, plus the expected
   * overhead of each update.
   */
  public RuleOutcome outcome(double weight) {
    Histogram latencies = new Histogram(3);
    latencies.setAutoResize(true);
    double latencySeconds = 0;
    double machineSeconds = 0;
    long samples = 0;
    long updates = 0;
    for (UpdateRecord update : accepted.values()) {
      List<ArrivalTimes> parts = arrivals(update.number());
      if (parts.isEmpty()) {
        continue;
      }
      updates++;
      double trainSeconds = update.requireTraining().seconds();
      machineSeconds += trainSeconds + update.firing().grounds().basis().overhead();
      double end = update.firing().atMillis() / 1e3 + trainSeconds;
      for (ArrivalTimes times : parts) {
        for (int run = 0; run < times.counts().length; run++) {
          double waited = end - (times.firstMillis() + times.afterMillis()[run]) / 1e3;
          latencySeconds += waited * times.counts()[run];
          samples += times.counts()[run];
          latencies.recordValueWithCount((long) (Math.max(0, waited) * 1e6), times.counts()[run]);
        }
      }
    }
    return new RuleOutcome(
        "recorded " + last().firing().grounds().rule(),
        latencySeconds + weight * machineSeconds,
        samples == 0 ? 0 : latencySeconds / samples,
        samples == 0 ? 0 : latencies.getValueAtPercentile(99) / 1e6,
        updates,
        machineSeconds,
        fired.size() - updates,
        0);
  }

  /**
   * Returns the median relative error of the predicted training durations, |predicted - measured| /
   * measured, over the updates after the tenth; NaN if there are none.
   */
  public double medianPredictionError() {
    double[] errors =
        accepted.values().stream()
            .filter(u -> u.number() > 10)
            .mapToDouble(RecordedRun::predictionError)
            .sorted()
            .toArray();
    return errors.length == 0 ? Double.NaN : errors[errors.length / 2];
  }

  private static double predictionError(UpdateRecord update) {
    double seconds = update.requireTraining().seconds();
    return Math.abs(update.firing().grounds().predicted().mean() - seconds) / seconds;
  }

  /**
   * Returns this run without its first updates, because a JVM that is warming up distorts
   * measurements.
   */
  public RecordedRun without(int first) {
    RecordedRun rest = new RecordedRun();
    accepted.values().stream()
        .skip(first)
        .forEach(update -> rest.accepted.put(update.number(), update));
    fired.forEach(
        (number, parts) -> {
          if (rest.accepted.containsKey(number)) {
            rest.put(number, parts);
          }
        });
    return rest;
  }

  /**
   * Returns this run with its newest updates only.
   *
   * @param arrivalTimes largest number of different arrival times of all kept updates together; the
   *     newest update is always kept
   */
  public RecordedRun newest(long arrivalTimes) {
    RecordedRun rest = new RecordedRun();
    for (Map.Entry<Long, UpdateRecord> update : accepted.descendingMap().entrySet()) {
      List<ArrivalTimes> parts = fired.getOrDefault(update.getKey(), List.of());
      if (rest.times + size(parts) > arrivalTimes && !rest.accepted.isEmpty()) {
        break;
      }
      rest.accepted.put(update.getKey(), update.getValue());
      rest.put(update.getKey(), parts);
    }
    return rest;
  }

  /** Returns the number of accepted updates. */
  public int updates() {
    return accepted.size();
  }

  /**
   * Returns the number of different arrival times that are kept, including those of an update that
   * is not accepted yet.
   */
  public long arrivalTimes() {
    return times;
  }
}
