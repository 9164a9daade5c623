package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.function.SharedSlopes;
import io.idlalayer.modelruntime.network.NetworkDraft.Rows;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Converts the settings of layers into steps of a network, and checks that each step fits its
 * inputs.
 */
final class LayerSteps {
  private final NetworkDraft draft;

  LayerSteps(NetworkDraft draft) {
    this.draft = draft;
  }

  /**
   * Adds the steps of a layer and returns its outputs.
   *
   * @param last whether it is the last of the network
   */
  Rows add(String name, LayerSettings layer, Rows in, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    checkEnd(name, layer, last);
    if (layer instanceof LayerSettings.Dense dense) {
      return dense(name, dense, in);
    } else if (layer instanceof LayerSettings.Activated activated) {
      if (activated.last()) {
        checkFlat(name, in);
      }
      checkElementwise(name, activated.activation(), in.shape());
      return draft.add(
          new RowSteps.Activated(in.width(), activated.activation()), in.shape(), List.of(in));
    } else if (layer instanceof LayerSettings.Convolved filters) {
      return convolution(name, filters, in);
    } else if (layer instanceof LayerSettings.Pooled pool) {
      return pooling(name, pool, in);
    } else if (layer instanceof LayerSettings.GloballyPooled pool) {
      return globalPooling(name, pool, in);
    } else if (layer instanceof LayerSettings.Normalized normal) {
      return normalization(name, normal, in);
    } else if (layer instanceof LayerSettings.LayerNormalized normal) {
      return layerNormalization(name, normal, in);
    } else if (layer instanceof LayerSettings.Rectified rectified) {
      return rectified(name, rectified, in);
    } else if (layer instanceof LayerSettings.Recurrent memory) {
      return recurrent(name, memory, in);
    }
    return in;
  }

  private static void checkEnd(String name, LayerSettings layer, boolean last)
      throws MalformedModelException {
    boolean end =
        (layer instanceof LayerSettings.Dense dense && dense.last())
            || (layer instanceof LayerSettings.Activated activated && activated.last());
    if (end != last) {
      throw ConfigurationReader.malformed(
          last
              ? name + " is the last layer, but not an output layer"
              : name + " is an output layer, but not the last layer");
    }
  }

  private static void checkFlat(String name, Rows in) throws MalformedModelException {
    if (!(in.shape() instanceof RowShape.Flat)) {
      throw ConfigurationReader.malformed("%s takes rows, and gets %s".formatted(name, in.shape()));
    }
  }

  private static void checkElementwise(String name, ActivationFunction activation, RowShape shape)
      throws UnsupportedModelException {
    if (!(shape instanceof RowShape.Flat) && !activation.elementwise()) {
      throw new UnsupportedModelException("softmax of %s over %s".formatted(name, shape));
    }
  }

  private static MalformedModelException misfit(String name, long wanted, long found) {
    return ConfigurationReader.malformed(
        String.format(Locale.ROOT, "%s takes %d numbers, and gets %d", name, wanted, found));
  }

  private Rows dense(String name, LayerSettings.Dense layer, Rows in)
      throws MalformedModelException {
    checkFlat(name, in);
    int inputs = in.width();
    if (layer.inputs() != inputs) {
      throw misfit(name, layer.inputs(), inputs);
    }
    int outputs = NetworkDraft.bounded(layer.outputs());
    long count = (long) inputs * outputs + (layer.hasBias() ? outputs : 0);
    int from = draft.take(name, count);
    draft.work(count);
    return draft.add(
        new DenseStep(
            inputs, outputs, layer.hasBias(), layer.activation(), draft.parameters(), from),
        new RowShape.Flat(outputs),
        List.of(in));
  }

  private static RowShape.Image image(String name, Rows in) throws MalformedModelException {
    if (in.shape() instanceof RowShape.Image image) {
      return image;
    }
    throw ConfigurationReader.malformed("%s takes images, and gets %s".formatted(name, in.shape()));
  }

