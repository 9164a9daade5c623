package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes the layers of a plan in a few words, without their names and losses. */
final class LayerShapes {
  private LayerShapes() {}

  /** Returns all layers, such as {@code 4 inputs, dense 16 relu, output 3 softmax}. */
  static String of(NetworkPlan plan) {
    return "%d inputs, ".formatted(plan.inputs())
        + plan.nodes().stream().map(node -> of(node.layer())).collect(Collectors.joining(", "));
  }

  /**
   * Returns the text for a layer. Two layers have equal texts if the parameters of one fit the
   * other.
   */
  static String of(LayerPlan layer) {
    if (layer instanceof LayerPlan.Dense dense) {
      return "dense %d%s%s".formatted(dense.outputs(), of(dense.activation()), bias(dense.bias()));
    } else if (layer instanceof LayerPlan.Output output) {
      return "output %d%s%s"
          .formatted(
              output.outputs(),
              output.softmax() ? " softmax" : of(output.activation()),
              bias(output.bias()));
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      return "convolution %s with %d filters%s%s"
          .formatted(
              of(convolved.shape().window()),
              convolved.shape().filters(),
              of(convolved.activation()),
              bias(convolved.bias()));
    } else if (layer instanceof LayerPlan.Pooled pooled) {
      return "%s pooling %s"
          .formatted(
              pooled.shape().kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
              of(pooled.shape().window()));
    }
    if (layer instanceof LayerPlan.Recurrent recurrent) {
      return String.format(
          Locale.ROOT,
          "LSTM %d over %d steps of %d numbers%s, gates%s",
          recurrent.units(),
          recurrent.steps(),
          recurrent.inputs(),
          of(recurrent.activation()),
          of(recurrent.gates()));
    } else if (layer instanceof LayerPlan.LayerNormalized) {
      return "layer normalization";
    } else if (layer instanceof LayerPlan.ParametricRelu rectified) {
      int slopes = rectified.slopes();
      return slopes == 1 ? "prelu with one slope" : "prelu with %d slopes".formatted(slopes);
    } else if (layer instanceof LayerPlan.LastStep) {
      return "last step";
    } else if (layer instanceof LayerPlan.Activated activated) {
      return "activation" + of(activated.activation());
    } else if (layer instanceof LayerPlan.Combined combined) {
      return combined.combination().name().toLowerCase(Locale.ROOT);
    } else if (layer instanceof LayerPlan.Merged merged) {
      return "concatenation " + merged.outputs();
    } else if (layer instanceof LayerPlan.Part part) {
      return "numbers %d to %d".formatted(part.from(), part.from() + part.outputs() - 1);
    }
    String all = layer.toString();
    return all.replaceFirst("name=[^,\\]]*, ", "").replaceFirst("loss=.*", "");
  }

  private static String bias(boolean has) {
    return has ? "" : " without bias";
  }

  private static String of(Activation activation) {
    return switch (activation.kind()) {
      case IDENTITY -> "";
      case RELU -> activation.alpha() == 0 ? " relu" : " leaky relu " + activation.alpha();
      case TANH -> " tanh";
      case SIGMOID -> " sigmoid";
      case ELU, BOUNDED_RELU, THRESHOLDED_RELU, HARD_SIGMOID ->
          " %s %s".formatted(name(activation), activation.alpha());
      case SELU, SOFTPLUS, SOFTSIGN, GELU, GELU_TANH, SWISH, MISH, HARD_SWISH ->
          " " + name(activation);
    };
  }

  private static String name(Activation activation) {
    return activation.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String of(KernelWindow window) {
    return "%d x %d, stride %d x %d, padding %d x %d, on %d images of %d x %d to %d x %d"
        .formatted(
            window.rows(),
            window.columns(),
            window.down(),
            window.right(),
            window.top(),
            window.left(),
            window.channels(),
            window.height(),
            window.width(),
            window.outputHeight(),
            window.outputWidth());
  }
}
