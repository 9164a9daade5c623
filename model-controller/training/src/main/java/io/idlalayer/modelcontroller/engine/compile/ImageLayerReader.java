package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import java.util.Arrays;
import java.util.Set;

/** Reads Deeplearning4j's layers that take images. */
final class ImageLayerReader {
  private static final String NCHW = "NCHW";
  private static final String SAME = "Same";
  private static final String STRICT = "Strict";
  private static final Set<String> MODES = Set.of(SAME, STRICT, "Truncate");
  private static final String DIMENSIONS = "poolingDimensions";

  private ImageLayerReader() {}

  static LayerPlanReader.Read convolution(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    PlanShape.Image from = images(name, layer.text("cnn2dDataFormat", NCHW), inputs);
    int channels = layer.positive("nin");
    if (channels != from.channels()) {
      throw new UncompilableException(
          "layer '%s' takes images of %d channels, and gets %d"
              .formatted(name, channels, from.channels()));
    }
    KernelWindow window = window(name, from, layer);
    int filters = layer.positive("nout");
    return new LayerPlanReader.Read(
        new LayerPlan.Convolved(
            name,
            new Convolution(window, filters),
            layer.flag("hasBias"),
            ActivationReader.read(name, layer, "activationFn")),
        new PlanShape.Image(filters, window.outputHeight(), window.outputWidth()));
  }

  static LayerPlanReader.Read pooling(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    PlanShape.Image from = images(name, layer.text("cnn2dDataFormat", NCHW), inputs);
    KernelWindow window = window(name, from, layer);
    if (window.top() >= window.rows() || window.left() >= window.columns()) {
      // oneDNN refuses a window that lies only in the padding, and the mean of no pixels is NaN.
      throw new UncompilableException(
          "layer '%s' pools with padding %d x %d and a kernel of %d x %d; padding that is as large as the kernel is not known, because some windows have no pixel of the image"
              .formatted(name, window.top(), window.left(), window.rows(), window.columns()));
    }
    Pooling.Kind kind =
        maximum(name, layer)
            ? Pooling.Kind.MAX
            : layer.flag("avgPoolIncludePadInDivisor", false)
                ? Pooling.Kind.MEAN_WITH_PADDING
                : Pooling.Kind.MEAN;
    return new LayerPlanReader.Read(
        new LayerPlan.Pooled(name, new Pooling(window, kind)),
        new PlanShape.Image(from.channels(), window.outputHeight(), window.outputWidth()));
  }

  /**
   * Returns the plan of a pooling whose window is the whole image, or all steps of a time series.
   */
  static LayerPlanReader.Read globalPooling(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    boolean series = inputs instanceof PlanShape.Sequence;
    PlanShape.Image from =
        inputs instanceof PlanShape.Sequence sequence
            ? new PlanShape.Image(sequence.size(), 1, sequence.steps())
            : images(name, NCHW, inputs);
    int[] usual = series ? new int[] {2} : new int[] {2, 3};
    if (!layer.flag("collapseDimensions", true)
        || (layer.has(DIMENSIONS) && !Arrays.equals(layer.integers(DIMENSIONS), usual))) {
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
    Pooling.Kind kind = maximum(name, layer) ? Pooling.Kind.MAX : Pooling.Kind.MEAN;
    return new LayerPlanReader.Read(
        new LayerPlan.Pooled(name, new Pooling(window, kind)), new PlanShape.Flat(from.channels()));
  }

  /** Returns true if a pooling takes the maximum, and false if it takes the mean. */
  private static boolean maximum(String name, Settings layer) throws UncompilableException {
    String type = layer.text("poolingType");
    return switch (type) {
      case "MAX" -> true;
      case "AVG" -> false;
      default -> throw UncompilableException.of("pooling " + type, name);
    };
  }

  private static PlanShape.Image images(String name, String format, PlanShape inputs)
      throws UncompilableException {
    if (!format.equals(NCHW)) {
      throw UncompilableException.of("format " + format, name);
    }
    if (inputs instanceof PlanShape.Image image) {
      return image;
    }
    throw new UncompilableException(
        "layer '%s' takes images, and its input type does not say their size: use InputType.convolutionalFlat"
            .formatted(name));
  }

  private static KernelWindow window(String name, PlanShape.Image from, Settings layer)
      throws UncompilableException {
    int[] size = layer.pair("kernelSize", 1);
    int[] stride = layer.pair("stride", 1);
    int[] padding = layer.pair("padding", 0);
    if (layer.has("dilation") && !Arrays.equals(layer.integers("dilation"), new int[] {1, 1})) {
      throw UncompilableException.of("dilation", name);
    }
    String mode = layer.text("convolutionMode", "Truncate");
    if (!MODES.contains(mode)) {
      throw UncompilableException.of("convolution mode " + mode, name);
    }
    boolean same = mode.equals(SAME);
    int height = outputs(same, from.height(), size[0], stride[0], padding[0]);
    int width = outputs(same, from.width(), size[1], stride[1], padding[1]);
    boolean divides =
        (from.height() + 2 * padding[0] - size[0]) % stride[0] == 0
            && (from.width() + 2 * padding[1] - size[1]) % stride[1] == 0;
    if (height < 1 || width < 1 || (mode.equals(STRICT) && !divides)) {
      throw new UncompilableException(
          "layer '%s' with kernel %d x %d, stride %d x %d, padding %d x %d and convolution mode %s does not fit images of %d x %d"
              .formatted(
                  name,
                  size[0],
                  size[1],
                  stride[0],
                  stride[1],
                  padding[0],
                  padding[1],
                  mode,
                  from.height(),
                  from.width()));
    }
    int top = same ? before(height, from.height(), size[0], stride[0]) : padding[0];
    int left = same ? before(width, from.width(), size[1], stride[1]) : padding[1];
    if (top < 0 || left < 0) {
      // oneDNN does not support padding below 0.
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
