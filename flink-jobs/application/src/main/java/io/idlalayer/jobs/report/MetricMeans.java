package io.idlalayer.jobs.report;

import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.LabelMetrics;
import io.idlalayer.modelcontroller.quality.metrics.QuantileMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Means of the metrics of several learners, weighted by their scored samples. Each learner has its
 * own model, so a metric of all learners is the mean of their metrics. A learner whose metric is
 * undefined is left out.
 */
final class MetricMeans {
  private MetricMeans() {}

  /**
   * The metrics of one learner.
   *
   * @param samples number of the learner's scored samples
   */
  record Part<P>(P metrics, long samples) {}

  /** Returns the means of metrics of classes; null if there are none. */
  static @Nullable ClassMetrics classes(List<Part<ClassMetrics>> parts) {
    return parts.isEmpty()
        ? null
        : new ClassMetrics(
            labels(parts, ClassMetrics::model),
            labels(parts, ClassMetrics::noChange),
            labels(parts, ClassMetrics::majority),
            mean(parts, ClassMetrics::kappaM),
            mean(parts, ClassMetrics::kappaTemporal),
            meanOfAll(parts, ClassMetrics::baseRateLogLoss),
            mean(parts, ClassMetrics::normalizedEntropy),
            mean(parts, ClassMetrics::auc),
            mean(parts, ClassMetrics::aucError),
            mean(parts, ClassMetrics::calibration),
            mean(parts, ClassMetrics::top3),
            mean(parts, ClassMetrics::top5));
  }

  private static LabelMetrics labels(
      List<Part<ClassMetrics>> parts, Function<ClassMetrics, LabelMetrics> of) {
    return new LabelMetrics(
        mean(parts, each -> of.apply(each).balancedAccuracy()),
        mean(parts, each -> of.apply(each).f1()),
        mean(parts, each -> of.apply(each).positiveF1()),
        mean(parts, each -> of.apply(each).kappa()));
  }

  /** Returns the means of metrics of targets; null if there are none. */
  static @Nullable TargetMetrics targets(List<Part<TargetMetrics>> parts) {
    return parts.isEmpty()
        ? null
        : new TargetMetrics(
            meanOfAll(parts, TargetMetrics::quantileLoss10),
            meanOfAll(parts, TargetMetrics::quantileLoss90),
            rootOfMeanSquare(parts, TargetMetrics::noChangeRootMeanSquaredError),
            meanOfAll(parts, TargetMetrics::noChangeQuantileLoss10),
            meanOfAll(parts, TargetMetrics::noChangeQuantileLoss90),
            rootOfMeanSquare(parts, TargetMetrics::deviation),
            mean(parts, TargetMetrics::rSquared),
            mean(parts, TargetMetrics::mase),
            quantile(parts));
  }

  /**
   * Returns the means of the losses of the trained quantile; null if no learner is trained for a
   * quantile.
   */
  private static @Nullable QuantileMetrics quantile(List<Part<TargetMetrics>> all) {
    List<Part<QuantileMetrics>> parts = new ArrayList<>();
    for (Part<TargetMetrics> part : all) {
      QuantileMetrics own = part.metrics().quantile();
      if (own != null) {
        parts.add(new Part<>(own, part.samples()));
      }
    }
    return parts.isEmpty()
        ? null
        : new QuantileMetrics(
            parts.get(0).metrics().level(),
            meanOfAll(parts, QuantileMetrics::loss),
            meanOfAll(parts, QuantileMetrics::noChangeLoss));
  }

  private static <P> double rootOfMeanSquare(List<Part<P>> parts, ToDoubleFunction<P> value) {
    return Math.sqrt(
        meanOfAll(parts, each -> value.applyAsDouble(each) * value.applyAsDouble(each)));
  }

  private static <P> double meanOfAll(List<Part<P>> parts, ToDoubleFunction<P> value) {
    Double mean = mean(parts, value::applyAsDouble);
    return mean == null ? 0 : mean;
  }

  private static <P> @Nullable Double mean(
      List<Part<P>> parts, Function<P, @Nullable Double> value) {
    double sum = 0;
    double samples = 0;
    for (Part<P> part : parts) {
      Double own = value.apply(part.metrics());
      if (own != null) {
        sum += part.samples() * own;
        samples += part.samples();
      }
    }
    return samples == 0 ? null : (Double) (sum / samples);
  }
}
