package io.idlalayer.modelruntime.network;

import org.jspecify.annotations.Nullable;

/** The settings of a layer on which predictions depend. */
sealed interface LayerSettings {
  /**
   * A dense layer.
   *
   * @param last whether it is an output layer
   * @param inputs number of input values of a row
   * @param outputs number of output values of a row
   */
  record Dense(
      boolean last, int inputs, int outputs, boolean hasBias, ActivationFunction activation)
      implements LayerSettings {}

  /**
   * An activation function as a layer of its own.
   *
   * @param last whether it is a loss layer
   */
  record Activated(boolean last, ActivationFunction activation) implements LayerSettings {}

  /** Dropout, which does nothing when a network predicts. */
  record Dropped() implements LayerSettings {}

  /**
   * The way in which a window moves over images; of each pair, the first number is for lines.
   *
   * @param same whether as many zeros surround the image as each stride needs
   * @param exact whether windows must end with the image
   */
  record Windows(int[] size, int[] stride, int[] padding, boolean same, boolean exact) {}

  /**
   * A convolution layer.
   *
   * @param channels number of channels of the input
   */
  record Convolved(
      int channels, int filters, boolean hasBias, ActivationFunction activation, Windows windows)
      implements LayerSettings {}

  /** A pooling layer with a window. */
  record Pooled(PoolingStep.Kind kind, Windows windows) implements LayerSettings {}

  /**
   * A pooling layer over a whole image or time series.
   *
   * @param series whether the layer pools the dimensions of a series; null if the file does not say
   */
  record GloballyPooled(boolean max, @Nullable Boolean series) implements LayerSettings {}

  /**
   * A batch normalization layer.
   *
   * @param logarithms whether logarithms of standard deviations are stored
   */
  record Normalized(int channels, double eps, boolean logarithms) implements LayerSettings {}

  /** A layer normalization layer. */
  record LayerNormalized(int inputs, double eps) implements LayerSettings {}

  /**
   * A rectifier with learned slopes.
   *
   * @param shape the layer's shape of a row; shared dimensions have their size or 1
   * @param shared dimensions along which a slope is shared; 1 is the first
   */
  record Rectified(int[] shape, int[] shared) implements LayerSettings {}

  /**
   * A layer of long short-term memory.
   *
   * @param lastStep whether the layer returns only the last step
   */
  record Recurrent(
      int size,
      int units,
      ActivationFunction activation,
      ActivationFunction gates,
      boolean lastStep)
      implements LayerSettings {}
}
