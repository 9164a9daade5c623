package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads Deeplearning4j's layers, and determines the shape of the rows that each layer gives. */
final class LayerPlanReader {
  private static final String NCHW = "NCHW";
  private static final String INPUTS = "nin";
  private static final String OUTPUTS = "nout";
  private static final String ACTIVATION = "activationFn";

  /**
   * Layers whose dropout Deeplearning4j applies. Deeplearning4j ignores the dropout of
   * normalizations and of layers without weights.
   */
  private static final Set<String> HEEDS_DROPOUT =
      Set.of("DenseLayer", "ConvolutionLayer", "OutputLayer", "LSTM", "PReLULayer", "DropoutLayer");

  private LayerPlanReader() {}

  /** The plan of a layer, and the shape of the rows that it gives. */
  record Read(LayerPlan layer, PlanShape outputs) {}

  /**
   * Returns the shape of a row after a preprocessor. A row and an image have the same numbers in
   * the same order.
   *
   * @param layer layer that the preprocessor belongs to
   * @param before the preprocessor; null if there is none
   */
  static PlanShape prepared(String layer, @Nullable Settings before, PlanShape inputs)
      throws UncompilableException {
    if (before == null) {
      return inputs;
    }
    String type = before.simpleName();
    if (type.equals("RnnToFeedForwardPreProcessor") && inputs instanceof PlanShape.Flat) {
      // Deeplearning4j puts a preprocessor of this kind after the pooling of a series, where it has
      // no effect.
      return inputs;
    }
    if (inputs instanceof PlanShape.Sequence) {
      throw UncompilableException.of("preprocessor %s of time series".formatted(type), layer);
    }
    boolean toImages = type.equals("FeedForwardToCnnPreProcessor");
    boolean toRows =
        type.equals("CnnToFeedForwardPreProcessor") && before.text("format", NCHW).equals(NCHW);
    if (!toImages && !toRows) {
      throw UncompilableException.of("preprocessor " + type, layer);
    }
    PlanShape.Image image = image(layer, before);
    PlanShape shape = toImages ? image : new PlanShape.Flat(inputs.values());
    if (inputs instanceof PlanShape.Image && !inputs.equals(image)) {
      throw new WrongConfigurationException(
          "the preprocessor of layer '%s' is for images of %s, and gets %s"
              .formatted(layer, image, inputs));
    }
    checkWidth(layer, image.values(), inputs);
    return shape;
  }

  private static PlanShape.Image image(String layer, Settings settings)
      throws UncompilableException {
    PlanShape.Image image =
        new PlanShape.Image(
            settings.positive("numChannels"),
            settings.positive("inputHeight"),
            settings.positive("inputWidth"));
    double numbers = (double) image.channels() * image.height() * image.width();
    if (numbers > Integer.MAX_VALUE) {
      throw new UncompilableException(
          "the preprocessor of layer '%s' is for images of %,.0f numbers"
              .formatted(layer, numbers));
    }
    return image;
  }

  /** Returns the dropout of a layer's inputs; null if it has none. */
  static LayerPlan.@Nullable Dropped dropout(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    Settings dropout = layer.part("the dropout", "idropout");
    if (dropout == null || !HEEDS_DROPOUT.contains(layer.simpleName())) {
      return null;
    }
    if (!dropout.simpleName().equals("Dropout")) {
      throw UncompilableException.of("dropout " + dropout.simpleName(), name);
    }
    Schedule retained = ScheduleReader.read("dropout", dropout, "pschedule", "p");
    return new LayerPlan.Dropped(name + ".dropout", inputs.values(), retained);
  }

  /**
   * Returns the plan of a layer without its dropout.
   *
   * @param last whether this is the last layer of the network
   * @return the plan; null for a layer that computes nothing
   */
  static @Nullable Read layer(String name, Settings layer, PlanShape inputs, boolean last)
      throws UncompilableException {
    String type = layer.simpleName();
    if (last && type.equals("OutputLayer")) {
      checkFlat(name, inputs);
      LayerPlan.Output output = OutputReader.read(name, layer);
      checkWidth(name, output.inputs(), inputs);
      return new Read(output, new PlanShape.Flat(output.outputs()));
    } else if (last && type.equals("LossLayer")) {
      checkFlat(name, inputs);
      return new Read(OutputReader.read(name, layer, inputs.values()), inputs);
    } else if (last) {
      throw unknown(name, type);
    }
    return switch (type) {
      case "DenseLayer" -> dense(name, layer, inputs);
      case "ConvolutionLayer" -> ImageLayerReader.convolution(name, layer, inputs);
      case "SubsamplingLayer" -> ImageLayerReader.pooling(name, layer, inputs);
      case "GlobalPoolingLayer" -> ImageLayerReader.globalPooling(name, layer, inputs);
      case "BatchNormalization" -> normalization(name, layer, inputs);
      case "LayerNormalization" -> layerNormalization(name, layer, inputs);
      case "ActivationLayer" ->
          new Read(
              new LayerPlan.Activated(
                  name, inputs.values(), ActivationReader.read(name, layer, ACTIVATION)),
              inputs);
      case "PReLULayer" -> RectifierReader.read(name, layer, inputs);
      case "LSTM" -> recurrent(name, layer, inputs);
      case "DropoutLayer" -> null;
      default -> throw unknown(name, type);
    };
  }

