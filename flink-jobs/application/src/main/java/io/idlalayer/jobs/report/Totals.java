package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.ClassQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Adds up the statuses of several learners; means are weighted by their counts. */
public final class Totals {
  private Totals() {}

  static Status.Samples samples(List<Status> statuses) {
    return new Status.Samples(
        sum(statuses, s -> s.samples().received()),
        sum(statuses, s -> s.samples().malformed()),
        sum(statuses, s -> s.samples().unlabeled()),
        sum(statuses, s -> s.samples().duplicates()),
        sum(statuses, s -> s.samples().stored()),
        sum(statuses, s -> s.samples().storedBytes()),
        sum(statuses, s -> s.samples().revived()),
        sum(statuses, s -> s.samples().joined()),
        sum(statuses, s -> s.samples().evicted()),
        sum(statuses, s -> s.samples().quarantined()),
        sum(statuses, s -> s.samples().passedOver()),
        sum(statuses, s -> s.samples().merged()),
        sum(statuses, s -> s.samples().changed()),
        sum(statuses, s -> s.samples().labelsWaiting()),
        sum(statuses, s -> s.samples().labelsGivenUp()),
        sum(statuses, s -> s.samples().labelsDefaulted()),
        sum(statuses, s -> s.samples().defaultsCorrected()));
  }

  /**
   * Returns the sum of the table statistics over the learners whose models have tables; null if no
   * model has tables.
   */
  static @Nullable RowUsage tables(List<Status> statuses) {
    List<RowUsage> parts = statuses.stream().map(Status::tables).filter(Objects::nonNull).toList();
    return parts.isEmpty()
        ? null
        : new RowUsage(
            parts.stream().mapToLong(RowUsage::rows).sum(),
            parts.stream().mapToLong(RowUsage::hotRows).sum(),
            parts.stream().mapToLong(RowUsage::fastBytes).sum(),
            parts.stream().mapToLong(RowUsage::slowBytes).sum(),
            parts.stream().mapToLong(RowUsage::counted).sum(),
            parts.stream().mapToLong(RowUsage::filterBytes).sum(),
            parts.stream().mapToLong(RowUsage::hits).sum(),
            parts.stream().mapToLong(RowUsage::buffered).sum(),
            parts.stream().mapToLong(RowUsage::misses).sum(),
            parts.stream().mapToLong(RowUsage::unknown).sum(),
            parts.stream().mapToLong(RowUsage::admitted).sum(),
            parts.stream().mapToLong(RowUsage::refused).sum(),
            parts.stream().mapToLong(RowUsage::outOfRange).sum(),
            parts.stream()
                .map(RowUsage::expired)
                .reduce(RowUsage.Expired.NONE, RowUsage.Expired::plus),
            parts.stream().mapToLong(RowUsage::flushed).sum(),
            parts.stream().map(RowUsage::store).reduce(StoreTraffic.NONE, StoreTraffic::plus),
            byTable(parts));
  }

  /**
   * Returns the sum of each table over all learners; the partitions of an application have equal
   * tables.
   */
  private static List<RowUsage.OfTable> byTable(List<RowUsage> parts) {
    Map<String, RowUsage.OfTable> sums = new LinkedHashMap<>();
    parts.forEach(
        part ->
            part.byTable().forEach(each -> sums.merge(each.name(), each, RowUsage.OfTable::plus)));
    return List.copyOf(sums.values());
  }

  static Status.Input input(List<Status> statuses) {
    return new Status.Input(
        sum(statuses, s -> s.input().lostOffsets()),
        statuses.stream().flatMap(s -> s.input().lost().stream()).toList(),
        sum(statuses, s -> s.input().reread()),
        sum(statuses, s -> s.input().refusedControls()),
        List.of());
  }

  static Status.Stages stages(List<Status> statuses) {
    return new Status.Stages(
        sum(statuses, s -> s.stages().newborn()),
        sum(statuses, s -> s.stages().mature()),
        sum(statuses, s -> s.stages().preserve()),
        sum(statuses, s -> s.stages().discard()));
  }

  /**
   * Returns the combined summary of the prequential evaluation of all learners. If the learners
   * have different tasks, each part of the summary covers the learners with its task.
   */
  public static PrequentialSummary prequential(List<Status> statuses) {
    return new PrequentialSummary(
        sum(statuses, s -> s.prequential().scored()),
        sum(statuses, s -> s.prequential().unscored()),
        classification(statuses),
        regression(statuses));
  }

