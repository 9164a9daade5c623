package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelloader.imported.ImportedNetwork;
import io.idlalayer.modelloader.imported.ImportedStep;
import io.idlalayer.modelloader.imported.UnimportableException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives the layers of a plan the weights of an imported network, one layer after the other. Steps
 * for which the plan has no layer of their own, such as a batch normalization behind a dense layer,
 * are folded into the weights beside them.
 */
final class ImportedParameters {
  private static final double LEAST_VARIANCE = 1e-30;

  private final NetworkPlan plan;
  private final ModelSpec spec;
  private final ImportedNetwork network;
  private final List<ImportedStep> steps;
  private final Map<String, NetworkPlan.Parameters> places = new HashMap<>();
  private final float[] parameters;
  private int at;
  private boolean first = true;

  private ImportedParameters(
      ImportedNetwork network, NetworkPlan plan, ModelSpec spec, float[] parameters) {
    this.network = network;
    this.plan = plan;
    this.spec = spec;
    this.parameters = parameters;
    steps = network.steps();
    plan.parameters().forEach(each -> places.put(each.name(), each));
  }

  /**
   * Writes the weights of a network into the parameters of a plan.
   *
   * @param parameters parameters of the plan
   * @throws UnimportableException if the network has other layers; the message names those of both
   */
  static void write(ImportedNetwork network, NetworkPlan plan, ModelSpec spec, float[] parameters)
      throws UnimportableException {
    new ImportedParameters(network, plan, spec, parameters).write();
  }

  private void write() throws UnimportableException {
    String source = NetworkPlan.INPUT;
    List<NetworkPlan.Node> nodes = new ArrayList<>();
    for (NetworkPlan.Node node : plan.nodes()) {
      if (!node.sources().equals(List.of(source))) {
        throw other("the application's network is no sequence of layers");
      }
      source = node.layer().name();
      if (!(node.layer() instanceof LayerPlan.Dropped)) {
        nodes.add(node);
      }
    }
    for (int i = 0; i < nodes.size(); i++) {
      LayerPlan next = i + 1 < nodes.size() ? nodes.get(i + 1).layer() : null;
      write(nodes.get(i).layer(), next instanceof LayerPlan.Normalized);
    }
    if (at < steps.size()) {
      throw other("the file goes on with " + steps.get(at).node());
    }
  }

  private void write(LayerPlan layer, boolean normalizedNext) throws UnimportableException {
    if (layer instanceof LayerPlan.Dense dense) {
      ImportedProduct product = product(dense.inputs(), normalizedNext);
      check(product.outputs(), dense.outputs());
      activation(dense.activation());
      write(dense.name(), product, dense.bias());
    } else if (layer instanceof LayerPlan.Output output) {
      write(output);
    } else if (layer instanceof LayerPlan.Normalized normalized) {
      write(normalized);
    } else if (layer instanceof LayerPlan.Activated activated) {
      activation(activated.activation());
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      write(convolved, normalizedNext);
    } else if (layer instanceof LayerPlan.Pooled pooled) {
      check(pooled.shape());
    } else if (layer instanceof LayerPlan.Recurrent recurrent) {
      write(recurrent);
    } else if (layer instanceof LayerPlan.LastStep last) {
      takeLastStep(last);
    } else {
      throw other("layer '%s' cannot be imported".formatted(layer.name()));
    }
    first = false;
  }

  private UnimportableException other(String what) {
    return new UnimportableException(
        "%s; the file has %s, and the application asks for %s%s"
            .formatted(what, network.describe(), LayerShapes.of(plan), hint()));
  }

  /** Returns the widths that the application file should name; "" if they are not the reason. */
  private String hint() {
    List<Integer> widths =
        steps.stream()
            .filter(ImportedStep.Linear.class::isInstance)
            .map(step -> ((ImportedStep.Linear) step).outputs())
            .toList();
    if (!(spec.network() instanceof ModelSpec.Network.Mlp mlp) || widths.isEmpty()) {
      return "";
    }
    List<Integer> hidden = widths.subList(0, widths.size() - 1);
    return hidden.equals(mlp.hidden()) ? "" : "; say 'hidden: %s'".formatted(hidden);
  }

