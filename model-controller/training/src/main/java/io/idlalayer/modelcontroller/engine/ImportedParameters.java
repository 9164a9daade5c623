package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelloader.imported.ImportedNetwork;
import io.idlalayer.modelloader.imported.ImportedStep;
import io.idlalayer.modelloader.imported.NormalizationExpression;
import io.idlalayer.modelloader.imported.UnimportableException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Gives the layers of a plan the weights of an imported network. Layers are matched from the output
 * back to the inputs. Steps for which the plan has no separate layer, such as a batch normalization
 * after a dense layer, are folded into the weights of the neighbouring layer.
 */
final class ImportedParameters {
  private final NetworkPlan plan;
  private final ModelSpec spec;
  private final ImportedNetwork network;
  private final Map<String, NetworkPlan.Node> layers = new HashMap<>();
  private final Map<String, NetworkPlan.Parameters> places = new HashMap<>();
  private final float[] parameters;

  /** Results of attempts so far, by the name of the layer and the place of the step. */
  private final Map<String, Map<Integer, Attempt>> attempts = new HashMap<>();

  private ImportedParameters(
      ImportedNetwork network, NetworkPlan plan, ModelSpec spec, float[] parameters) {
    this.network = network;
    this.plan = plan;
    this.spec = spec;
    this.parameters = parameters;
    plan.nodes().forEach(each -> layers.put(each.layer().name(), each));
    plan.parameters().forEach(each -> places.put(each.name(), each));
  }

  /**
   * Writes the weights of a network into the parameters of a plan.
   *
   * @param parameters parameters of the plan
   * @throws UnimportableException if the network has other layers than the plan; the message names
   *     the layers of both
   */
  static void write(ImportedNetwork network, NetworkPlan plan, ModelSpec spec, float[] parameters)
      throws UnimportableException {
    ImportedParameters found = new ImportedParameters(network, plan, spec, parameters);
    Map<String, Match> matches = new LinkedHashMap<>();
    found.collect(found.match(plan.output().name(), network.output()), matches);
    for (Match each : matches.values()) {
      each.writer().write();
    }
  }

  /** Writes the weights of one layer. */
  private interface Writer {
    void write() throws UnimportableException;
  }

  /**
   * A layer, and the steps from which it gets its weights.
   *
   * @param at place of the step that computes the output of the layer
   * @param sources matches of the layers before this layer
   */
  private record Match(String layer, int at, Writer writer, List<Match> sources) {}

  /** The result of an attempt: a match or an exception; the other component is null. */
  private record Attempt(@Nullable Match match, @Nullable UnimportableException refusal) {}

  private void collect(Match match, Map<String, Match> into) throws UnimportableException {
    Match before = into.put(match.layer(), match);
    if (before != null && before.at() != match.at()) {
      throw other("layer '%s' would have the weights of two layers".formatted(match.layer()));
    } else if (before == null) {
      for (Match each : match.sources()) {
        collect(each, into);
      }
    }
  }

  /** A place in the network, which moves step by step from the output back to the inputs. */
  private final class Cursor {
    private int at;

    Cursor(int at) {
      this.at = at;
    }

    ImportedStep step() {
      return network.nodes().get(at).step();
    }

    List<Integer> sources() {
      return network.nodes().get(at).sources();
    }

    /** Returns the number of values that the previous step returns. */
    int width() {
      return network.nodes().get(sources().get(0)).outputs();
    }

    ImportedStep back() {
      ImportedStep step = step();
      at = sources().get(0);
      return step;
    }

    boolean takes(ImportedStep.Function function) {
      boolean is = step() instanceof ImportedStep.Activated each && each.function() == function;
      if (is) {
        back();
      }
      return is;
    }
  }

  // ---- layers ---------------------------------------------------------------------------------

