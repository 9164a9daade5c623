package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.Status;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Adds statuses up; means are weighted with what they are means of. */
final class Totals {
  private Totals() {}

  static Status.Samples samples(List<Status> statuses) {
    return new Status.Samples(
        sum(statuses, s -> s.samples().received()),
        sum(statuses, s -> s.samples().malformed()),
        sum(statuses, s -> s.samples().unlabeled()),
        sum(statuses, s -> s.samples().duplicates()),
        sum(statuses, s -> s.samples().stored()),
        sum(statuses, s -> s.samples().revived()),
        sum(statuses, s -> s.samples().joined()),
        sum(statuses, s -> s.samples().evicted()),
        sum(statuses, s -> s.samples().quarantined()),
        sum(statuses, s -> s.samples().passedOver()));
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

  static Status.Prequential prequential(List<Status> statuses) {
    long scored = sum(statuses, s -> s.prequential().scored());
    double logLoss = quality(statuses, Status.Prequential::logLoss);
    return new Status.Prequential(
        scored,
        sum(statuses, s -> s.prequential().unscored()),
        quality(statuses, Status.Prequential::accuracy),
        logLoss,
        logLoss == 0 ? 0 : Math.exp(logLoss),
        quality(statuses, Status.Prequential::noChangeAccuracy),
        quality(statuses, Status.Prequential::majorityAccuracy),
        quality(statuses, Status.Prequential::meanAbsoluteError),
        Math.sqrt(quality(statuses, p -> p.rootMeanSquaredError() * p.rootMeanSquaredError())),
        quality(statuses, Status.Prequential::noChangeMeanAbsoluteError),
        quality(statuses, Status.Prequential::recentAccuracy));
  }

  /** The largest of the parts' 99th percentiles stands for that of the whole. */
  static Status.Incorporation incorporation(List<Status> statuses) {
    long count = sum(statuses, s -> s.incorporation().count());
    return new Status.Incorporation(
        count,
        mean(statuses, s -> s.incorporation().count(), s -> s.incorporation().meanSeconds()),
        statuses.stream().mapToDouble(s -> s.incorporation().p99Seconds()).max().orElse(0));
  }

  static long sum(List<Status> statuses, ToLongFunction<Status> value) {
    return statuses.stream().mapToLong(value).sum();
  }

  private static double quality(List<Status> statuses, ToDoubleFunction<Status.Prequential> value) {
    return mean(statuses, s -> s.prequential().scored(), s -> value.applyAsDouble(s.prequential()));
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