  private @Nullable ImportedStep peek() {
    return at < steps.size() ? steps.get(at) : null;
  }

  private void check(int found, int expected) throws UnimportableException {
    if (found != expected) {
      throw other(
          "%s gives %d numbers in place of %d"
              .formatted(steps.get(at - 1).node(), found, expected));
    }
  }

  private void write(String layer, ImportedProduct product, boolean bias)
      throws UnimportableException {
    product.writeWeights(parameters, from(layer + ".W"));
    if (bias) {
      product.writeBias(parameters, from(layer + ".b"));
    } else if (!product.unbiased()) {
      throw other("layer '%s' has no bias".formatted(layer));
    }
  }

  private int from(String name) throws UnimportableException {
    NetworkPlan.Parameters place = places.get(name);
    if (place == null) {
      throw other("the application's network has no " + name);
    }
    return place.from();
  }

  /** Takes a product, with the steps before and behind it that can be folded into it. */
  private ImportedProduct product(int inputs, boolean normalizedNext) throws UnimportableException {
    List<ImportedStep> before = new ArrayList<>();
    while (peek() instanceof ImportedStep.Affine
        || peek() instanceof ImportedStep.Normalized
        || peek() instanceof ImportedStep.Ordered) {
      before.add(steps.get(at++));
    }
    if (!(peek() instanceof ImportedStep.Linear linear)) {
      throw other(
          "a dense layer is expected, and the file "
              + (peek() == null ? "ends" : "has " + steps.get(at).node()));
    }
    at++;
    ImportedProduct product = new ImportedProduct(linear);
    for (int i = before.size() - 1; i >= 0; i--) {
      if (before.get(i) instanceof ImportedStep.Ordered ordered) {
        if (!ordered.isPermutation(product.inputs())) {
          throw other("%s takes some of the numbers before it".formatted(ordered.node()));
        }
        product.after(ordered);
      } else {
        product.after(affine(before.get(i), product.inputs()));
      }
    }
    while (peek() instanceof ImportedStep.Affine
        || (peek() instanceof ImportedStep.Normalized && !normalizedNext)) {
      product.before(affine(steps.get(at++), product.outputs()));
    }
    if (first) {
      product.after(network, inputs);
    }
    if (product.inputs() != inputs) {
      throw other(
          "%s takes %d numbers in place of %d".formatted(linear.node(), product.inputs(), inputs));
    }
    return product;
  }

  /** Returns a factor and an added number for each of some numbers. */
  private ImportedStep.Affine affine(ImportedStep step, int numbers) throws UnimportableException {
    ImportedStep.Affine affine =
        step instanceof ImportedStep.Normalized normalized
            ? normalized.affine()
            : (ImportedStep.Affine) step;
    int channels = affine.scale().length;
    if (channels == 0 || numbers % channels != 0) {
      throw other("%s has %d numbers for %d".formatted(step.node(), channels, numbers));
    }
    int pixels = numbers / channels;
    double[] scale = new double[numbers];
    double[] shift = new double[numbers];
    for (int i = 0; i < numbers; i++) {
      scale[i] = affine.scale()[i / pixels];
      shift[i] = affine.shift()[i / pixels];
    }
    return new ImportedStep.Affine(step.node(), scale, shift);
  }