  private static @Nullable Classification classification(List<Status> statuses) {
    List<Status> parts =
        statuses.stream().filter(s -> s.prequential().classification() != null).toList();
    return parts.isEmpty()
        ? null
        : new Classification(
            classes(parts, Classification::logLoss),
            classes(parts, Classification::accuracy),
            classes(parts, Classification::recentAccuracy),
            classes(parts, Classification::noChangeAccuracy),
            classes(parts, Classification::majorityAccuracy),
            classes(parts, Classification::recentNoChangeAccuracy),
            classes(parts, Classification::recentMajorityAccuracy),
            byClass(parts),
            classes(parts, Classification::recentLogLoss),
            MetricMeans.classes(ofParts(parts, s -> requireClasses(s).metrics())),
            MetricMeans.classes(ofParts(parts, s -> requireClasses(s).recent())),
            parts.size() == 1 ? requireClasses(parts.get(0)).calibration() : List.of());
  }

  /**
   * Returns the sum of each class over all learners, in the order of their first occurrence; empty
   * if there are several learners and one has possibly left out classes.
   */
  private static List<ClassQuality> byClass(List<Status> parts) {
    List<List<ClassQuality>> told =
        parts.stream().map(part -> requireClasses(part).byClass()).toList();
    if (told.size() == 1) {
      return told.get(0);
    }
    if (told.stream().anyMatch(each -> each.size() >= PrequentialSummary.MOST_CLASSES)) {
      return List.of();
    }
    Map<String, ClassQuality> sums = new LinkedHashMap<>();
    told.forEach(
        classes -> classes.forEach(each -> sums.merge(each.name(), each, ClassQuality::plus)));
    return List.copyOf(sums.values());
  }

  private static double classes(List<Status> parts, ToDoubleFunction<Classification> value) {
    return mean(parts, s -> s.prequential().scored(), s -> value.applyAsDouble(requireClasses(s)));
  }

  private static Classification requireClasses(Status status) {
    return Objects.requireNonNull(status.prequential().classification());
  }

  private static @Nullable Regression regression(List<Status> statuses) {
    List<Status> parts =
        statuses.stream().filter(s -> s.prequential().regression() != null).toList();
    return parts.isEmpty()
        ? null
        : new Regression(
            targets(parts, Regression::meanAbsoluteError),
            Math.sqrt(targets(parts, r -> r.rootMeanSquaredError() * r.rootMeanSquaredError())),
            targets(parts, Regression::noChangeMeanAbsoluteError),
            targets(parts, Regression::recentMeanAbsoluteError),
            Math.sqrt(
                targets(
                    parts, r -> r.recentRootMeanSquaredError() * r.recentRootMeanSquaredError())),
            targets(parts, Regression::recentNoChangeMeanAbsoluteError),
            MetricMeans.targets(ofParts(parts, s -> requireTargets(s).metrics())),
            MetricMeans.targets(ofParts(parts, s -> requireTargets(s).recent())));
  }

  private static Regression requireTargets(Status status) {
    return Objects.requireNonNull(status.prequential().regression());
  }

  /** Returns a part of each learner's quality, with the number of its scored samples. */
  private static <P> List<MetricMeans.Part<P>> ofParts(
      List<Status> parts, Function<Status, @Nullable P> part) {
    List<MetricMeans.Part<P>> found = new ArrayList<>();
    for (Status each : parts) {
      P metrics = part.apply(each);
      if (metrics != null) {
        found.add(new MetricMeans.Part<>(metrics, each.prequential().scored()));
      }
    }
    return found;
  }

  private static double targets(List<Status> parts, ToDoubleFunction<Regression> value) {
    return mean(parts, s -> s.prequential().scored(), s -> value.applyAsDouble(requireTargets(s)));
  }

  /**
   * Returns the incorporation times of all learners together. The 99th percentile is the largest of
   * the learners' 99th percentiles.
   */
  static Status.Incorporation incorporation(List<Status> statuses) {
    long count = sum(statuses, s -> s.incorporation().count());
    return new Status.Incorporation(
        count,
        mean(statuses, s -> s.incorporation().count(), s -> s.incorporation().meanSeconds()),
        statuses.stream().mapToDouble(s -> s.incorporation().p99Seconds()).max().orElse(0));
  }

