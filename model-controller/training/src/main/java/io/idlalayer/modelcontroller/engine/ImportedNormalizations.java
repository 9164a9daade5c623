package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelloader.imported.ImportedStep;
import io.idlalayer.modelloader.imported.NormalizationExpression;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Compares normalizations of an imported network with the normalizations of layers, and converts
 * their spread.
 */
final class ImportedNormalizations {
  private static final double LEAST_VARIANCE = 1e-30;

  /**
   * Largest relative difference of two epsilons (numbers that are added to variances) that count as
   * equal.
   */
  private static final double CLOSE = 1e-3;

  private ImportedNormalizations() {}

  /**
   * Returns the running variances or deviations of a batch normalization, in the form that the
   * layer stores.
   */
  static double[] spreads(LayerPlan.Normalized layer, ImportedStep.Normalized step) {
    boolean logarithm = layer.spread().equals(ParameterArrays.RUNNING_LOG_DEVIATION);
    double[] spreads = new double[layer.channels()];
    for (int i = 0; i < spreads.length; i++) {
      double variance = step.variance()[i] + step.epsilon() - layer.epsilon();
      // A channel with constant values has the deviation 0, which has no logarithm.
      variance = logarithm ? Math.max(LEAST_VARIANCE, variance) : Math.max(0, variance);
      spreads[i] = logarithm ? Math.log10(Math.sqrt(variance)) : variance;
    }
    return spreads;
  }

  /**
   * Returns how a layer normalization in a file differs from that of a layer, for messages.
   *
   * @param found normalization in the file; null if the file has none
   * @return null if the two are equal
   */
  static @Nullable String difference(
      NormalizationExpression.@Nullable Found found, LayerPlan.LayerNormalized layer) {
    if (found == null) {
      return String.format(
          Locale.ROOT, "a layer normalization of %d numbers is expected", layer.outputs());
    } else if (Math.abs(found.epsilon() - layer.epsilon()) > CLOSE * layer.epsilon()) {
      return "layer '%s' has an 'eps' of %s, but the file has %s"
          .formatted(layer.name(), layer.epsilon(), (float) found.epsilon());
    }
    return null;
  }
}
