package io.idlalayer.modelloader.imported;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Says what to do about operators that cannot be imported. */
final class UnknownOperators {
  private UnknownOperators() {}

  /** Returns advice for a file with these operators. */
  static String advice(List<String> operators) {
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
      case "LayerNormalization",
          "InstanceNormalization",
          "GroupNormalization",
          "RMSNormalization",
          "LpNormalization" ->
          "BatchNormalization can be trained";
      case "Pow" ->
          "it is a part of layer normalization, in whose place BatchNormalization can be trained";
      case "Gelu",
          "Erf",
          "HardSigmoid",
          "HardSwish",
          "Mish",
          "PRelu",
          "Selu",
          "Softplus",
          "Swish" ->
          "the activations Relu, LeakyRelu, Elu, Tanh and Sigmoid can be trained";
      case "Attention", "MultiHeadAttention", "Einsum" -> "attention cannot be trained";
      case "TreeEnsembleClassifier",
          "TreeEnsembleRegressor",
          "TreeEnsemble",
          "SVMClassifier",
          "SVMRegressor" ->
          "trees and support vector machines are no networks";
      case "If", "Loop", "Scan" ->
          "write the network in evaluation mode, and without branches that depend on numbers";
      default -> "write the network without it";
    };
  }
}