  /** Returns the match of a layer whose output is the output of a step. */
  private Match match(String layer, int at) throws UnimportableException {
    Map<Integer, Attempt> tried = attempts.computeIfAbsent(layer, name -> new HashMap<>());
    Attempt known = tried.get(at);
    if (known == null) {
      try {
        known = new Attempt(found(layer, at), null);
      } catch (UnimportableException refused) {
        known = new Attempt(null, refused);
      }
      tried.put(at, known);
    }
    if (known.refusal() != null) {
      throw known.refusal();
    }
    return Objects.requireNonNull(known.match());
  }

  private Match found(String name, int at) throws UnimportableException {
    NetworkPlan.Node node = layers.get(name);
    if (node == null) {
      return input(at);
    }
    LayerPlan layer = node.layer();
    String source = node.sources().get(0);
    if (layer instanceof LayerPlan.Dropped) {
      return match(source, at);
    } else if (layer instanceof LayerPlan.Combined combined) {
      return combined(combined, node.sources(), at);
    } else if (layer instanceof LayerPlan.Merged) {
      return merged(layer, node.sources(), at);
    } else if (layer instanceof LayerPlan.Part part) {
      return part(part, source, at);
    }
    Cursor cursor = new Cursor(at);
    Writer writer = () -> {};
    if (layer instanceof LayerPlan.Dense dense) {
      activation(dense.activation(), cursor);
      ImportedProduct product = product(cursor, source, dense.inputs());
      check(dense.name(), product.outputs(), dense.outputs());
      writer = () -> write(dense.name(), product, dense.bias());
    } else if (layer instanceof LayerPlan.Output output) {
      ImportedProduct product = output(output, source, cursor);
      writer = () -> write(output.name(), product, output.bias());
    } else if (layer instanceof LayerPlan.LossOnly last) {
      end(last, cursor);
    } else if (layer instanceof LayerPlan.Normalized normalized) {
      writer = normalized(normalized, cursor);
    } else if (layer instanceof LayerPlan.LayerNormalized normalized) {
      writer = layerNormalized(normalized, cursor);
    } else if (layer instanceof LayerPlan.ParametricRelu rectified) {
      writer = rectified(rectified, cursor);
    } else if (layer instanceof LayerPlan.Activated activated) {
      activation(activated.activation(), cursor);
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      writer = convolved(convolved, source, cursor);
    } else if (layer instanceof LayerPlan.Pooled pooled) {
      pooled(pooled.shape(), cursor);
    } else if (layer instanceof LayerPlan.Recurrent recurrent) {
      writer = recurrent(recurrent, source, cursor);
    } else if (layer instanceof LayerPlan.LastStep last) {
      takeLastStep(last, cursor);
    } else {
      throw other("layer '%s' cannot be imported".formatted(name));
    }
    boolean folded =
        cursor.step() instanceof ImportedStep.Input
            && (layer instanceof LayerPlan.Dense
                || layer instanceof LayerPlan.Output
                || layer instanceof LayerPlan.Convolved
                || layer instanceof LayerPlan.Recurrent);
    return new Match(name, at, writer, folded ? List.of() : List.of(match(source, cursor.at)));
  }

  /** Returns the match of the whole input, which must be equal to the application's input. */
  private Match input(int at) throws UnimportableException {
    ImportedStep step = new Cursor(at).step();
    if (!(step instanceof ImportedStep.Input input)) {
      throw other(
          "the application's layers begin with the inputs where the file has " + step.node());
    } else if (!input.isRange(0, plan.inputs())) {
      throw other(
          "%s takes inputs that are changed or moved before it, which only a dense layer can take in"
              .formatted(input.node()));
    }
    return new Match(NetworkPlan.INPUT, -1, () -> {}, List.of());
  }

  private Match part(LayerPlan.Part part, String source, int at) throws UnimportableException {
    Cursor cursor = new Cursor(at);
    int first = firstColumn(part.name());
    if (first >= 0
        && cursor.step() instanceof ImportedStep.Input input
        && input.isRange(first, part.outputs())) {
      return new Match(part.name(), -1, () -> {}, List.of());
    }
    int[] range = IntStream.range(part.from(), part.from() + part.outputs()).toArray();
    if (cursor.step() instanceof ImportedStep.Ordered ordered
        && Arrays.equals(ordered.order(), range)) {
      return new Match(part.name(), at, () -> {}, List.of(match(source, cursor.sources().get(0))));
    }
    throw other(
        String.format(
            Locale.ROOT,
            "layer '%s' takes %d numbers from number %d on, and the file has %s",
            part.name(),
            part.outputs(),
            part.from(),
            cursor.step().node()));
  }

