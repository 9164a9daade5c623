package io.idlalayer.modelloader.imported;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A network of another program, from the numbers of an application to its predictions.
 *
 * @param nodes its steps, each after the steps whose outputs it uses
 * @param output place of the node that gives the predictions
 * @param classes for each class of the application its place among the outputs
 * @param tables rows of each table of the application
 */
public record ImportedNetwork(
    List<Node> nodes, int output, int[] classes, List<ImportedTable> tables) {
  public ImportedNetwork {
    nodes = List.copyOf(nodes);
    tables = List.copyOf(tables);
  }

  /**
   * A step, and the steps whose outputs it uses.
   *
   * @param sources places of these steps among the nodes
   * @param outputs number of values that the step returns for a row
   */
  public record Node(ImportedStep step, List<Integer> sources, int outputs) {
    public Node {
      sources = List.copyOf(sources);
    }
  }

  /** Returns the network in a few words, such as {@code 4 inputs, dense 16, relu, dense 3}. */
  public String describe() {
    BitSet used = new BitSet();
    used.set(output);
    for (int i = output; i >= 0; i--) {
      if (used.get(i)) {
        nodes.get(i).sources().forEach(used::set);
      }
    }
    BitSet columns = new BitSet();
    List<String> layers = new ArrayList<>();
    for (int i = 0; i <= output; i++) {
      if (used.get(i) && nodes.get(i).step() instanceof ImportedStep.Input input) {
        IntStream.of(input.columns()).forEach(columns::set);
      } else if (used.get(i)) {
        layers.add(describe(nodes.get(i).step()));
      }
    }
    return String.format(Locale.ROOT, "%d inputs, ", columns.cardinality())
        + layers.stream().filter(text -> !text.isEmpty()).collect(Collectors.joining(", "));
  }

  private static String describe(ImportedStep step) {
    if (step instanceof ImportedStep.Linear linear) {
      return "dense " + linear.outputs();
    } else if (step instanceof ImportedStep.Activated activated) {
      return activated.function().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    } else if (step instanceof ImportedStep.Normalized) {
      return "batch normalization";
    } else if (step instanceof ImportedStep.LayerNormalized) {
      return "layer normalization";
    } else if (step instanceof ImportedStep.ParametricRelu rectified) {
      int slopes = rectified.slopes().length;
      return slopes == 1 ? "prelu with one slope" : "prelu with " + slopes + " slopes";
    } else if (step instanceof ImportedStep.RowMean) {
      return "mean of a row";
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
    } else if (step instanceof ImportedStep.Combined combined) {
      return combined.operation().name().toLowerCase(Locale.ROOT);
    } else if (step instanceof ImportedStep.Merged) {
      return "concatenation";
    }
    return "";
  }
}
