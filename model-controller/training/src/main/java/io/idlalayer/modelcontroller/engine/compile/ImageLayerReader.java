package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import java.util.Arrays;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;

/** Converts Deeplearning4j's layers that take images into plans of layers. */
final class ImageLayerReader {
  private ImageLayerReader() {}

  static LayerPlanReader.Read convolution(String name, ConvolutionLayer layer, PlanShape inputs)
      throws UncompilableException {
    PlanShape.Image from = images(name, layer.getCnn2dDataFormat(), inputs);
    if (layer.getNIn() != from.channels()) {
      throw new UncompilableException(
          "layer '%s' takes images of %d channels, and gets %d"
              .formatted(name, layer.getNIn(), from.channels()));
    }
    KernelWindow window =
        window(
            name,
            from,
            layer.getKernelSize(),
            layer.getStride(),
            layer.getPadding(),
            layer.getDilation(),
            layer.getConvolutionMode());
    int filters = (int) layer.getNOut();
    return new LayerPlanReader.Read(
        new LayerPlan.Convolved(
            name,
            new Convolution(window, filters),
            layer.hasBias(),
            ActivationReader.read(name, layer.getActivationFn())),
        new PlanShape.Image(filters, window.outputHeight(), window.outputWidth()));
  }

  static LayerPlanReader.Read pooling(String name, SubsamplingLayer layer, PlanShape inputs)
      throws UncompilableException {
    PlanShape.Image from = images(name, layer.getCnn2dDataFormat(), inputs);
    KernelWindow window =
        window(
            name,
            from,
            layer.getKernelSize(),
            layer.getStride(),
            layer.getPadding(),
            layer.getDilation(),
            layer.getConvolutionMode());
    if (window.top() >= window.rows() || window.left() >= window.columns()) {
      // oneDNN refuses such padding, and the mean of no pixels is not a number.
      throw new UncompilableException(
          "layer '%s' pools with padding %d x %d and a kernel of %d x %d; padding that is as large as the kernel is not known, because some windows have no pixel of the image"
              .formatted(name, window.top(), window.left(), window.rows(), window.columns()));
    }
    Pooling.Kind kind =
        switch (layer.getPoolingType()) {
          case MAX -> Pooling.Kind.MAX;
          case AVG ->
              layer.isAvgPoolIncludePadInDivisor()
                  ? Pooling.Kind.MEAN_WITH_PADDING
                  : Pooling.Kind.MEAN;
          case SUM, PNORM ->
              throw UncompilableException.of("pooling " + layer.getPoolingType(), name);
        };
    return new LayerPlanReader.Read(
        new LayerPlan.Pooled(name, new Pooling(window, kind)),
        new PlanShape.Image(from.channels(), window.outputHeight(), window.outputWidth()));
  }

  /**
   * Returns the plan of a pooling whose window is the whole image, or all steps of a time series.
   */
  static LayerPlanReader.Read globalPooling(String name, GlobalPoolingLayer layer, PlanShape inputs)
      throws UncompilableException {
    boolean series = inputs instanceof PlanShape.Sequence;
    PlanShape.Image from =
        inputs instanceof PlanShape.Sequence sequence
            ? new PlanShape.Image(sequence.size(), 1, sequence.steps())
            : images(name, CNN2DFormat.NCHW, inputs);
    int[] dimensions = layer.getPoolingDimensions();
    int[] usual = series ? new int[] {2} : new int[] {2, 3};
    if (!layer.isCollapseDimensions()
        || (dimensions != null && !Arrays.equals(dimensions, usual))) {
      throw UncompilableException.of("choice of dimensions", name);
    }
    KernelWindow window =
        new KernelWindow(
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
          case SUM, PNORM ->
              throw UncompilableException.of("pooling " + layer.getPoolingType(), name);
        };
    return new LayerPlanReader.Read(
        new LayerPlan.Pooled(name, new Pooling(window, kind)), new PlanShape.Flat(from.channels()));
  }

  private static PlanShape.Image images(String name, CNN2DFormat format, PlanShape inputs)
      throws UncompilableException {
    if (format != CNN2DFormat.NCHW) {
      throw UncompilableException.of("format " + format, name);
    }
    if (inputs instanceof PlanShape.Image image) {
      return image;
    }
    throw new UncompilableException(
        "layer '%s' takes images, and its input type does not say their size: use InputType.convolutionalFlat"
            .formatted(name));
  }

  private static KernelWindow window(
      String name,
      PlanShape.Image from,
      int[] size,
      int[] stride,
      int[] padding,
      int[] dilation,
      ConvolutionMode mode)
      throws UncompilableException {
    if (dilation[0] != 1 || dilation[1] != 1) {
      throw UncompilableException.of("dilation", name);
    }
    if (mode == ConvolutionMode.Causal) {
      throw UncompilableException.of("convolution mode Causal", name);
    }
    boolean same = mode == ConvolutionMode.Same;
    int height = outputs(same, from.height(), size[0], stride[0], padding[0]);
    int width = outputs(same, from.width(), size[1], stride[1], padding[1]);
    int top = same ? before(height, from.height(), size[0], stride[0]) : padding[0];
    int left = same ? before(width, from.width(), size[1], stride[1]) : padding[1];
    if (top < 0 || left < 0) {
      // oneDNN knows no padding below 0.
      throw new UncompilableException(
          "layer '%s' has convolution mode Same and a stride so much larger than its window that the first pixels of an image are left out, which is not known"
              .formatted(name));
    }
    return new KernelWindow(
        from.channels(),
        from.height(),
        from.width(),
        size[0],
        size[1],
        stride[0],
        stride[1],
        top,
        left,
        height,
        width);
  }

  private static int outputs(boolean same, int inputs, int size, int stride, int padding) {
    return same ? (inputs + stride - 1) / stride : (inputs + 2 * padding - size) / stride + 1;
  }

  /**
   * Returns the padding before the first pixel: half of the padding that is needed, rounded down. A
   * negative number means that the first pixels are left out.
   */
  private static int before(int outputs, int inputs, int size, int stride) {
    return ((outputs - 1) * stride + size - inputs) / 2;
  }
}