  /** Returns the first column of a layer that takes neighbouring columns; -1 for other layers. */
  private int firstColumn(String layer) {
    NetworkPlan.Node node = layers.get(layer);
    if (node == null) {
      return 0;
    } else if (node.layer() instanceof LayerPlan.Dropped) {
      return firstColumn(node.sources().get(0));
    } else if (node.layer() instanceof LayerPlan.Part part) {
      int before = firstColumn(node.sources().get(0));
      return before < 0 ? -1 : before + part.from();
    }
    return -1;
  }

  private Match combined(LayerPlan.Combined layer, List<String> sources, int at)
      throws UnimportableException {
    Cursor cursor = new Cursor(at);
    if (!(cursor.step() instanceof ImportedStep.Combined step)
        || !step.operation().name().equals(layer.combination().name())
        || cursor.sources().size() != sources.size()) {
      String kind = layer.combination().name().toLowerCase(Locale.ROOT);
      throw expected("a %s of %d layers".formatted(kind, sources.size()), cursor);
    }
    try {
      return matched(layer, at, sources, cursor.sources());
    } catch (UnimportableException refused) {
      if (sources.size() != 2 || layer.combination() == LayerPlan.Combination.DIFFERENCE) {
        throw refused;
      }
      List<Integer> swapped = List.of(cursor.sources().get(1), cursor.sources().get(0));
      try {
        return matched(layer, at, sources, swapped);
      } catch (UnimportableException again) {
        if (again != refused) {
          refused.addSuppressed(again);
        }
        throw refused;
      }
    }
  }

  private Match merged(LayerPlan layer, List<String> sources, int at) throws UnimportableException {
    Cursor cursor = new Cursor(at);
    if (!(cursor.step() instanceof ImportedStep.Merged)
        || cursor.sources().size() != sources.size()) {
      throw expected("a concatenation of %d layers".formatted(sources.size()), cursor);
    }
    return matched(layer, at, sources, cursor.sources());
  }

