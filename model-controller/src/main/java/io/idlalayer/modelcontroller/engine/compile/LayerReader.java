package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.Loss;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.kernel.Window;
import java.util.Arrays;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.preprocessor.CnnToFeedForwardPreProcessor;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;
import org.deeplearning4j.nn.params.BatchNormalizationParamInitializer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationSigmoid;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.activations.impl.ActivationTanH;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossBinaryXENT;
import org.nd4j.linalg.lossfunctions.impl.LossL2;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;
import org.nd4j.linalg.lossfunctions.impl.LossMSE;
import org.nd4j.linalg.lossfunctions.impl.LossNegativeLogLikelihood;

/** Reads the layers of a network one after the other, and follows the width of a row. */
final class LayerReader {
  private int inputs;

  /** What the values before the next layer are; null if they are rows. */
  private @Nullable Image image;

  /** Size of an image. */
  private record Image(int channels, int height, int width) {
    int values() {
      return channels * height * width;
    }
  }

  /** Numbers of one row that the first layer takes. */
  int inputs() {
    return inputs;
  }

  /**
   * @param before what turns the outputs of the layer before into its inputs; null for nothing
   */
  LayerPlan read(String name, Layer layer, @Nullable InputPreProcessor before, boolean last)
      throws UncompilableException {
    prepare(name, before);
    if (last && layer instanceof OutputLayer out && exactly(layer, OutputLayer.class)) {
      takes(out.getNIn());
      return output(name, out);
    } else if (!last && layer instanceof DenseLayer dense && exactly(layer, DenseLayer.class)) {
      takes(dense.getNIn());
      if (dense.hasLayerNorm()) {
        throw unknown(name, "layer normalization");
      }
      return new LayerPlan.Dense(
          name,
          (int) dense.getNIn(),
          (int) dense.getNOut(),
          dense.hasBias(),
          activation(name, dense.getActivationFn()));
    }
    if (layer instanceof ConvolutionLayer filters && exactly(layer, ConvolutionLayer.class)) {
      return convolution(name, filters);
    } else if (layer instanceof SubsamplingLayer pool && exactly(layer, SubsamplingLayer.class)) {
      return pooling(name, pool);
    } else if (layer instanceof GlobalPoolingLayer pool
        && exactly(layer, GlobalPoolingLayer.class)) {
      return globalPooling(name, pool);
    } else if (layer instanceof BatchNormalization normal
        && exactly(layer, BatchNormalization.class)) {
      return normalization(name, normal);
    }
    throw new UncompilableException(
        "layer '%s' is a %s; only DenseLayer, ConvolutionLayer, SubsamplingLayer, GlobalPoolingLayer, BatchNormalization, and OutputLayer at the end, are known"
            .formatted(name, layer.getClass().getSimpleName()));
  }

  /** Rows and images are the same numbers in the same order. */
  private void prepare(String name, @Nullable InputPreProcessor before)
      throws UncompilableException {
    if (before instanceof FeedForwardToCnnPreProcessor toImages
        && exactly(before, FeedForwardToCnnPreProcessor.class)) {
      image =
          new Image(
              (int) toImages.getNumChannels(),
              (int) toImages.getInputHeight(),
              (int) toImages.getInputWidth());
      takes(image.values());
    } else if (before instanceof CnnToFeedForwardPreProcessor toRows
        && exactly(before, CnnToFeedForwardPreProcessor.class)
        && toRows.getFormat() == CNN2DFormat.NCHW) {
      image = null;
    } else if (before != null) {
      throw unknown(name, "preprocessor " + before.getClass().getSimpleName());
    }
  }

  private Image images(String name, CNN2DFormat format) throws UncompilableException {
    if (format != CNN2DFormat.NCHW) {
      throw unknown(name, "format " + format);
    }
    Image known = image;
    if (known == null) {
      throw new UncompilableException(
          "layer '%s' takes images, and its input type does not say their size: use InputType.convolutionalFlat"
              .formatted(name));
    }
    return known;
  }