  private void activation(Activation expected) throws UnimportableException {
    Activation found = Activation.IDENTITY;
    if (peek() instanceof ImportedStep.Activated activated) {
      float alpha = (float) activated.alpha();
      found =
          switch (activated.function()) {
            case RELU -> Activation.RELU;
            case LEAKY_RELU -> new Activation(Activation.Kind.RELU, alpha);
            case ELU -> new Activation(Activation.Kind.ELU, alpha);
            case TANH -> Activation.TANH;
            case SIGMOID -> Activation.SIGMOID;
            case SOFTMAX, LOG_SOFTMAX, EXPONENTIAL -> found;
          };
      if (!found.equals(Activation.IDENTITY)) {
        at++;
      }
    }
    if (!found.equals(expected)) {
      throw other(
          "a layer has the activation %s in place of %s%s"
              .formatted(
                  found.kind(),
                  expected.kind(),
                  spec.network() instanceof ModelSpec.Network.Mlp
                      ? " (type dl4j-json takes others)"
                      : ""));
    }
  }

  private boolean takes(ImportedStep.Function function) {
    boolean is =
        peek() instanceof ImportedStep.Activated activated && activated.function() == function;
    at += is ? 1 : 0;
    return is;
  }

  private void write(LayerPlan.Output output) throws UnimportableException {
    ImportedProduct product = product(output.inputs(), false);
    if (output.softmax()) {
      if (output.outputs() == 2 && product.outputs() == 1) {
        boolean probability = takes(ImportedStep.Function.SIGMOID);
        if (probability && peek() instanceof ImportedStep.BothClasses) {
          at++;
        }
        product.bothClasses();
      } else if (!takes(ImportedStep.Function.SOFTMAX)) {
        // Without it the outputs are taken for the logarithms of probabilities.
        takes(ImportedStep.Function.LOG_SOFTMAX);
      }
    } else if (spec.loss().logLink()) {
      if (!takes(ImportedStep.Function.EXPONENTIAL)) {
        throw other("the loss poisson needs a network that ends with Exp");
      }
    } else {
      activation(output.activation());
    }
    check(product.outputs(), output.outputs());
    if (network.classes().length == output.outputs()) {
      product.ordered(network.classes());
    }
    write(output.name(), product, output.bias());
  }

  private void write(LayerPlan.Normalized layer) throws UnimportableException {
    if (!(peek() instanceof ImportedStep.Normalized step)
        || step.gamma().length != layer.channels()) {
      throw other("a batch normalization of %d channels is expected".formatted(layer.channels()));
    }
    at++;
    boolean logarithm = !layer.spread().equals("var");
    for (int i = 0; i < layer.channels(); i++) {
      double variance = step.variance()[i] + step.epsilon() - layer.epsilon();
      // A channel that is always equal has none, and the logarithm needs one.
      variance = logarithm ? Math.max(LEAST_VARIANCE, variance) : Math.max(0, variance);
      parameters[from(layer.name() + ".gamma") + i] = (float) step.gamma()[i];
      parameters[from(layer.name() + ".beta") + i] = (float) step.beta()[i];
      parameters[from(layer.name() + ".mean") + i] = (float) step.mean()[i];
      parameters[from(layer.name() + "." + layer.spread()) + i] =
          (float) (logarithm ? Math.log10(Math.sqrt(variance)) : variance);
    }
  }

  private void write(LayerPlan.Convolved layer, boolean normalizedNext)
      throws UnimportableException {
    KernelWindow window = layer.shape().window();
    if (!(peek() instanceof ImportedStep.Convolved step)
        || step.filters() != layer.shape().filters()
        || !same(step.frame(), window)) {
      throw other("another convolution is expected");
    }
    at++;
    double[] weights = step.weights().clone();
    double[] bias = step.bias().clone();
    int perFilter = weights.length / step.filters();
    if (first) {
      scaleInput(step, weights, perFilter / window.channels());
    }
    while (peek() instanceof ImportedStep.Affine
        || (peek() instanceof ImportedStep.Normalized && !normalizedNext)) {
      ImportedStep.Affine after = channels(steps.get(at++), step.filters(), window.outputPixels());
      for (int f = 0; f < step.filters(); f++) {
        bias[f] = bias[f] * after.scale()[f] + after.shift()[f];
        for (int i = 0; i < perFilter; i++) {
          weights[f * perFilter + i] *= after.scale()[f];
        }
      }
    }
    activation(layer.activation());
    write(weights, from(layer.name() + ".W"));
    if (layer.bias()) {
      write(bias, from(layer.name() + ".b"));
    }
  }

