package io.idlalayer.modelloader.imported;

import io.idlalayer.modelruntime.function.ActivationFormulas;
import io.idlalayer.modelruntime.function.ErrorFunction;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Computes the functions that steps apply to single numbers, in double precision. */
final class NumberFunctions {
  private NumberFunctions() {}

  /** Returns the function of a step; null for a function of whole rows. */
  static @Nullable DoubleUnaryOperator of(ImportedStep.Activated step) {
    double alpha = step.alpha();
    return switch (step.function()) {
      case RELU -> x -> Math.max(0, x);
      case LEAKY_RELU -> x -> x < 0 ? alpha * x : x;
      case ELU -> x -> x < 0 ? alpha * Math.expm1(x) : x;
      case SELU -> ActivationFormulas::selu;
      case SOFTPLUS -> ActivationFormulas::softplus;
      case SOFTSIGN -> ActivationFormulas::softsign;
      case GELU -> ActivationFormulas::gelu;
      case GELU_TANH -> ActivationFormulas::geluTanh;
      case SWISH -> ActivationFormulas::swish;
      case MISH -> ActivationFormulas::mish;
      case BOUNDED_RELU -> x -> Math.max(0, Math.min(alpha, x));
      case THRESHOLDED_RELU -> x -> x <= alpha ? 0 : x;
      case HARD_SIGMOID -> x -> ActivationFormulas.hardSigmoid(x, alpha);
      case HARD_SWISH -> ActivationFormulas::hardSwish;
      case TANH -> Math::tanh;
      case SIGMOID -> ActivationFormulas::sigmoid;
      case ERF -> ErrorFunction::erf;
      case POWER -> x -> Math.pow(x, alpha);
      case ABSOLUTE -> Math::abs;
      case ABOVE -> x -> x > alpha ? 1 : 0;
      case EXPONENTIAL -> Math::exp;
      case SOFTMAX, LOG_SOFTMAX -> null;
    };
  }

  /** Returns the combination of numbers. */
  static double combined(ImportedStep.Operation operation, double[] numbers) {
    if (operation == ImportedStep.Operation.CHOICE) {
      return numbers[numbers[0] == 0 ? 2 : 1];
    }
    double value = numbers[0];
    for (int i = 1; i < numbers.length; i++) {
      value =
          switch (operation) {
            case SUM, MEAN -> value + numbers[i];
            case DIFFERENCE -> value - numbers[i];
            case PRODUCT -> value * numbers[i];
            case QUOTIENT -> value / numbers[i];
            case MAXIMUM -> Math.max(value, numbers[i]);
            case CHOICE -> value;
          };
    }
    return operation == ImportedStep.Operation.MEAN ? value / numbers.length : value;
  }
}
