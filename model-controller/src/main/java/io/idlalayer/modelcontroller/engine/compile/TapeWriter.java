package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.BatchNormalization;
import io.idlalayer.modelcontroller.engine.kernel.ColumnSums;
import io.idlalayer.modelcontroller.engine.kernel.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.LossErrors;
import io.idlalayer.modelcontroller.engine.kernel.ParameterUpdate;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.Product;
import io.idlalayer.modelcontroller.engine.kernel.Progress;
import io.idlalayer.modelcontroller.engine.kernel.RowBias;
import io.idlalayer.modelcontroller.engine.kernel.Softmax;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Step;
import io.idlalayer.modelcontroller.engine.tape.Step.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.deeplearning4j.nn.params.BatchNormalizationParamInitializer;

/** Writes the tapes of a network for a number of rows. */
public final class TapeWriter {
  private final NetworkPlan plan;
  private final NetworkTensors tensors;
  private final KernelLibrary kernels;
  private final int rows;
  private final List<Step> steps = new ArrayList<>();
  private final Map<String, PlannedKernel> pooled = new HashMap<>();
  private final Map<String, BatchNormalization> normalized = new HashMap<>();

  private TapeWriter(NetworkPlan plan, NetworkTensors tensors, KernelLibrary kernels, int rows) {
    this.plan = plan;
    this.tensors = tensors;
    this.kernels = kernels;
    this.rows = rows;
  }

  /**
   * A tape that predicts.
   *
   * @param features of shape [rows, inputs]
   * @param outputs of shape [rows, outputs]
   */
  public record Inference(Tape tape, Tensor features, Tensor outputs) {}

  /**
   * A tape that trains: forward, backward and update.
   *
   * @param features of shape [rows, inputs]
   * @param labels of shape [rows, outputs]
   * @param loss the kernel that knows the loss of the last run
   */
  public record Training(Tape tape, Tensor features, Tensor labels, LossErrors loss) {}

  public static Inference inference(
      NetworkPlan plan, NetworkTensors tensors, KernelLibrary kernels, int rows) {
    TapeWriter writer = new TapeWriter(plan, tensors, kernels, rows);
    Tensor features = writer.features();
    Tensor outputs = features;
    for (LayerPlan layer : plan.layers()) {
      outputs = writer.forward(layer, outputs, false);
      if (layer instanceof LayerPlan.Output last) {
        writer.predict(last, outputs);
      }
    }
    return new Inference(new Tape(writer.steps), features, outputs);
  }

  public static Training training(
      NetworkPlan plan,
      NetworkTensors tensors,
      KernelLibrary kernels,
      Progress progress,
      int rows) {
    TapeWriter writer = new TapeWriter(plan, tensors, kernels, rows);
    Tensor features = writer.features();
    List<Tensor> values = new ArrayList<>(List.of(features));
    for (LayerPlan layer : plan.layers()) {
      values.add(writer.forward(layer, values.get(values.size() - 1), true));
    }
    int last = plan.layers().size() - 1;
    LayerPlan.Output output = (LayerPlan.Output) plan.layers().get(last);
    Tensor errors = values.get(last + 1);
    Tensor labels = new Tensor("labels", Tensor.Kind.INPUT, errors.length());
    LossErrors loss = new LossErrors(output.loss(), errors, labels, output.outputs());
    writer.step(
        Phase.FORWARD, output.name(), "loss", loss, List.of(errors, labels), List.of(errors));
    for (int i = last; i >= 0; i--) {
      errors = writer.backward(plan.layers().get(i), values.get(i), values.get(i + 1), errors);
    }
    writer.update(progress);
    return new Training(new Tape(writer.steps), features, labels, loss);
  }

  private Tensor features() {
    return new Tensor("features", Tensor.Kind.INPUT, rows * plan.inputs());
  }

  private void step(
      Phase phase,
      String layer,
      String name,
      Kernel kernel,
      List<Tensor> reads,
      List<Tensor> writes) {
    steps.add(new Step(phase, layer, name, kernel, reads, writes));
  }

  // ---- forward ----------------------------------------------------------------------------------

