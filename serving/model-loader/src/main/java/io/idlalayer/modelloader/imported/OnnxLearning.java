package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import java.util.Arrays;
import java.util.Locale;

/** Reads operators of {@code ai.onnx.ml}, which the converter of scikit-learn writes. */
final class OnnxLearning {
  private final ImportedSteps steps;

  OnnxLearning(ImportedSteps steps) {
    this.steps = steps;
  }

  /**
   * Adds the steps that compute a node's output.
   *
   * @param rows input of the node
   * @throws UnimportableException if the file uses the operator in an unknown way
   */
  Rows read(OnnxFile.Node node, Rows rows) throws UnimportableException {
    return switch (node.operator()) {
      case "Scaler" -> {
        double[] offset = each(node, "offset", rows, 0);
        double[] scale = each(node, "scale", rows, 1);
        double[] added = new double[scale.length];
        Arrays.setAll(added, i -> -offset[i] * scale[i]);
        yield steps.affine(node.label(), rows, scale, added);
      }
      case "LinearRegressor" -> {
        if (node.integer("targets", 1) != 1 || !post(node).equals("NONE")) {
          throw other(node, "must have one target and no post_transform");
        }
        yield coefficients(node, rows, 1);
      }
      case "LinearClassifier" -> classifier(node, rows);
      case "ZipMap" -> rows;
      case "Normalizer" -> {
        if (!steps.isProbabilities(rows) || !node.text("norm", "MAX").equals("L1")) {
          throw other(
              node,
              "is accepted only directly after the probabilities of a classifier, with norm L1");
        }
        yield rows;
      }
      default -> throw other(node, "is not known");
    };
  }

  private static UnimportableException other(OnnxFile.Node node, String what) {
    return new UnimportableException("%s %s".formatted(node.label(), what));
  }

  private static String post(OnnxFile.Node node) {
    return node.text("post_transform", "NONE");
  }

  private static double[] each(OnnxFile.Node node, String attribute, Rows rows, double otherwise)
      throws UnimportableException {
    double[] given = node.numbers(attribute);
    double[] all = new double[rows.size()];
    if (given == null || given.length == 0) {
      Arrays.fill(all, otherwise);
    } else if (given.length == 1 || given.length == all.length) {
      Arrays.setAll(all, i -> given[given.length == 1 ? 0 : i]);
    } else {
      throw other(
          node,
          String.format(
              Locale.ROOT,
              "has %d numbers '%s' for %d columns",
              given.length,
              attribute,
              all.length));
    }
    return all;
  }

  private Rows classifier(OnnxFile.Node node, Rows rows) throws UnimportableException {
    double[] intercepts = node.numbers("intercepts");
    double[] weights = node.numbers("coefficients");
    int outputs = weights == null ? 0 : weights.length / Math.max(1, rows.size());
    Rows sums = coefficients(node, rows, outputs);
    switch (post(node)) {
      case "SOFTMAX" -> {
        return steps.activated(node.label(), sums, ImportedStep.Function.SOFTMAX, 0);
      }
      case "LOGISTIC" -> {
        if (outputs == 1) {
          Rows second = steps.activated(node.label(), sums, ImportedStep.Function.SIGMOID, 0);
          return steps.bothClasses(node.label(), second);
        } else if (outputs == 2 && intercepts != null && steps.opposite(sums)) {
          return steps.halved(node.label(), sums);
        }
        throw other(
            node,
            String.format(
                Locale.ROOT,
                "gives each of %d classes a probability of its own (post_transform LOGISTIC); a softmax over all classes is known (multi_class multinomial)",
                outputs));
      }
      default -> throw other(node, "has the post_transform %s".formatted(post(node)));
    }
  }

  /** Adds the product with a linear model's coefficients; they have one row per output. */
  private Rows coefficients(OnnxFile.Node node, Rows rows, int outputs)
      throws UnimportableException {
    double[] weights = node.numbers("coefficients");
    double[] bias = node.numbers("intercepts");
    long found = weights == null ? 0 : weights.length;
    if (weights == null || outputs == 0 || found != (long) outputs * rows.size()) {
      throw other(
          node,
          String.format(
              Locale.ROOT,
              "has %d coefficients for %d columns and %d outputs",
              found,
              rows.size(),
              outputs));
    }
    Constant product = new Constant(new long[] {outputs, rows.size()}, weights);
    Constant sum =
        bias == null || bias.length == 0 ? null : new Constant(new long[] {bias.length}, bias);
    return steps.linear(node.label(), rows, product, sum, 1, 1, true);
  }
}
