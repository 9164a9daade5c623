package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Refuses operators that cannot be imported, and says what to do about them. */
final class UnknownOperators {
  private static final Set<String> OPERATORS =
      new TreeSet<>(
          List.of(
              "Abs",
              "Add",
              "AveragePool",
              "BatchNormalization",
              "Cast",
              "Clip",
              "Concat",
              "Constant",
              "ConstantOfShape",
              "Conv",
              "Div",
              "Dropout",
              "Elu",
              "Erf",
              "Exp",
              "Expand",
              "Flatten",
              "Gather",
              "Gelu",
              "Gemm",
              "GlobalAveragePool",
              "GlobalMaxPool",
              "Greater",
              "HardSigmoid",
              "HardSwish",
              "Identity",
              "LSTM",
              "LayerNormalization",
              "LeakyRelu",
              "Less",
              "LogSoftmax",
              "MatMul",
              "Max",
              "MaxPool",
              "Mean",
              "Mish",
              "Mul",
              "OneHot",
              "PRelu",
              "Pad",
              "Pow",
              "Reciprocal",
              "ReduceMax",
              "ReduceMean",
              "ReduceSum",
              "Relu",
              "Reshape",
              "Selu",
              "Shape",
              "Sigmoid",
              "Slice",
              "Softmax",
              "Softplus",
              "Softsign",
              "Split",
              "Sqrt",
              "Squeeze",
              "Sub",
              "Sum",
              "Swish",
              "Tanh",
              "ThresholdedRelu",
              "Transpose",
              "Unsqueeze",
              "Where"));

  private static final Set<String> LEARNED_OPERATORS =
      new TreeSet<>(
          List.of("LinearClassifier", "LinearRegressor", "Normalizer", "Scaler", "ZipMap"));

  /** Most unknown nodes that a message names. */
  private static final int MOST_NAMED = 8;

  private UnknownOperators() {}

  /**
   * Refuses the nodes with unknown operators, all together.
   *
   * @throws UnimportableException if there are any
   */
  static void refuse(List<OnnxFile.Node> nodes) throws UnimportableException {
    List<OnnxFile.Node> unknown =
        nodes.stream()
            .filter(
                node ->
                    !(node.domain().isEmpty() && OPERATORS.contains(node.operator()))
                        && !(node.domain().equals(OnnxImport.LEARNING)
                            && LEARNED_OPERATORS.contains(node.operator())))
            .toList();
    if (unknown.isEmpty()) {
      return;
    }
    String named =
        unknown.stream()
            .limit(MOST_NAMED)
            .map(OnnxFile.Node::label)
            .collect(Collectors.joining(", "));
    int more = unknown.size() - MOST_NAMED;
    throw new UnimportableException(
        String.format(
            Locale.ROOT,
            "%s%s %s not known; %s; known are %s, and of %s %s",
            named,
            more > 0 ? " and " + more + " more" : "",
            unknown.size() == 1 ? "is" : "are",
            advice(unknown.stream().map(OnnxFile.Node::operator).toList()),
            String.join(", ", OPERATORS),
            OnnxImport.LEARNING,
            String.join(", ", LEARNED_OPERATORS)));
  }

  /** Returns advice for a file with these operators. */
  private static String advice(List<String> operators) {
    Set<String> advice = new LinkedHashSet<>();
    for (String operator : operators) {
      advice.add(advice(operator));
    }
    return String.join("; ", advice);
  }

  private static String advice(String operator) {
    return switch (operator) {
      case "QuantizeLinear",
          "DequantizeLinear",
          "DynamicQuantizeLinear",
          "QLinearConv",
          "QLinearMatMul",
          "QGemm",
          "MatMulInteger",
          "ConvInteger" ->
          "a quantized network cannot be trained: write the one before quantization";
      case "GRU", "RNN" -> "LSTM layers can be trained";
      case "InstanceNormalization", "GroupNormalization", "RMSNormalization", "LpNormalization" ->
          "BatchNormalization and LayerNormalization can be trained";
      case "Celu", "Shrink" ->
          "the activations Relu, LeakyRelu, PRelu, ThresholdedRelu, Elu, Selu, Gelu, Swish, HardSwish, Mish, Softplus, Softsign, Tanh, Sigmoid and HardSigmoid can be trained";
      case "Attention", "MultiHeadAttention", "Einsum" -> "attention cannot be trained";
      case "TreeEnsembleClassifier",
          "TreeEnsembleRegressor",
          "TreeEnsemble",
          "SVMClassifier",
          "SVMRegressor" ->
          "trees and support vector machines are no networks";
      case "If", "Loop", "Scan" ->
          "write the network in evaluation mode, without branches that depend on numbers, and with the sum or mean of an Embedding in place of an EmbeddingBag";
      default -> "write the network without it";
    };
  }
}