  /**
   * Returns the processor time of all learners together; null if no learner reports it. Learners of
   * one process report the same time for the process, so the largest of these times is used.
   */
  static @Nullable ProcessorUse processor(List<Status> statuses) {
    List<ProcessorUse> parts =
        statuses.stream().map(Status::processor).filter(Objects::nonNull).toList();
    return parts.isEmpty()
        ? null
        : new ProcessorUse(
            parts.stream().mapToLong(ProcessorUse::updates).sum(),
            weighted(parts, ProcessorUse::recentUpdateSeconds),
            new ProcessorUse.Caused(
                seconds(parts, p -> p.caused().decidingSeconds()),
                seconds(parts, p -> p.caused().trainingSeconds()),
                seconds(parts, p -> p.caused().acceptingSeconds()),
                seconds(parts, p -> p.caused().reportingSeconds()),
                seconds(parts, p -> p.caused().publishingSeconds()),
                seconds(parts, p -> p.caused().cleaningUpSeconds()),
                seconds(parts, p -> p.caused().sendingSeconds()),
                seconds(parts, p -> p.caused().followingSeconds())),
            seconds(parts, ProcessorUse::statusSeconds),
            new ProcessorUse.OfProcess(
                parts.stream().mapToDouble(p -> p.process().seconds()).max().orElse(0),
                parts.stream().mapToDouble(p -> p.process().compilationSeconds()).max().orElse(0)));
  }

  private static double seconds(List<ProcessorUse> parts, ToDoubleFunction<ProcessorUse> value) {
    return parts.stream().mapToDouble(value).sum();
  }

  /** Returns the mean of a value, weighted by the updates of each learner. */
  private static double weighted(List<ProcessorUse> parts, ToDoubleFunction<ProcessorUse> value) {
    long updates = parts.stream().mapToLong(ProcessorUse::updates).sum();
    return updates == 0
        ? 0
        : parts.stream().mapToDouble(p -> value.applyAsDouble(p) * p.updates()).sum() / updates;
  }

  /**
   * Returns the comparison of all learners together, whose qualities are means weighted by the
   * tested events; null if a learner does not compare versions yet, or if the learners have
   * different metrics or intervals.
   */
  static @Nullable ComparedVersions compared(List<Status> statuses) {
    List<ComparedVersions> parts =
        statuses.stream().map(Status::compared).filter(Objects::nonNull).toList();
    if (parts.isEmpty() || parts.size() < statuses.size()) {
      return null;
    }
    ComparedVersions first = parts.get(0);
    if (parts.size() == 1) {
      return first;
    }
    return parts.stream()
            .anyMatch(
                each -> !each.measure().equals(first.measure()) || each.every() != first.every())
        ? null
        : new ComparedVersions(
            first.measure(),
            first.higherIsBetter(),
            first.every(),
            parts.stream().mapToLong(ComparedVersions::samples).sum(),
            quality(parts, ComparedVersions::model),
            version(parts, ComparedVersions::once),
            version(parts, ComparedVersions::renewed));
  }

  private static ComparedVersions.KeptVersion version(
      List<ComparedVersions> parts,
      Function<ComparedVersions, ComparedVersions.KeptVersion> version) {
    return new ComparedVersions.KeptVersion(
        parts.stream().mapToLong(each -> version.apply(each).version()).max().orElse(0),
        parts.stream().mapToLong(each -> version.apply(each).learned()).sum(),
        quality(parts, each -> version.apply(each).quality()));
  }

  private static ComparedVersions.MetricValues quality(
      List<ComparedVersions> parts,
      Function<ComparedVersions, ComparedVersions.MetricValues> quality) {
    return new ComparedVersions.MetricValues(
        mean(parts, each -> quality.apply(each).value()),
        mean(parts, each -> quality.apply(each).recent()));
  }

  /** Returns the mean of the values that are defined; null if none is. */
  private static @Nullable Double mean(
      List<ComparedVersions> parts, Function<ComparedVersions, @Nullable Double> value) {
    double sum = 0;
    long samples = 0;
    for (ComparedVersions each : parts) {
      Double own = value.apply(each);
      if (own != null) {
        sum += own * each.samples();
        samples += each.samples();
      }
    }
    return samples == 0 ? null : sum / samples;
  }

  public static long sum(List<Status> statuses, ToLongFunction<Status> value) {
    return statuses.stream().mapToLong(value).sum();
  }

  private static double mean(
      List<Status> statuses, ToLongFunction<Status> weight, ToDoubleFunction<Status> value) {
    double sum = 0;
    long weights = 0;
    for (Status status : statuses) {
      long w = weight.applyAsLong(status);
      sum += w * value.applyAsDouble(status);
      weights += w;
    }
    return weights == 0 ? 0 : sum / weights;
  }
}