  private LayerPlan convolution(String name, ConvolutionLayer layer) throws UncompilableException {
    Image from = images(name, layer.getCnn2dDataFormat());
    Window window =
        window(
            name,
            from,
            layer.getKernelSize(),
            layer.getStride(),
            layer.getPadding(),
            layer.getDilation(),
            layer.getConvolutionMode());
    image = new Image((int) layer.getNOut(), window.outputHeight(), window.outputWidth());
    return new LayerPlan.Convolved(
        name,
        new Convolution(window, (int) layer.getNOut()),
        layer.hasBias(),
        activation(name, layer.getActivationFn()));
  }

  private LayerPlan pooling(String name, SubsamplingLayer layer) throws UncompilableException {
    Image from = images(name, layer.getCnn2dDataFormat());
    Window window =
        window(
            name,
            from,
            layer.getKernelSize(),
            layer.getStride(),
            layer.getPadding(),
            layer.getDilation(),
            layer.getConvolutionMode());
    image = new Image(from.channels(), window.outputHeight(), window.outputWidth());
    Pooling.Kind kind =
        switch (layer.getPoolingType()) {
          case MAX -> Pooling.Kind.MAX;
          case AVG ->
              layer.isAvgPoolIncludePadInDivisor()
                  ? Pooling.Kind.MEAN_WITH_PADDING
                  : Pooling.Kind.MEAN;
          case SUM, PNORM -> throw unknown(name, "pooling " + layer.getPoolingType());
        };
    return new LayerPlan.Pooled(name, new Pooling(window, kind));
  }

  /** A pooling whose window is the whole image. */
  private LayerPlan globalPooling(String name, GlobalPoolingLayer layer)
      throws UncompilableException {
    Image from = images(name, CNN2DFormat.NCHW);
    int[] dimensions = layer.getPoolingDimensions();
    if (!layer.isCollapseDimensions()
        || (dimensions != null && !Arrays.equals(dimensions, new int[] {2, 3}))) {
      throw unknown(name, "choice of dimensions");
    }
    image = null;
    Window window =
        new Window(
            from.channels(),
            from.height(),
            from.width(),
            from.height(),
            from.width(),
            1,
            1,
            0,
            0,
            1,
            1);
    Pooling.Kind kind =
        switch (layer.getPoolingType()) {
          case MAX -> Pooling.Kind.MAX;
          case AVG -> Pooling.Kind.MEAN;
          case SUM, PNORM -> throw unknown(name, "pooling " + layer.getPoolingType());
        };
    return new LayerPlan.Pooled(name, new Pooling(window, kind));
  }

  private LayerPlan normalization(String name, BatchNormalization layer)
      throws UncompilableException {
    if (layer.isLockGammaBeta() || !layer.isMinibatch()) {
      throw unknown(name, "fixed scale or missing mini-batch");
    }
    if (layer.getGradientNormalization() != null
        && layer.getGradientNormalization() != GradientNormalization.None) {
      throw unknown(name, "gradient normalization");
    }
    if (layer.getCnn2DFormat() != CNN2DFormat.NCHW) {
      throw unknown(name, "format " + layer.getCnn2DFormat());
    }
    Image from = image;
    takes(layer.getNIn());
    return new LayerPlan.Normalized(
        name,
        (int) layer.getNOut(),
        from == null ? 1 : from.height() * from.width(),
        layer.getEps(),
        layer.getDecay(),
        layer.isUseLogStd()
            ? BatchNormalizationParamInitializer.GLOBAL_LOG_STD
            : BatchNormalizationParamInitializer.GLOBAL_VAR);
  }

