package io.idlalayer.modelloader.imported;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A network of another program, from the numbers of an application to its predictions.
 *
 * @param columns for each number that the first step takes, the column of the application's network
 *     input that it comes from
 * @param scale factor of each of these numbers, in units of the application
 * @param shift what is added to each of these numbers then
 * @param steps at least one
 * @param classes for each class of the application the place that it has among the outputs
 */
public record ImportedNetwork(
    int[] columns, double[] scale, double[] shift, List<ImportedStep> steps, int[] classes) {
  public ImportedNetwork {
    steps = List.copyOf(steps);
  }

  /** Returns the network in a few words, such as {@code 4 inputs, dense 16, relu, dense 3}. */
  public String describe() {
    return String.format(Locale.ROOT, "%d inputs, ", columns.length)
        + steps.stream()
            .map(ImportedNetwork::describe)
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(", "));
  }

  private static String describe(ImportedStep step) {
    if (step instanceof ImportedStep.Linear linear) {
      return "dense " + linear.outputs();
    } else if (step instanceof ImportedStep.Activated activated) {
      return activated.function().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    } else if (step instanceof ImportedStep.Normalized) {
      return "batch normalization";
    } else if (step instanceof ImportedStep.Convolved convolved) {
      return String.format(
          Locale.ROOT,
          "convolution %d x %d with %d filters",
          convolved.frame().rows(),
          convolved.frame().columns(),
          convolved.filters());
    } else if (step instanceof ImportedStep.Recurrent recurrent) {
      return String.format(
          Locale.ROOT, "LSTM %d over %d steps", recurrent.units(), recurrent.steps());
    } else if (step instanceof ImportedStep.Pooled pooled) {
      return String.format(
          Locale.ROOT,
          "%s pooling %d x %d",
          pooled.max() ? "max" : "mean",
          pooled.frame().rows(),
          pooled.frame().columns());
    }
    return "";
  }
}