  private Tensor forward(LayerPlan layer, Tensor inputs, boolean training) {
    if (layer instanceof LayerPlan.Dense dense) {
      Tensor outputs = products(dense.name(), inputs, dense.outputs(), dense.bias());
      activate(dense.name(), dense.activation(), outputs);
      return outputs;
    } else if (layer instanceof LayerPlan.Output output) {
      return products(output.name(), inputs, output.outputs(), output.bias());
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      return convolve(convolved, inputs);
    } else if (layer instanceof LayerPlan.Pooled pooled) {
      return pool(pooled, inputs, training);
    } else if (layer instanceof LayerPlan.Normalized normalized) {
      return normalize(normalized, inputs, training);
    }
    throw new IllegalStateException("unknown layer " + layer);
  }

  /** Inputs x weights + bias, of shape [rows, width]. */
  private Tensor products(String layer, Tensor inputs, int width, boolean withBias) {
    Tensor weights = tensors.parameters(layer + ".W");
    Tensor outputs = new Tensor(layer + ".values", Tensor.Kind.ACTIVATIONS, rows * width);
    if (withBias) {
      Tensor bias = tensors.parameters(layer + ".b");
      Kernel kernel = new RowBias(bias, outputs);
      step(Phase.FORWARD, layer, "bias", kernel, List.of(bias), List.of(outputs));
    }
    Product shape = new Product(rows, width, inputs.length() / rows, false, true, withBias);
    Kernel kernel = kernels.product(shape, inputs, weights, outputs);
    step(Phase.FORWARD, layer, "product", kernel, List.of(inputs, weights), List.of(outputs));
    return outputs;
  }

  private Tensor convolve(LayerPlan.Convolved layer, Tensor inputs) {
    String name = layer.name();
    Tensor weights = tensors.parameters(name + ".W");
    Tensor bias = layer.bias() ? tensors.parameters(name + ".b") : null;
    Tensor outputs = new Tensor(name + ".values", Tensor.Kind.ACTIVATIONS, rows * layer.outputs());
    PlannedKernel planned =
        kernels.convolution(name, layer.shape(), rows, inputs, weights, bias, outputs);
    List<Tensor> reads = new ArrayList<>(List.of(inputs, weights));
    if (bias != null) {
      reads.add(bias);
    }
    step(Phase.FORWARD, name, "convolution", planned, reads, outputs);
    activate(name, layer.activation(), outputs);
    return outputs;
  }

  private Tensor pool(LayerPlan.Pooled layer, Tensor inputs, boolean training) {
    String name = layer.name();
    Tensor outputs = new Tensor(name + ".values", Tensor.Kind.ACTIVATIONS, rows * layer.outputs());
    PlannedKernel planned = kernels.pooling(name, layer.shape(), rows, inputs, outputs, training);
    pooled.put(name, planned);
    step(Phase.FORWARD, name, "pooling", planned, List.of(inputs), outputs);
    return outputs;
  }

  private Tensor normalize(LayerPlan.Normalized layer, Tensor inputs, boolean training) {
    String name = layer.name();
    BatchNormalization normalization =
        new BatchNormalization(
            new BatchNormalization.Shape(
                rows,
                layer.channels(),
                layer.pixels(),
                layer.epsilon(),
                layer.decay(),
                layer.spread().equals(BatchNormalizationParamInitializer.GLOBAL_LOG_STD)),
            each(layer, tensors::parameters));
    normalized.put(name, normalization);
    Tensor outputs = new Tensor(name + ".values", Tensor.Kind.ACTIVATIONS, rows * layer.outputs());
    Kernel kernel =
        training
            ? normalization.forward(inputs, outputs)
            : normalization.inference(inputs, outputs);
    List<Tensor> reads = new ArrayList<>(all(each(layer, tensors::parameters)));
    reads.add(inputs);
    step(Phase.FORWARD, name, "normalization", kernel, reads, List.of(outputs));
    return outputs;
  }