  private static UncompilableException unknown(String name, String type) {
    return new UncompilableException(
        "layer '%s' is a %s; only DenseLayer, ConvolutionLayer, SubsamplingLayer, GlobalPoolingLayer, BatchNormalization, LayerNormalization, LSTM, ActivationLayer, PReLULayer, DropoutLayer, and OutputLayer or LossLayer at the end, are known"
            .formatted(name, type));
  }

  private static Read dense(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    checkFlat(name, inputs);
    int width = layer.positive(INPUTS);
    checkWidth(name, width, inputs);
    if (layer.flag("hasLayerNorm", false)) {
      throw new UncompilableException(
          "the layer normalization inside of layer '%s' ('hasLayerNorm') is not known: put an io.idlalayer.modelloader.network.LayerNormalization behind it"
              .formatted(name));
    }
    int outputs = layer.positive(OUTPUTS);
    return new Read(
        new LayerPlan.Dense(
            name,
            width,
            outputs,
            layer.flag("hasBias"),
            ActivationReader.read(name, layer, ACTIVATION)),
        new PlanShape.Flat(outputs));
  }

  private static Read recurrent(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    if (!layer.text("rnnDataFormat", "NCW").equals("NCW")) {
      throw UncompilableException.of("format " + layer.text("rnnDataFormat"), name);
    }
    if (!(inputs instanceof PlanShape.Sequence series)) {
      throw new UncompilableException(
          "layer '%s' takes time series, and gets rows: put a ReshapeVertex(-1, size, steps) before it"
              .formatted(name));
    }
    checkWidth(name, (long) layer.positive(INPUTS) * series.steps(), inputs);
    int units = layer.positive(OUTPUTS);
    return new Read(
        new LayerPlan.Recurrent(
            name,
            series.size(),
            units,
            series.steps(),
            ActivationReader.ofOutputs(name, layer, ACTIVATION),
            ActivationReader.ofOutputs(name, layer, "gateActivationFn")),
        new PlanShape.Sequence(units, series.steps()));
  }

  private static Read normalization(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    if (layer.flag("lockGammaBeta", false) || !layer.flag("minibatch", true)) {
      throw UncompilableException.of("fixed scale or missing mini-batch", name);
    }
    if (!layer.text("cnn2DFormat", NCHW).equals(NCHW)) {
      throw UncompilableException.of("format " + layer.text("cnn2DFormat"), name);
    }
    if (inputs instanceof PlanShape.Sequence) {
      throw UncompilableException.of("normalization of time series", name);
    }
    int channels = layer.positive(OUTPUTS);
    int pixels = inputs instanceof PlanShape.Image image ? image.height() * image.width() : 1;
    checkWidth(name, (long) channels * pixels, inputs);
    return new Read(
        new LayerPlan.Normalized(
            name,
            channels,
            pixels,
            layer.number("eps"),
            layer.number("decay"),
            layer.flag("useLogStd")
                ? ParameterArrays.RUNNING_LOG_DEVIATION
                : ParameterArrays.RUNNING_VARIANCE),
        inputs);
  }

  private static Read layerNormalization(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    checkFlat(name, inputs);
    checkWidth(name, layer.positive(INPUTS), inputs);
    checkWidth(name, layer.positive(OUTPUTS), inputs);
    double epsilon = layer.number("eps");
    if (!(epsilon > 0) || !Double.isFinite(epsilon)) {
      throw new WrongConfigurationException(
          "layer '%s' has %s as 'eps', which must be above 0".formatted(name, epsilon));
    }
    return new Read(new LayerPlan.LayerNormalized(name, inputs.values(), epsilon), inputs);
  }

  private static void checkFlat(String layer, PlanShape inputs) throws UncompilableException {
    if (!(inputs instanceof PlanShape.Flat)) {
      throw new UncompilableException(
          "layer '%s' takes rows, and gets %s".formatted(layer, inputs));
    }
  }

  private static void checkWidth(String layer, long wanted, PlanShape found)
      throws UncompilableException {
    if (wanted != found.values()) {
      throw new WrongConfigurationException(
          "layer '%s' takes rows of %d numbers, and gets %d"
              .formatted(layer, wanted, found.values()));
    }
  }
}
