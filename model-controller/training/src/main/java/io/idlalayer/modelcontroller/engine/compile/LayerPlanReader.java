package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.RNNFormat;
import org.deeplearning4j.nn.conf.dropout.Dropout;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.preprocessor.CnnToFeedForwardPreProcessor;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;
import org.deeplearning4j.nn.conf.preprocessor.RnnToFeedForwardPreProcessor;
import org.deeplearning4j.nn.params.BatchNormalizationParamInitializer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.schedule.ISchedule;

/**
 * Converts Deeplearning4j's layers into plans, and determines the shape of the rows that each layer
 * gives.
 */
final class LayerPlanReader {
  private LayerPlanReader() {}

  /** The plan of a layer, and the shape of the rows that it gives. */
  record Read(LayerPlan layer, PlanShape outputs) {}

  /**
   * Returns the shape of a row after a preprocessor. Rows and images have equal numbers in equal
   * order.
   *
   * @param layer layer that the preprocessor belongs to
   * @param before the preprocessor; null for none
   */
  static PlanShape prepared(String layer, @Nullable InputPreProcessor before, PlanShape inputs)
      throws UncompilableException {
    if (before == null) {
      return inputs;
    }
    if (exactly(before, RnnToFeedForwardPreProcessor.class) && inputs instanceof PlanShape.Flat) {
      // Deeplearning4j puts such a preprocessor after the pooling of a series, where it does
      // nothing.
      return inputs;
    }
    if (inputs instanceof PlanShape.Sequence) {
      throw UncompilableException.of(
          "preprocessor %s of time series".formatted(before.getClass().getSimpleName()), layer);
    }
    PlanShape.Image image;
    PlanShape shape;
    if (before instanceof FeedForwardToCnnPreProcessor toImages
        && exactly(before, FeedForwardToCnnPreProcessor.class)) {
      image =
          new PlanShape.Image(
              (int) toImages.getNumChannels(),
              (int) toImages.getInputHeight(),
              (int) toImages.getInputWidth());
      shape = image;
    } else if (before instanceof CnnToFeedForwardPreProcessor toRows
        && exactly(before, CnnToFeedForwardPreProcessor.class)
        && toRows.getFormat() == CNN2DFormat.NCHW) {
      image =
          new PlanShape.Image(
              (int) toRows.getNumChannels(),
              (int) toRows.getInputHeight(),
              (int) toRows.getInputWidth());
      shape = new PlanShape.Flat(inputs.values());
    } else {
      throw UncompilableException.of("preprocessor " + before.getClass().getSimpleName(), layer);
    }
    if (inputs instanceof PlanShape.Image && !inputs.equals(image)) {
      throw new UncompilableException(
          "the preprocessor of layer '%s' is for images of %s, and gets %s"
              .formatted(layer, image, inputs));
    }
    checkWidth(layer, image.values(), inputs);
    return shape;
  }

  /** Returns the dropout of a layer's inputs; null if it has none. */
  static LayerPlan.@Nullable Dropped dropout(String name, Layer layer, PlanShape inputs)
      throws UncompilableException {
    if (layer.getIDropout() == null || !heedsDropout(layer)) {
      return null;
    }
    if (!(layer.getIDropout() instanceof Dropout dropout)
        || !exactly(layer.getIDropout(), Dropout.class)) {
      throw UncompilableException.of(
          "dropout " + layer.getIDropout().getClass().getSimpleName(), name);
    }
    return new LayerPlan.Dropped(name + ".dropout", inputs.values(), retained(dropout));
  }

  /**
   * Returns whether Deeplearning4j applies the dropout of a layer; it ignores that of layers
   * without weights, and of normalization.
   */
  private static boolean heedsDropout(Layer layer) {
    return layer instanceof DenseLayer
        || layer instanceof ConvolutionLayer
        || layer instanceof OutputLayer
        || layer instanceof LSTM
        || layer instanceof DropoutLayer;
  }

  private static Schedule retained(Dropout dropout) throws UncompilableException {
    if (dropout.getPSchedule() != null) {
      ISchedule schedule = dropout.getPSchedule().clone();
      return UpdaterReader.moving("dropout", schedule, schedule::valueAt);
    }
    double always = dropout.getP();
    return (iteration, epoch) -> always;
  }