  private void write(double[] values, int from) {
    for (int i = 0; i < values.length; i++) {
      parameters[from + i] = (float) values[i];
    }
  }

  /** Folds the factor of the inputs into the weights of the first convolution. */
  private void scaleInput(ImportedStep.Convolved step, double[] weights, int perChannel)
      throws UnimportableException {
    ImportedStep.Frame frame = step.frame();
    int pixels = frame.height() * frame.width();
    for (int i = 0; i < network.columns().length; i++) {
      if (network.columns()[i] != i
          || network.shift()[i] != 0
          || network.scale()[i] != network.scale()[i / pixels * pixels]) {
        throw other(
            "%s takes pixels that are moved, or in another order than the application's: channel by channel, row by row"
                .formatted(step.node()));
      }
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] *= network.scale()[i / perChannel % frame.channels() * pixels];
    }
  }

  private ImportedStep.Affine channels(ImportedStep step, int channels, int pixels)
      throws UnimportableException {
    if (step instanceof ImportedStep.Normalized normalized) {
      return normalized.affine();
    }
    ImportedStep.Affine all = (ImportedStep.Affine) step;
    double[] scale = new double[channels];
    double[] shift = new double[channels];
    for (int i = 0; i < channels * pixels; i++) {
      scale[i / pixels] = all.scale()[i / pixels * pixels];
      shift[i / pixels] = all.shift()[i / pixels * pixels];
      if (all.scale()[i] != scale[i / pixels] || all.shift()[i] != shift[i / pixels]) {
        throw other(step.node() + " treats the pixels of a channel differently");
      }
    }
    return new ImportedStep.Affine(step.node(), scale, shift);
  }

  private void write(LayerPlan.Recurrent layer) throws UnimportableException {
    if (!(peek() instanceof ImportedStep.Recurrent step) || !RecurrentParameters.fit(step, layer)) {
      throw other("another LSTM is expected");
    }
    at++;
    if (!RecurrentParameters.sameFunctions(step, layer)) {
      throw other("%s has other activations".formatted(step.node()));
    }
    RecurrentParameters weights = new RecurrentParameters(step);
    if (first && !weights.takesInputs(network)) {
      throw other(
          "%s takes time series in another order than the application's: value by value, step by step"
              .formatted(step.node()));
    }
    weights.writeInputs(parameters, from(layer.name() + ".W"));
    weights.writeOutputs(parameters, from(layer.name() + ".RW"));
    weights.writeBias(parameters, from(layer.name() + ".b"));
  }

  private void takeLastStep(LayerPlan.LastStep layer) throws UnimportableException {
    // Of one step the last one is all that there is.
    if (layer.steps() > 1) {
      if (!(peek() instanceof ImportedStep.Ordered taken)
          || !RecurrentParameters.isLastStep(taken, layer)) {
        throw other("the last step of a time series is expected");
      }
      at++;
    }
  }

  private void check(Pooling shape) throws UnimportableException {
    boolean max = shape.kind() == Pooling.Kind.MAX;
    boolean padded = shape.kind() == Pooling.Kind.MEAN_WITH_PADDING;
    if (!(peek() instanceof ImportedStep.Pooled step)
        || step.max() != max
        || (!max && step.padded() != padded)
        || !same(step.frame(), shape.window())) {
      throw other("another pooling is expected");
    }
    at++;
  }

  private static boolean same(ImportedStep.Frame frame, KernelWindow window) {
    return new KernelWindow(
            frame.channels(),
            frame.height(),
            frame.width(),
            frame.rows(),
            frame.columns(),
            frame.down(),
            frame.right(),
            frame.top(),
            frame.left(),
            frame.outputHeight(),
            frame.outputWidth())
        .equals(window);
  }
}
