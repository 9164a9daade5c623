package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelloader.imported.ImportedStep;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The weights of an imported LSTM, in the order of the engine's layer. In the engine's layer, the
 * candidate comes first, and then the forget, output and input gates.
 */
final class RecurrentParameters {
  private static final int LAST_GATE = 3;

  private final ImportedStep.Recurrent step;
  private final double[] inputs;
  private final double[] bias;

  RecurrentParameters(ImportedStep.Recurrent step) {
    this.step = step;
    inputs = step.inputs().clone();
    bias = step.bias().clone();
  }

  /** Returns whether an LSTM has the sizes of a layer. */
  static boolean fit(ImportedStep.Recurrent step, LayerPlan.Recurrent layer) {
    return step.size() == layer.inputs()
        && step.units() == layer.units()
        && step.steps() == layer.steps();
  }

  static boolean sameFunctions(ImportedStep.Recurrent step, LayerPlan.Recurrent layer) {
    return kind(step.activation()).equals(layer.activation())
        && kind(step.gates()).equals(layer.gates());
  }

  private static Activation kind(ImportedStep.Function function) {
    return switch (function) {
      case RELU -> Activation.RELU;
      case TANH -> Activation.TANH;
      case SIGMOID -> Activation.SIGMOID;
      default -> Activation.IDENTITY;
    };
  }

  /** Returns whether selected numbers are the last step of each unit of a series. */
  static boolean isLastStep(ImportedStep.Ordered taken, LayerPlan.LastStep layer) {
    int steps = layer.steps();
    return Arrays.equals(
        taken.order(),
        IntStream.range(0, layer.outputs()).map(i -> i * steps + steps - 1).toArray());
  }

  /**
   * Folds the operations that change the application's numbers before the first layer into the
   * weights of the first layer.
   *
   * @return whether the numbers have the order that the layer expects, and equal factors in all
   *     steps; if not, nothing is folded
   */
  boolean takesInputs(ImportedStep.Input input) {
    int steps = step.steps();
    for (int i = 0; i < input.columns().length; i++) {
      int first = i / steps * steps;
      if (input.columns()[i] != i
          || input.shift()[i] != input.shift()[first]
          || input.scale()[i] != input.scale()[first]) {
        return false;
      }
    }
    for (int i = 0; i < inputs.length; i++) {
      int value = i % step.size() * steps;
      bias[i / step.size()] += inputs[i] * input.shift()[value];
      inputs[i] *= input.scale()[value];
    }
    return true;
  }

  void writeInputs(float[] parameters, int from) {
    write(inputs, step.size(), parameters, from);
  }

  void writeOutputs(float[] parameters, int from) {
    write(step.outputs(), step.units(), parameters, from);
  }

  void writeBias(float[] parameters, int from) {
    write(bias, 1, parameters, from);
  }

  /**
   * @param weights shape [4, units, inputs]
   */
  private void write(double[] weights, int width, float[] parameters, int from) {
    int gate = step.units() * width;
    for (int i = 0; i < weights.length; i++) {
      parameters[from + (LAST_GATE - i / gate) * gate + i % gate] = (float) weights[i];
    }
  }
}