  private Tensor normalizeBackward(LayerPlan.Normalized layer, Tensor inputs, Tensor errors) {
    String name = layer.name();
    BatchNormalization normalization = normalized.get(name);
    if (normalization == null) {
      throw new IllegalStateException("layer " + name + " has no forward pass");
    }
    BatchNormalization.Parameters gradients = each(layer, tensors::gradients);
    // Errors are changed in place: nobody needs them any more.
    Kernel kernel = normalization.backward(inputs, errors, gradients, errors);
    List<Tensor> reads = new ArrayList<>(all(each(layer, tensors::parameters)));
    reads.addAll(List.of(inputs, errors));
    List<Tensor> writes = new ArrayList<>(all(gradients));
    writes.add(errors);
    step(Phase.BACKWARD, name, "normalization", kernel, reads, writes);
    return errors;
  }

  private static BatchNormalization.Parameters each(
      LayerPlan.Normalized layer, Function<String, Tensor> by) {
    String name = layer.name() + ".";
    return new BatchNormalization.Parameters(
        by.apply(name + BatchNormalizationParamInitializer.GAMMA),
        by.apply(name + BatchNormalizationParamInitializer.BETA),
        by.apply(name + BatchNormalizationParamInitializer.GLOBAL_MEAN),
        by.apply(name + layer.spread()));
  }

  private static List<Tensor> all(BatchNormalization.Parameters parameters) {
    return List.of(
        parameters.scale(),
        parameters.shift(),
        parameters.runningMean(),
        parameters.runningSpread());
  }

  /** A step with workspaces. */
  private void step(
      Phase phase,
      String layer,
      String name,
      PlannedKernel planned,
      List<Tensor> reads,
      Tensor... writes) {
    List<Tensor> changed = new ArrayList<>(List.of(writes));
    changed.addAll(planned.workspaces());
    step(phase, layer, name, planned.kernel(), reads, changed);
  }

  private void activate(String layer, Activation function, Tensor values) {
    if (!function.equals(Activation.IDENTITY)) {
      Kernel kernel = kernels.activation(function, values);
      step(Phase.FORWARD, layer, "activation", kernel, List.of(values), List.of(values));
    }
  }

  private void predict(LayerPlan.Output last, Tensor values) {
    if (last.softmax()) {
      Kernel kernel = new Softmax(values, last.outputs());
      step(Phase.FORWARD, last.name(), "softmax", kernel, List.of(values), List.of(values));
    } else {
      activate(last.name(), last.activation(), values);
    }
  }

  // ---- backward ---------------------------------------------------------------------------------

  /**
   * Gradients of a layer.
   *
   * @param errors gradient of the loss with respect to its outputs, changed
   * @return gradient with respect to its inputs; the errors again for the first layer, of which
   *     nobody needs it
   */
  private Tensor backward(LayerPlan layer, Tensor inputs, Tensor outputs, Tensor errors) {
    if (layer instanceof LayerPlan.Dense dense) {
      activateBackward(dense.name(), dense.activation(), outputs, errors);
      return productsBackward(dense.name(), inputs, dense.outputs(), dense.bias(), errors);
    } else if (layer instanceof LayerPlan.Output output) {
      return productsBackward(output.name(), inputs, output.outputs(), output.bias(), errors);
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      return convolveBackward(convolved, inputs, outputs, errors);
    } else if (layer instanceof LayerPlan.Pooled pooling) {
      return poolBackward(pooling, inputs, errors);
    } else if (layer instanceof LayerPlan.Normalized normalized) {
      return normalizeBackward(normalized, inputs, errors);
    }
    throw new IllegalStateException("unknown layer " + layer);
  }

  private void activateBackward(String layer, Activation function, Tensor outputs, Tensor errors) {
    if (!function.equals(Activation.IDENTITY)) {
      Kernel kernel = kernels.activationBackward(function, outputs, errors);
      List<Tensor> reads = List.of(outputs, errors);
      step(Phase.BACKWARD, layer, "activation", kernel, reads, List.of(errors));
    }
  }