  private Rows convolution(String name, LayerSettings.Convolved layer, Rows in)
      throws MalformedModelException, UnsupportedModelException {
    RowShape.Image image = image(name, in);
    if (layer.channels() != image.channels()) {
      throw misfit(name, layer.channels(), image.channels());
    }
    Window window = window(name, layer.windows(), image);
    if (window.top() < 0 || window.left() < 0) {
      throw ConfigurationReader.malformed(
          name + " has strides with which its filters leave out the image's edge");
    }
    int filters = NetworkDraft.bounded(layer.filters());
    int width = NetworkDraft.bounded((long) filters * window.places());
    // Size of the copy with its border.
    draft.count(
        NetworkDraft.bounded(
            image.channels()
                * (long) NetworkDraft.bounded(window.paddedHeight() * window.paddedWidth())));
    long taps =
        (long) NetworkDraft.bounded((long) window.height() * window.width()) * image.channels();
    if (taps > Integer.MAX_VALUE / filters) {
      throw misfit(name, taps, draft.parameters().length);
    }
    int from = draft.take(name, filters * taps + (layer.hasBias() ? filters : 0));
    draft.work(width * taps);
    RowShape.Image shape = new RowShape.Image(filters, window.outHeight(), window.outWidth());
    checkElementwise(name, layer.activation(), shape);
    return draft.add(
        new ConvolutionStep(
            window, filters, layer.hasBias(), layer.activation(), draft.parameters(), from),
        shape,
        List.of(in));
  }

  private Rows pooling(String name, LayerSettings.Pooled layer, Rows in)
      throws MalformedModelException, UnsupportedModelException {
    RowShape.Image image = image(name, in);
    Window window = window(name, layer.windows(), image);
    for (int i = 0; i < 2; i++) {
      if (!layer.windows().same() && layer.windows().padding()[i] >= layer.windows().size()[i]) {
        throw ConfigurationReader.malformed(name + " has windows that do not touch the image");
      }
    }
    int width = NetworkDraft.bounded((long) image.channels() * window.places());
    long seen =
        (long) Math.min(window.height(), image.height()) * Math.min(window.width(), image.width());
    draft.work(width * seen);
    return draft.add(
        new PoolingStep(window, layer.kind()),
        new RowShape.Image(image.channels(), window.outHeight(), window.outWidth()),
        List.of(in));
  }

  private Rows globalPooling(String name, LayerSettings.GloballyPooled layer, Rows in)
      throws MalformedModelException {
    int channels;
    if (in.shape() instanceof RowShape.Image image && !Boolean.TRUE.equals(layer.series())) {
      channels = image.channels();
    } else if (in.shape() instanceof RowShape.Series series
        && !Boolean.FALSE.equals(layer.series())) {
      channels = series.size();
    } else {
      throw ConfigurationReader.malformed("%s cannot pool %s".formatted(name, in.shape()));
    }
    return draft.add(
        new GlobalPoolingStep(channels, in.width() / channels, layer.max()),
        new RowShape.Flat(channels),
        List.of(in));
  }

  private Rows normalization(String name, LayerSettings.Normalized layer, Rows in)
      throws MalformedModelException {
    int pixels =
        in.shape() instanceof RowShape.Image image
            ? image.pixels()
            : in.shape() instanceof RowShape.Series series ? series.steps() : 1;
    if (layer.channels() < 1 || (long) layer.channels() * pixels != in.width()) {
      throw misfit(name, (long) layer.channels() * pixels, in.width());
    }
    int from = draft.take(name, NormalizationStep.parameters(layer.channels()));
    return draft.add(
        new NormalizationStep(
            layer.channels(), pixels, layer.eps(), layer.logarithms(), draft.parameters(), from),
        in.shape(),
        List.of(in));
  }

  private Rows layerNormalization(String name, LayerSettings.LayerNormalized layer, Rows in)
      throws MalformedModelException {
    checkFlat(name, in);
    if (layer.inputs() != in.width()) {
      throw misfit(name, layer.inputs(), in.width());
    }
    int width = in.width();
    int from = draft.take(name, 2L * width);
    float[] all = draft.parameters();
    return draft.add(
        new RowSteps.LayerNormalized(
            Arrays.copyOfRange(all, from, from + width),
            Arrays.copyOfRange(all, from + width, from + 2 * width),
            layer.eps()),
        in.shape(),
        List.of(in));
  }

  private Rows rectified(String name, LayerSettings.Rectified layer, Rows in)
      throws MalformedModelException, UnsupportedModelException {
    int slopes = SharedSlopes.count(layer.shape(), layer.shared(), sizes(in.shape()));
    if (slopes < 1) {
      throw new UnsupportedModelException(
          "%s, whose slopes have another shape than %s,".formatted(name, in.shape()));
    }
    int from = draft.take(name, slopes);
    float[] all = draft.parameters();
    return draft.add(
        new RowSteps.ParametricRelu(in.width(), Arrays.copyOfRange(all, from, from + slopes)),
        in.shape(),
        List.of(in));
  }