  private Match matched(LayerPlan layer, int at, List<String> sources, List<Integer> steps)
      throws UnimportableException {
    List<Match> matches = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      matches.add(match(sources.get(i), steps.get(i)));
    }
    return new Match(layer.name(), at, () -> {}, matches);
  }

  private UnimportableException other(String what) {
    return new UnimportableException(
        "%s; the file has %s, and the application asks for %s%s"
            .formatted(what, network.describe(), LayerShapes.of(plan), hint()));
  }

  private UnimportableException expected(String layer, Cursor cursor) {
    return other(layer + " is expected where the file has " + cursor.step().node());
  }

  /**
   * Returns the widths that the application file should name; "" if other widths would not help.
   */
  private String hint() {
    List<Integer> widths =
        network.nodes().stream()
            .map(ImportedNetwork.Node::step)
            .filter(ImportedStep.Linear.class::isInstance)
            .map(step -> ((ImportedStep.Linear) step).outputs())
            .toList();
    if (!(spec.network() instanceof ModelSpec.Network.Mlp mlp) || widths.isEmpty()) {
      return "";
    }
    List<Integer> hidden = widths.subList(0, widths.size() - 1);
    return hidden.equals(mlp.hidden()) ? "" : "; say 'hidden: %s'".formatted(hidden);
  }

  private void check(String layer, int found, int expected) throws UnimportableException {
    if (found != expected) {
      throw other(
          String.format(
              Locale.ROOT, "layer '%s' gets %d numbers in place of %d", layer, found, expected));
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

  private boolean isNormalized(String layer) {
    NetworkPlan.Node node = layers.get(layer);
    if (node != null && node.layer() instanceof LayerPlan.Dropped) {
      return isNormalized(node.sources().get(0));
    }
    return node != null && node.layer() instanceof LayerPlan.Normalized;
  }

  /**
   * Returns whether a step computes the activation or the normalization of a layer. The last
   * operator of such a step can be a factor. This factor must not become a part of the next layer.
   */
  private boolean isWhole(String layer, int at) {
    NetworkPlan.Node node = layers.get(layer);
    LayerPlan plan = node == null ? null : node.layer();
    if (node != null && plan instanceof LayerPlan.Dropped) {
      return isWhole(node.sources().get(0), at);
    }
    if (plan instanceof LayerPlan.LayerNormalized normalized) {
      return new NormalizationExpression(network).find(at, normalized.outputs()) != null;
    }
    Activation activation =
        plan instanceof LayerPlan.Dense dense
            ? dense.activation()
            : plan instanceof LayerPlan.Activated alone
                ? alone.activation()
                : plan instanceof LayerPlan.Convolved convolved
                    ? convolved.activation()
                    : Activation.IDENTITY;
    return !activation.equals(Activation.IDENTITY)
        && ImportedActivations.before(activation, network, at) >= 0;
  }

  /** Reads a product, with the steps before and after it that can be folded into it. */
  private ImportedProduct product(Cursor cursor, String source, int inputs)
      throws UnimportableException {
    List<ImportedStep> behind = new ArrayList<>();
    while (cursor.step() instanceof ImportedStep.Affine
        || cursor.step() instanceof ImportedStep.Normalized) {
      behind.add(0, cursor.back());
    }
    if (!(cursor.step() instanceof ImportedStep.Linear linear)) {
      throw expected("a dense layer", cursor);
    }
    cursor.back();
    ImportedProduct product = new ImportedProduct(linear);
    for (ImportedStep each : behind) {
      product.before(affine(each, product.outputs()));
    }
    boolean normalizes = isNormalized(source);
    while (!isWhole(source, cursor.at)
        && (cursor.step() instanceof ImportedStep.Affine
            || (cursor.step() instanceof ImportedStep.Normalized && !normalizes)
            || (cursor.step() instanceof ImportedStep.Ordered each
                && each.isPermutation(cursor.width())))) {
      if (cursor.step() instanceof ImportedStep.Ordered ordered) {
        product.after(ordered);
        cursor.back();
      } else {
        product.after(affine(cursor.back(), product.inputs()));
      }
    }
    int found = product.inputs();
    if (cursor.step() instanceof ImportedStep.Input input) {
      int first = firstColumn(source);
      int[] columns = IntStream.of(input.columns()).map(each -> each - first).toArray();
      boolean fits =
          first >= 0 && IntStream.of(columns).allMatch(each -> each >= 0 && each < inputs);
      if (!fits) {
        throw other(
            first < 0
                ? "%s takes the inputs, and the application has more layers before it"
                    .formatted(linear.node())
                : "%s takes inputs that the layer of the application does not take"
                    .formatted(linear.node()));
      }
      product.after(input, columns, inputs);
    } else if (found != inputs) {
      throw other("%s takes %d numbers in place of %d".formatted(linear.node(), found, inputs));
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
      throw other(
          "%s has %d numbers where %d are expected".formatted(step.node(), channels, numbers));
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

  private void activation(Activation expected, Cursor cursor) throws UnimportableException {
    int before = ImportedActivations.before(expected, network, cursor.at);
    if (before < 0) {
      throw other(
          "a layer has the activation %s in place of %s%s"
              .formatted(
                  ImportedActivations.name(cursor.step()),
                  ImportedActivations.name(expected),
                  spec.network() instanceof ModelSpec.Network.Mlp
                      ? " (type dl4j-json takes others)"
                      : ""));
    }
    cursor.at = before;
  }

  private void end(LayerPlan.Last layer, Cursor cursor) throws UnimportableException {
    if (layer.softmax()) {
      if (!cursor.takes(ImportedStep.Function.SOFTMAX)) {
        // Without a softmax, the outputs count as logarithms of probabilities.
        cursor.takes(ImportedStep.Function.LOG_SOFTMAX);
      }
    } else if (spec.loss().logLink()) {
      if (!cursor.takes(ImportedStep.Function.EXPONENTIAL)) {
        throw other("the loss poisson needs a network that ends with Exp");
      }
    } else {
      activation(layer.activation(), cursor);
    }
    if (layer instanceof LayerPlan.LossOnly
        && network.classes().length == layer.outputs()
        && !Arrays.equals(
            network.classes(), IntStream.range(0, network.classes().length).toArray())) {
      throw other("the classes of the file have another order than those of the application");
    }
  }

  private ImportedProduct output(LayerPlan.Output output, String source, Cursor cursor)
      throws UnimportableException {
    boolean both = false;
    if (output.softmax() && output.outputs() == 2) {
      if (cursor.step() instanceof ImportedStep.BothClasses) {
        cursor.back();
        both = true;
      }
      both |= network.nodes().get(cursor.at).outputs() == 1;
    }
    if (both) {
      cursor.takes(ImportedStep.Function.SIGMOID);
    } else {
      end(output, cursor);
    }
    ImportedProduct product = product(cursor, source, output.inputs());
    if (both) {
      product.bothClasses();
    }
    check(output.name(), product.outputs(), output.outputs());
    if (network.classes().length == output.outputs()) {
      product.ordered(network.classes());
    }
    return product;
  }

  private Writer normalized(LayerPlan.Normalized layer, Cursor cursor)
      throws UnimportableException {
    if (!(cursor.step() instanceof ImportedStep.Normalized step)
        || step.gamma().length != layer.channels()) {
      throw other(
          "a batch normalization of %d channels is expected where the file has %s; where an exporter made it a part of the layer before, leave it out of the application's network"
              .formatted(layer.channels(), cursor.step().node()));
    }
    cursor.back();
    return () -> {
      write(step.gamma(), from(layer.name() + ".gamma"));
      write(step.beta(), from(layer.name() + ".beta"));
      write(step.mean(), from(layer.name() + ".mean"));
      write(ImportedNormalizations.spreads(layer, step), from(layer.name() + "." + layer.spread()));
    };
  }

  private Writer layerNormalized(LayerPlan.LayerNormalized layer, Cursor cursor)
      throws UnimportableException {
    NormalizationExpression.Found found =
        new NormalizationExpression(network).find(cursor.at, layer.outputs());
    String difference = ImportedNormalizations.difference(found, layer);
    if (found == null || difference != null) {
      throw other("%s where the file has %s".formatted(difference, cursor.step().node()));
    }
    cursor.at = found.source();
    return () -> {
      write(found.gamma(), from(layer.name() + ".gamma"));
      write(found.beta(), from(layer.name() + ".beta"));
    };
  }

  private Writer rectified(LayerPlan.ParametricRelu layer, Cursor cursor)
      throws UnimportableException {
    if (!(cursor.step() instanceof ImportedStep.ParametricRelu step)
        || step.slopes().length != layer.slopes()) {
      throw expected("a " + LayerShapes.of(layer), cursor);
    }
    cursor.back();
    return () -> write(step.slopes(), from(layer.name() + ".W"));
  }

  private Writer convolved(LayerPlan.Convolved layer, String source, Cursor cursor)
      throws UnimportableException {
    KernelWindow window = layer.shape().window();
    activation(layer.activation(), cursor);
    List<ImportedStep> behind = new ArrayList<>();
    while (cursor.step() instanceof ImportedStep.Affine
        || cursor.step() instanceof ImportedStep.Normalized) {
      behind.add(0, cursor.back());
    }
    if (!(cursor.step() instanceof ImportedStep.Convolved step)
        || step.filters() != layer.shape().filters()
        || !ImportedWindows.same(step.frame(), window)) {
      throw expected("another convolution", cursor);
    }
    cursor.back();
    double[] weights = step.weights().clone();
    double[] bias = step.bias().clone();
    int perFilter = weights.length / step.filters();
    if (cursor.step() instanceof ImportedStep.Input input) {
      scaleInput(input, step, weights, perFilter / window.channels());
      if (firstColumn(source) != 0 || input.columns().length != plan.inputs()) {
        throw other("%s does not take all inputs".formatted(step.node()));
      }
    }
    for (ImportedStep each : behind) {
      ImportedStep.Affine after = channels(each, step.filters(), window.outputPixels());
      for (int f = 0; f < step.filters(); f++) {
        bias[f] = bias[f] * after.scale()[f] + after.shift()[f];
        for (int i = 0; i < perFilter; i++) {
          weights[f * perFilter + i] *= after.scale()[f];
        }
      }
    }
    if (!layer.bias() && Arrays.stream(bias).anyMatch(each -> each != 0)) {
      throw other("layer '%s' has no bias".formatted(layer.name()));
    }
    return () -> {
      write(weights, from(layer.name() + ".W"));
      if (layer.bias()) {
        write(bias, from(layer.name() + ".b"));
      }
    };
  }

  private void write(double[] values, int from) {
    for (int i = 0; i < values.length; i++) {
      parameters[from + i] = (float) values[i];
    }
  }

  /** Folds the factor of the inputs into the weights of the first convolution. */
  private void scaleInput(
      ImportedStep.Input input, ImportedStep.Convolved step, double[] weights, int perChannel)
      throws UnimportableException {
    ImportedStep.Frame frame = step.frame();
    int pixels = frame.height() * frame.width();
    for (int i = 0; i < input.columns().length; i++) {
      if (input.columns()[i] != i
          || input.shift()[i] != 0
          || input.scale()[i] != input.scale()[i / pixels * pixels]) {
        throw other(
            "%s takes pixels that are moved, or in another order than the application's: channel by channel, row by row"
                .formatted(step.node()));
      }
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] *= input.scale()[i / perChannel % frame.channels() * pixels];
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

  private Writer recurrent(LayerPlan.Recurrent layer, String source, Cursor cursor)
      throws UnimportableException {
    if (!(cursor.step() instanceof ImportedStep.Recurrent step)
        || !RecurrentParameters.fit(step, layer)) {
      throw expected("another LSTM", cursor);
    }
    cursor.back();
    if (!RecurrentParameters.sameFunctions(step, layer)) {
      throw other("%s has other activations".formatted(step.node()));
    }
    RecurrentParameters weights = new RecurrentParameters(step);
    if (cursor.step() instanceof ImportedStep.Input input
        && (firstColumn(source) != 0
            || input.columns().length != plan.inputs()
            || !weights.takesInputs(input))) {
      throw other(
          "%s takes time series in another order than the application's: value by value, step by step"
              .formatted(step.node()));
    }
    return () -> {
      weights.writeInputs(parameters, from(layer.name() + ".W"));
      weights.writeOutputs(parameters, from(layer.name() + ".RW"));
      weights.writeBias(parameters, from(layer.name() + ".b"));
    };
  }

  private void takeLastStep(LayerPlan.LastStep layer, Cursor cursor) throws UnimportableException {
    // A series with one step has only its last step.
    if (layer.steps() > 1) {
      if (!(cursor.step() instanceof ImportedStep.Ordered taken)
          || !RecurrentParameters.isLastStep(taken, layer)) {
        throw other("the last step of a time series is expected");
      }
      cursor.back();
    }
  }

  private void pooled(Pooling shape, Cursor cursor) throws UnimportableException {
    boolean max = shape.kind() == Pooling.Kind.MAX;
    boolean padded = shape.kind() == Pooling.Kind.MEAN_WITH_PADDING;
    if (!(cursor.step() instanceof ImportedStep.Pooled step)
        || step.max() != max
        || (!max && step.padded() != padded && ImportedWindows.hasPadding(shape.window()))
        || !(ImportedWindows.same(step.frame(), shape.window())
            || ImportedWindows.isWhole(step.frame(), shape.window()))) {
      throw expected("another pooling", cursor);
    }
    cursor.back();
  }
}