  private Tensor convolveBackward(
      LayerPlan.Convolved layer, Tensor inputs, Tensor outputs, Tensor errors) {
    String name = layer.name();
    activateBackward(name, layer.activation(), outputs, errors);
    Tensor gradient = tensors.gradients(name + ".W");
    Tensor biasGradient = layer.bias() ? tensors.gradients(name + ".b") : null;
    PlannedKernel gradients =
        kernels.convolutionGradients(
            name, layer.shape(), rows, inputs, errors, gradient, biasGradient);
    Tensor[] writes =
        biasGradient == null ? new Tensor[] {gradient} : new Tensor[] {gradient, biasGradient};
    step(Phase.BACKWARD, name, "gradients", gradients, List.of(inputs, errors), writes);
    if (inputs.kind() == Tensor.Kind.INPUT) {
      return errors;
    }
    Tensor weights = tensors.parameters(name + ".W");
    Tensor before = new Tensor(name + ".errors", Tensor.Kind.ERRORS, inputs.length());
    PlannedKernel planned =
        kernels.convolutionErrors(name, layer.shape(), rows, weights, errors, before);
    step(Phase.BACKWARD, name, "errors", planned, List.of(weights, errors), before);
    return before;
  }

  private Tensor poolBackward(LayerPlan.Pooled layer, Tensor inputs, Tensor errors) {
    if (inputs.kind() == Tensor.Kind.INPUT) {
      return errors;
    }
    String name = layer.name();
    PlannedKernel forward = pooled.get(name);
    if (forward == null) {
      throw new IllegalStateException("layer " + name + " has no forward pass");
    }
    Tensor before = new Tensor(name + ".errors", Tensor.Kind.ERRORS, inputs.length());
    PlannedKernel planned =
        kernels.poolingErrors(name, layer.shape(), rows, forward, errors, before);
    List<Tensor> reads = new ArrayList<>(forward.workspaces());
    reads.add(errors);
    step(Phase.BACKWARD, name, "errors", planned, reads, before);
    return before;
  }

  private Tensor productsBackward(
      String layer, Tensor inputs, int width, boolean withBias, Tensor errors) {
    int depth = inputs.length() / rows;
    Tensor gradient = tensors.gradients(layer + ".W");
    Kernel ofWeights =
        kernels.product(
            new Product(width, depth, rows, true, false, false), errors, inputs, gradient);
    step(Phase.BACKWARD, layer, "gradient", ofWeights, List.of(errors, inputs), List.of(gradient));
    if (withBias) {
      Tensor ofBias = tensors.gradients(layer + ".b");
      Kernel sums = new ColumnSums(errors, ofBias);
      step(Phase.BACKWARD, layer, "bias gradient", sums, List.of(errors), List.of(ofBias));
    }
    if (inputs.kind() == Tensor.Kind.INPUT) {
      return errors;
    }
    Tensor weights = tensors.parameters(layer + ".W");
    Tensor before = new Tensor(layer + ".errors", Tensor.Kind.ERRORS, inputs.length());
    Kernel kernel =
        kernels.product(
            new Product(rows, depth, width, false, false, false), errors, weights, before);
    step(Phase.BACKWARD, layer, "errors", kernel, List.of(errors, weights), List.of(before));
    return before;
  }

  // ---- update -----------------------------------------------------------------------------------

  private void update(Progress progress) {
    Set<String> limited = new HashSet<>();
    for (NetworkPlan.Limit limit : plan.limits()) {
      limited.addAll(limit.parameters());
      List<Tensor> gradients = limit.parameters().stream().map(tensors::gradients).toList();
      Kernel kernel = new GradientLimit(limit.mode(), limit.threshold(), gradients, rows);
      step(Phase.UPDATE, layerOf(limit.parameters().get(0)), "limit", kernel, gradients, gradients);
    }
    for (NetworkPlan.Parameters each : plan.parameters()) {
      Tensor parameters = tensors.parameters(each.name());
      Tensor gradients = tensors.gradients(each.name());
      List<Tensor> states = tensors.states(each.name());
      boolean divided = limited.contains(each.name()) || !each.averaged();
      Kernel kernel =
          new ParameterUpdate(
              each.rule(),
              each.penalty(),
              progress,
              parameters,
              gradients,
              states,
              divided ? 1 : rows);
      List<Tensor> writes = new ArrayList<>(states);
      writes.add(parameters);
      List<Tensor> reads = new ArrayList<>(writes);
      reads.add(gradients);
      step(Phase.UPDATE, layerOf(each.name()), "update", kernel, reads, writes);
    }
  }

  private static String layerOf(String parameters) {
    return parameters.substring(0, parameters.lastIndexOf('.'));
  }
}