  /**
   * Returns the plan of a layer without its dropout.
   *
   * @param last whether the network ends with it
   * @return the layer; null for one that computes nothing
   */
  static @Nullable Read layer(String name, Layer layer, PlanShape inputs, boolean last)
      throws UncompilableException {
    if (last && layer instanceof OutputLayer out && exactly(layer, OutputLayer.class)) {
      checkFlat(name, inputs);
      checkWidth(name, out.getNIn(), inputs);
      return new Read(OutputReader.read(name, out), new PlanShape.Flat((int) out.getNOut()));
    } else if (last && layer instanceof LossLayer loss && exactly(layer, LossLayer.class)) {
      checkFlat(name, inputs);
      return new Read(OutputReader.read(name, loss, inputs.values()), inputs);
    } else if (last) {
      throw unknown(name, layer);
    }
    if (layer instanceof DenseLayer dense && exactly(layer, DenseLayer.class)) {
      return dense(name, dense, inputs);
    } else if (layer instanceof ConvolutionLayer filters
        && exactly(layer, ConvolutionLayer.class)) {
      return ImageLayerReader.convolution(name, filters, inputs);
    } else if (layer instanceof SubsamplingLayer pool && exactly(layer, SubsamplingLayer.class)) {
      return ImageLayerReader.pooling(name, pool, inputs);
    } else if (layer instanceof GlobalPoolingLayer pool
        && exactly(layer, GlobalPoolingLayer.class)) {
      return ImageLayerReader.globalPooling(name, pool, inputs);
    } else if (layer instanceof BatchNormalization normal
        && exactly(layer, BatchNormalization.class)) {
      return normalization(name, normal, inputs);
    } else if (layer instanceof ActivationLayer activation
        && exactly(layer, ActivationLayer.class)) {
      return new Read(
          new LayerPlan.Activated(
              name, inputs.values(), ActivationReader.read(name, activation.getActivationFn())),
          inputs);
    } else if (layer instanceof LSTM memory && exactly(layer, LSTM.class)) {
      return recurrent(name, memory, inputs);
    } else if (exactly(layer, DropoutLayer.class)) {
      return null;
    }
    throw unknown(name, layer);
  }

  private static UncompilableException unknown(String name, Layer layer) {
    return new UncompilableException(
        "layer '%s' is a %s; only DenseLayer, ConvolutionLayer, SubsamplingLayer, GlobalPoolingLayer, BatchNormalization, LSTM, ActivationLayer, DropoutLayer, and OutputLayer or LossLayer at the end, are known"
            .formatted(name, layer.getClass().getSimpleName()));
  }

  private static Read dense(String name, DenseLayer layer, PlanShape inputs)
      throws UncompilableException {
    checkFlat(name, inputs);
    checkWidth(name, layer.getNIn(), inputs);
    if (layer.hasLayerNorm()) {
      throw UncompilableException.of("layer normalization", name);
    }
    int outputs = (int) layer.getNOut();
    return new Read(
        new LayerPlan.Dense(
            name,
            (int) layer.getNIn(),
            outputs,
            layer.hasBias(),
            ActivationReader.read(name, layer.getActivationFn())),
        new PlanShape.Flat(outputs));
  }

  private static Read recurrent(String name, LSTM layer, PlanShape inputs)
      throws UncompilableException {
    if (layer.getRnnDataFormat() != null && layer.getRnnDataFormat() != RNNFormat.NCW) {
      throw UncompilableException.of("format " + layer.getRnnDataFormat(), name);
    }
    if (!(inputs instanceof PlanShape.Sequence series)) {
      throw new UncompilableException(
          "layer '%s' takes time series, and gets rows: put a ReshapeVertex(-1, size, steps) before it"
              .formatted(name));
    }
    checkWidth(name, layer.getNIn() * series.steps(), inputs);
    int units = (int) layer.getNOut();
    return new Read(
        new LayerPlan.Recurrent(
            name,
            series.size(),
            units,
            series.steps(),
            ActivationReader.read(name, layer.getActivationFn()),
            ActivationReader.read(name, layer.getGateActivationFn())),
        new PlanShape.Sequence(units, series.steps()));
  }

  private static Read normalization(String name, BatchNormalization layer, PlanShape inputs)
      throws UncompilableException {
    if (layer.isLockGammaBeta() || !layer.isMinibatch()) {
      throw UncompilableException.of("fixed scale or missing mini-batch", name);
    }
    if (layer.getCnn2DFormat() != CNN2DFormat.NCHW) {
      throw UncompilableException.of("format " + layer.getCnn2DFormat(), name);
    }
    if (inputs instanceof PlanShape.Sequence) {
      throw UncompilableException.of("normalization of time series", name);
    }
    int pixels = inputs instanceof PlanShape.Image image ? image.height() * image.width() : 1;
    checkWidth(name, layer.getNOut() * pixels, inputs);
    return new Read(
        new LayerPlan.Normalized(
            name,
            (int) layer.getNOut(),
            pixels,
            layer.getEps(),
            layer.getDecay(),
            layer.isUseLogStd()
                ? BatchNormalizationParamInitializer.GLOBAL_LOG_STD
                : BatchNormalizationParamInitializer.GLOBAL_VAR),
        inputs);
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
      throw new UncompilableException(
          "layer '%s' takes rows of %d numbers, and gets %d"
              .formatted(layer, wanted, found.values()));
    }
  }

  /** Returns whether an object is of exactly this class: a subclass may compute something else. */
  private static boolean exactly(Object object, Class<?> type) {
    return object.getClass() == type;
  }
}