  private static Window window(
      String name,
      Image from,
      int[] size,
      int[] stride,
      int[] padding,
      int[] dilation,
      ConvolutionMode mode)
      throws UncompilableException {
    if (dilation[0] != 1 || dilation[1] != 1) {
      throw unknown(name, "dilation");
    }
    if (mode == ConvolutionMode.Causal) {
      throw unknown(name, "convolution mode Causal");
    }
    boolean same = mode == ConvolutionMode.Same;
    int height = outputs(same, from.height(), size[0], stride[0], padding[0]);
    int width = outputs(same, from.width(), size[1], stride[1], padding[1]);
    return new Window(
        from.channels(),
        from.height(),
        from.width(),
        size[0],
        size[1],
        stride[0],
        stride[1],
        same ? before(height, from.height(), size[0], stride[0]) : padding[0],
        same ? before(width, from.width(), size[1], stride[1]) : padding[1],
        height,
        width);
  }

  private static int outputs(boolean same, int inputs, int size, int stride, int padding) {
    return same ? (inputs + stride - 1) / stride : (inputs + 2 * padding - size) / stride + 1;
  }

  /** Padding before the first pixel: half of what is needed, and the smaller half. */
  private static int before(int outputs, int inputs, int size, int stride) {
    return Math.max(0, ((outputs - 1) * stride + size - inputs) / 2);
  }

  /** A subclass may compute something else. */
  private static boolean exactly(Object object, Class<?> type) {
    return object.getClass() == type;
  }

  private void takes(long width) {
    if (inputs == 0) {
      inputs = (int) width;
    }
  }

  private static LayerPlan output(String name, OutputLayer out) throws UncompilableException {
    boolean softmax = exactly(out.getActivationFn(), ActivationSoftmax.class);
    Activation activation = softmax ? Activation.IDENTITY : activation(name, out.getActivationFn());
    return new LayerPlan.Output(
        name,
        (int) out.getNIn(),
        (int) out.getNOut(),
        out.hasBias(),
        softmax,
        activation,
        loss(name, out.getLossFn(), softmax, activation));
  }

  private static Loss loss(
      String name, ILossFunction function, boolean softmax, Activation activation)
      throws UncompilableException {
    if (softmax
        && function instanceof LossMCXENT entropy
        && (exactly(function, LossMCXENT.class)
            || exactly(function, LossNegativeLogLikelihood.class))
        && entropy.getWeights() == null) {
      return new Loss.SoftmaxCrossEntropy(entropy.getSoftmaxClipEps());
    } else if (!softmax
        && function instanceof LossBinaryXENT entropy
        && exactly(function, LossBinaryXENT.class)
        && activation.equals(Activation.SIGMOID)
        && entropy.getWeights() == null) {
      return new Loss.SigmoidCrossEntropy(entropy.getClipEps());
    } else if (!softmax
        && function instanceof LossL2 squares
        && (exactly(function, LossMSE.class) || exactly(function, LossL2.class))
        && squares.getWeights() == null) {
      return new Loss.SquaredError(activation, exactly(function, LossMSE.class));
    }
    throw new UncompilableException(
        "the loss %s with the activation of layer '%s' is not known, only MCXENT or NEGATIVELOGLIKELIHOOD with softmax, XENT with sigmoid, and MSE or L2 without softmax, all without weights of outputs"
            .formatted(function.getClass().getSimpleName(), name));
  }

  private static Activation activation(String name, IActivation function)
      throws UncompilableException {
    if (function instanceof ActivationIdentity) {
      return Activation.IDENTITY;
    } else if (function instanceof ActivationReLU && function.equals(new ActivationReLU())) {
      return Activation.RELU;
    } else if (function instanceof ActivationTanH) {
      return Activation.TANH;
    } else if (function instanceof ActivationSigmoid) {
      return Activation.SIGMOID;
    } else if (function instanceof ActivationLReLU leaky && leaky.getAlpha() > 0) {
      return new Activation(Activation.Kind.RELU, (float) leaky.getAlpha());
    } else if (function instanceof ActivationELU elu && elu.getAlpha() > 0) {
      return new Activation(Activation.Kind.ELU, (float) elu.getAlpha());
    }
    throw unknown(name, "activation " + function);
  }

  private static UncompilableException unknown(String name, String what) {
    return new UncompilableException("the %s of layer '%s' is not known".formatted(what, name));
  }
}
