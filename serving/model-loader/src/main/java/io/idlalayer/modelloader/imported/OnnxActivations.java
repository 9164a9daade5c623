package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelruntime.function.ActivationFormulas;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads operators that compute a function of each number, or of whole rows. */
final class OnnxActivations {
  private static final Set<String> OPERATORS =
      Set.of(
          "Abs",
          "Elu",
          "Erf",
          "Exp",
          "Gelu",
          "Greater",
          "HardSigmoid",
          "HardSwish",
          "LeakyRelu",
          "LogSoftmax",
          "Mish",
          "Pow",
          "Relu",
          "Selu",
          "Sigmoid",
          "Softmax",
          "Softplus",
          "Softsign",
          "Sqrt",
          "Swish",
          "Tanh",
          "ThresholdedRelu");

  private final ImportedSteps steps;

  OnnxActivations(ImportedSteps steps) {
    this.steps = steps;
  }

  /** Returns whether a node has one of these operators. */
  static boolean isKnown(OnnxFile.Node node) {
    return OPERATORS.contains(node.operator());
  }

  /**
   * Adds the steps that compute a node's output.
   *
   * @param second the node's second input, if this input is an array of the file
   */
  Rows read(OnnxFile.Node node, Rows rows, @Nullable Constant second) throws UnimportableException {
    return switch (node.operator()) {
      case "Relu" -> add(node, rows, ImportedStep.Function.RELU, 0);
      case "LeakyRelu" ->
          add(node, rows, ImportedStep.Function.LEAKY_RELU, node.number("alpha", 0.01));
      case "Elu" -> add(node, rows, ImportedStep.Function.ELU, node.number("alpha", 1));
      case "Selu" -> selu(node, rows);
      case "ThresholdedRelu" ->
          add(node, rows, ImportedStep.Function.THRESHOLDED_RELU, node.number("alpha", 1));
      case "HardSigmoid" -> hardSigmoid(node, rows);
      case "HardSwish" -> add(node, rows, ImportedStep.Function.HARD_SWISH, 0);
      case "Softplus" -> add(node, rows, ImportedStep.Function.SOFTPLUS, 0);
      case "Softsign" -> add(node, rows, ImportedStep.Function.SOFTSIGN, 0);
      case "Gelu" -> gelu(node, rows);
      case "Swish" -> swish(node, rows);
      case "Mish" -> add(node, rows, ImportedStep.Function.MISH, 0);
      case "Erf" -> add(node, rows, ImportedStep.Function.ERF, 0);
      case "Pow" -> add(node, rows, ImportedStep.Function.POWER, single(node, second));
      case "Sqrt" -> add(node, rows, ImportedStep.Function.POWER, 0.5);
      case "Abs" -> add(node, rows, ImportedStep.Function.ABSOLUTE, 0);
      case "Greater" -> add(node, rows, ImportedStep.Function.ABOVE, single(node, second));
      case "Tanh" -> add(node, rows, ImportedStep.Function.TANH, 0);
      case "Sigmoid" -> add(node, rows, ImportedStep.Function.SIGMOID, 0);
      case "Exp" -> add(node, rows, ImportedStep.Function.EXPONENTIAL, 0);
      case "Softmax" -> softmax(node, rows, ImportedStep.Function.SOFTMAX);
      case "LogSoftmax" -> softmax(node, rows, ImportedStep.Function.LOG_SOFTMAX);
      default -> throw other(node, "is not known");
    };
  }

  private static UnimportableException other(OnnxFile.Node node, String what) {
    return new UnimportableException("%s %s".formatted(node.label(), what));
  }

  private Rows add(OnnxFile.Node node, Rows rows, ImportedStep.Function function, double alpha)
      throws UnimportableException {
    return steps.activated(node.label(), rows, function, alpha);
  }

  private Rows selu(OnnxFile.Node node, Rows rows) throws UnimportableException {
    double alpha = node.number("alpha", ActivationFormulas.SELU_ALPHA);
    double scale = node.number("gamma", ActivationFormulas.SELU_SCALE);
    if (!close(alpha, ActivationFormulas.SELU_ALPHA)
        || !close(scale, ActivationFormulas.SELU_SCALE)) {
      throw other(
          node, "has alpha %s and gamma %s; known is it without these".formatted(alpha, scale));
    }
    return add(node, rows, ImportedStep.Function.SELU, 0);
  }

  private Rows hardSigmoid(OnnxFile.Node node, Rows rows) throws UnimportableException {
    double beta = node.number("beta", 0.5);
    if (!close(beta, 0.5)) {
      throw other(node, "has beta %s; known is 0.5".formatted(beta));
    }
    return add(node, rows, ImportedStep.Function.HARD_SIGMOID, node.number("alpha", 0.2));
  }

  /**
   * Adds the step that a {@code Clip} node computes: a ReLU, with or without an upper bound.
   *
   * @param least the lower bound; minus infinity for none
   * @param most the upper bound; infinity for none
   */
  Rows clip(OnnxFile.Node node, Rows rows, double least, double most) throws UnimportableException {
    if (least != 0 || !(most > 0)) {
      throw other(
          node,
          "bounds what a layer gives by %s and %s; known is 0 as the lower bound, and inputs may have any bounds"
              .formatted(least, most));
    }
    return most == Double.POSITIVE_INFINITY
        ? add(node, rows, ImportedStep.Function.RELU, 0)
        : add(node, rows, ImportedStep.Function.BOUNDED_RELU, most);
  }

  private static boolean close(double found, double expected) {
    return Math.abs(found - expected) < 1e-6;
  }

  private Rows gelu(OnnxFile.Node node, Rows rows) throws UnimportableException {
    String approximate = node.text("approximate", "none");
    return switch (approximate) {
      case "none" -> add(node, rows, ImportedStep.Function.GELU, 0);
      case "tanh" -> add(node, rows, ImportedStep.Function.GELU_TANH, 0);
      default ->
          throw other(
              node, "has the approximation %s; known are none and tanh".formatted(approximate));
    };
  }

  private Rows swish(OnnxFile.Node node, Rows rows) throws UnimportableException {
    if (node.number("alpha", 1) != 1) {
      throw other(node, "has alpha %s; known is 1".formatted(node.number("alpha", 1)));
    }
    return add(node, rows, ImportedStep.Function.SWISH, 0);
  }

  private static double single(OnnxFile.Node node, @Nullable Constant given)
      throws UnimportableException {
    if (given == null || given.numbers().length != 1) {
      throw other(node, "must have a single number of the file as its second input");
    }
    return given.numbers()[0];
  }

  private Rows softmax(OnnxFile.Node node, Rows rows, ImportedStep.Function function)
      throws UnimportableException {
    long axis = node.integer("axis", -1);
    if (rows.shape().length != 1 || (axis != 1 && axis != -1)) {
      throw other(node, "must be over the classes of a row (axis 1)");
    }
    return add(node, rows, function, 0);
  }
}
