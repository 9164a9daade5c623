package io.idlalayer.modelloader.imported;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds layer normalizations, which a file computes with one operator or with several. They are
 * recognized by their values, because each exporter orders the operators differently.
 */
public final class NormalizationExpression {
  /** Most steps of an expression; the expressions of exporters have about ten. */
  private static final int MOST_STEPS = 32;

  /** Number of rows with a spread of about 1, from which scale and shift are found. */
  private static final int USUAL_ROWS = 4;

  /** Number of rows with little spread, which reveal the number that is added to variances. */
  private static final int NARROW_ROWS = 2;

  private static final double NARROW = 2e-3;
  private static final double CLOSE = 1e-5;

  private final List<ImportedNetwork.Node> nodes;

  public NormalizationExpression(ImportedNetwork network) {
    nodes = network.nodes();
  }

  /**
   * A layer normalization.
   *
   * @param source place of the step whose rows it normalizes
   */
  public record Found(int source, double[] gamma, double[] beta, double epsilon) {}

  /**
   * Returns the layer normalization that a step computes; null if the step computes something else.
   *
   * @param at place of the step
   * @param width expected number of values of a row
   */
  public @Nullable Found find(int at, int width) {
    if (nodes.get(at).outputs() != width || width < 2) {
      return null;
    }
    TreeSet<Integer> open = new TreeSet<>(List.of(at));
    TreeSet<Double> epsilons = new TreeSet<>();
    @Nullable Found found = null;
    for (int taken = 0; taken < MOST_STEPS && !open.isEmpty() && found == null; taken++) {
      int last = open.pollLast();
      ImportedNetwork.Node node = nodes.get(last);
      if (!isKnown(node)) {
        return null;
      }
      note(node, epsilons);
      open.addAll(node.sources());
      if (open.size() == 1 && nodes.get(open.first()).outputs() == width) {
        found = fitted(at, open.first(), epsilons);
      }
    }
    return found;
  }

  private boolean isKnown(ImportedNetwork.Node node) {
    if (node.step() instanceof ImportedStep.Activated activated) {
      return NumberFunctions.of(activated) != null;
    } else if (node.step() instanceof ImportedStep.Affine affine) {
      return affine.scale().length == node.outputs() && affine.shift().length == node.outputs();
    } else if (node.step() instanceof ImportedStep.Combined) {
      return node.sources().stream()
          .allMatch(source -> nodes.get(source).outputs() == node.outputs());
    }
    return node.step() instanceof ImportedStep.RowMean
        || node.step() instanceof ImportedStep.Stretched
        || node.step() instanceof ImportedStep.LayerNormalized;
  }

  private static void note(ImportedNetwork.Node node, Set<Double> epsilons) {
    if (node.step() instanceof ImportedStep.LayerNormalized normalized) {
      epsilons.add(normalized.epsilon());
    } else if (node.step() instanceof ImportedStep.Affine affine && affine.shift()[0] > 0) {
      epsilons.add(affine.shift()[0]);
    }
  }

  private @Nullable Found fitted(int at, int source, Set<Double> epsilons) {
    int width = nodes.get(at).outputs();
    double[][] rows = rows(width);
    double[][] values = new double[rows.length][];
    for (int row = 0; row < rows.length; row++) {
      Map<Integer, double[]> known = new HashMap<>(Map.of(source, rows[row]));
      values[row] = value(at, known);
    }
    for (double epsilon : epsilons) {
      Found found = fitted(source, rows, values, epsilon);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static double[][] rows(int width) {
    Random random = new Random(width);
    double[][] rows = new double[USUAL_ROWS + NARROW_ROWS][width];
    for (int row = 0; row < rows.length; row++) {
      double spread = row < USUAL_ROWS ? 1 : NARROW;
      Arrays.setAll(rows[row], i -> 0.3 + spread * random.nextGaussian());
    }
    return rows;
  }

  /** Fits scale and shift of each number by least squares; null if a value does not fit. */
  private static @Nullable Found fitted(
      int source, double[][] rows, double[][] values, double epsilon) {
    int width = rows[0].length;
    double[][] normal = new double[rows.length][];
    Arrays.setAll(normal, row -> normal(rows[row], epsilon));
    double[] gamma = new double[width];
    double[] beta = new double[width];
    for (int i = 0; i < width; i++) {
      double meanNormal = 0;
      double meanValue = 0;
      for (int row = 0; row < USUAL_ROWS; row++) {
        meanNormal += normal[row][i] / USUAL_ROWS;
        meanValue += values[row][i] / USUAL_ROWS;
      }
      double products = 0;
      double squares = 0;
      for (int row = 0; row < USUAL_ROWS; row++) {
        products += (normal[row][i] - meanNormal) * (values[row][i] - meanValue);
        squares += (normal[row][i] - meanNormal) * (normal[row][i] - meanNormal);
      }
      gamma[i] = products / squares;
      beta[i] = meanValue - gamma[i] * meanNormal;
      for (int row = 0; row < rows.length; row++) {
        double expected = gamma[i] * normal[row][i] + beta[i];
        if (!(Math.abs(values[row][i] - expected) <= CLOSE * (1 + Math.abs(expected)))) {
          return null;
        }
      }
    }
    return new Found(source, gamma, beta, epsilon);
  }

  private static double[] normal(double[] row, double epsilon) {
    double mean = Arrays.stream(row).average().orElse(0);
    double variance = Arrays.stream(row).map(x -> (x - mean) * (x - mean)).average().orElse(0);
    return Arrays.stream(row).map(x -> (x - mean) / Math.sqrt(variance + epsilon)).toArray();
  }

  private double[] value(int at, Map<Integer, double[]> known) {
    double[] before = known.get(at);
    if (before != null) {
      return before;
    }
    ImportedNetwork.Node node = nodes.get(at);
    double[][] from = new double[node.sources().size()][];
    for (int i = 0; i < from.length; i++) {
      from[i] = value(node.sources().get(i), known);
    }
    double[] value = value(node, from);
    known.put(at, value);
    return value;
  }

  private static double[] value(ImportedNetwork.Node node, double[][] from) {
    double[] value = new double[node.outputs()];
    Arrays.fill(value, Double.NaN);
    if (node.step() instanceof ImportedStep.Activated activated) {
      var function = NumberFunctions.of(activated);
      if (function != null) {
        Arrays.setAll(value, i -> function.applyAsDouble(from[0][i]));
      }
    } else if (node.step() instanceof ImportedStep.Affine affine) {
      Arrays.setAll(value, i -> from[0][i] * affine.scale()[i] + affine.shift()[i]);
    } else if (node.step() instanceof ImportedStep.Combined combined) {
      Arrays.setAll(
          value,
          i ->
              NumberFunctions.combined(
                  combined.operation(),
                  Arrays.stream(from).mapToDouble(each -> each[i]).toArray()));
    } else if (node.step() instanceof ImportedStep.RowMean) {
      Arrays.fill(value, Arrays.stream(from[0]).average().orElse(0));
    } else if (node.step() instanceof ImportedStep.Stretched) {
      Arrays.fill(value, from[0][0]);
    } else if (node.step() instanceof ImportedStep.LayerNormalized normalized) {
      double[] normal = normal(from[0], normalized.epsilon());
      Arrays.setAll(value, i -> normal[i] * normalized.gamma()[i] + normalized.beta()[i]);
    }
    return value;
  }
}