  private static int[] sizes(RowShape shape) {
    if (shape instanceof RowShape.Image image) {
      return new int[] {image.channels(), image.height(), image.width()};
    } else if (shape instanceof RowShape.Series series) {
      return new int[] {series.size(), series.steps()};
    }
    return new int[] {shape.numbers()};
  }

  private Rows recurrent(String name, LayerSettings.Recurrent layer, Rows in)
      throws MalformedModelException, UnsupportedModelException {
    if (!(in.shape() instanceof RowShape.Series series)) {
      throw ConfigurationReader.malformed(
          "%s takes time series, and gets %s".formatted(name, in.shape()));
    }
    if (layer.size() != series.size()) {
      throw misfit(name, layer.size(), series.size());
    }
    int units = NetworkDraft.bounded(layer.units());
    NetworkDraft.bounded((long) units * series.steps());
    RowShape.Series shape = new RowShape.Series(units, series.steps());
    checkElementwise(name, layer.activation(), shape);
    checkElementwise(name, layer.gates(), shape);
    long count = LstmStep.parameters(series.size(), units);
    int from = draft.take(name, count);
    draft.work(count * series.steps());
    Rows all =
        draft.add(
            new LstmStep(
                series, units, layer.activation(), layer.gates(), draft.parameters(), from),
            shape,
            List.of(in));
    return layer.lastStep() ? lastStep(all) : all;
  }

  /** Adds a step that takes the last step of a time series. */
  Rows lastStep(Rows in) throws MalformedModelException {
    if (!(in.shape() instanceof RowShape.Series series)) {
      throw ConfigurationReader.malformed("the last step of %s".formatted(in.shape()));
    }
    return draft.add(
        new RowSteps.LastStep(series.size(), series.steps()),
        new RowShape.Flat(series.size()),
        List.of(in));
  }

  private static Window window(String name, LayerSettings.Windows windows, RowShape.Image in)
      throws MalformedModelException, UnsupportedModelException {
    int[] sizes = {in.height(), in.width()};
    int[] places = new int[2];
    int[] before = new int[2];
    for (int i = 0; i < 2; i++) {
      places[i] = places(name, windows, i, sizes[i]);
      long needed = (places[i] - 1L) * windows.stride()[i] + windows.size()[i] - sizes[i];
      // Deeplearning4j rounds in this way: with large strides, pooling ignores the image's edge.
      before[i] = windows.same() ? (int) (needed / 2) : windows.padding()[i];
    }
    NetworkDraft.bounded((long) places[0] * places[1]);
    return new Window(
        in,
        windows.size()[0],
        windows.size()[1],
        windows.stride()[0],
        windows.stride()[1],
        before[0],
        before[1],
        places[0],
        places[1]);
  }

  /**
   * Returns the number of positions of a window in one direction.
   *
   * @param i 0 for lines, 1 for columns
   * @param size size of the image
   */
  private static int places(String name, LayerSettings.Windows windows, int i, int size)
      throws MalformedModelException, UnsupportedModelException {
    if (windows.size().length != 2
        || windows.stride().length != 2
        || windows.padding().length != 2) {
      throw ConfigurationReader.malformed(name + " has windows of other than two dimensions");
    }
    int stride = windows.stride()[i];
    int padding = windows.padding()[i];
    int window = windows.size()[i];
    if (window < 1
        || stride < 1
        || padding < 0
        || Math.max(Math.max(window, stride), padding) > PlainNetwork.MOST_NUMBERS) {
      throw ConfigurationReader.malformed(name + " has windows of an impossible size");
    }
    if (windows.same()) {
      return (size - 1) / stride + 1;
    }
    int free = size + 2 * padding - window;
    if (free < 0) {
      // Deeplearning4j counts one place if the stride is larger than what is missing.
      throw new UnsupportedModelException(
          String.format(
              Locale.ROOT,
              "%s with windows of %d over %d pixels",
              name,
              window,
              size + 2 * padding));
    }
    if (windows.exact() && free % stride != 0) {
      throw ConfigurationReader.malformed(
          String.format(
              Locale.ROOT,
              "%s has windows of %d over %d pixels",
              name,
              window,
              size + 2 * padding));
    }
    return free / stride + 1;
  }
}
