package io.idlalayer.modelcontroller.engine.compile.plan;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.kernel.layer.Loss;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;

/** The plan of a layer: its kind and its sizes, independent of the number of rows. */
public sealed interface LayerPlan {
  /** Returns the name of the layer, which is the prefix of the names of its parameters. */
  String name();

  /** Returns the number of values that the layer gives for one row. */
  int outputs();

  /**
   * A dense layer: outputs = activation(inputs x weights + bias).
   *
   * @param bias whether the layer has a bias
   */
  record Dense(String name, int inputs, int outputs, boolean bias, Activation activation)
      implements LayerPlan {}

  /** A convolution of images: outputs = activation(convolution(inputs) + bias). */
  record Convolved(String name, Convolution shape, boolean bias, Activation activation)
      implements LayerPlan {
    @Override
    public int outputs() {
      return shape.filters() * shape.window().outputPixels();
    }
  }

  /**
   * Batch normalization: normalizes over the rows of a mini-batch.
   *
   * @param pixels number of pixels of a channel; 1 for rows that are not images
   * @param spread Deeplearning4j's name of the running variance, or of the running deviation
   */
  record Normalized(
      String name, int channels, int pixels, double epsilon, double decay, String spread)
      implements LayerPlan {
    @Override
    public int outputs() {
      return channels * pixels;
    }
  }

  /**
   * Layer normalization: normalizes over the numbers of each row.
   *
   * @param epsilon added to variances
   */
  record LayerNormalized(String name, int outputs, double epsilon) implements LayerPlan {}

  /**
   * A rectifier that multiplies negative numbers by learned slopes.
   *
   * @param slopes number of slopes; each slope is used for outputs / slopes neighbouring numbers,
   *     such as the pixels of a channel
   */
  record ParametricRelu(String name, int outputs, int slopes) implements LayerPlan {}

  /** Pooling of images: the largest or the mean value in each window. */
  record Pooled(String name, Pooling shape) implements LayerPlan {
    @Override
    public int outputs() {
      return shape.window().channels() * shape.window().outputPixels();
    }
  }

  /** The combination of several inputs of equal shape, number by number. */
  record Combined(String name, int outputs, Combination combination) implements LayerPlan {}

  /** The operation that combines the numbers at one position. */
  enum Combination {
    SUM,
    MEAN,
    /** The first input minus the second. */
    DIFFERENCE,
    PRODUCT,
    MAXIMUM
  }

  /** The concatenation of several inputs in each row. */
  record Merged(String name, int outputs) implements LayerPlan {}

  /**
   * A range of neighbouring columns of the inputs.
   *
   * @param from index of the first column
   * @param outputs number of columns
   */
  record Part(String name, int from, int outputs) implements LayerPlan {}

  /**
   * The dot products of all pairs of the vectors in several inputs (Naumov 2019).
   *
   * @param dim length of a vector
   */
  record Dots(String name, int outputs, int dim) implements LayerPlan {}

  /** An activation alone: outputs = activation(inputs). */
  record Activated(String name, int outputs, Activation activation) implements LayerPlan {}

  /**
   * Dropout: sets inputs to 0 at random during a training, and divides the other inputs by the
   * probability that an input is kept (Srivastava 2014).
   *
   * @param retained probability that an input is kept
   */
  record Dropped(String name, int outputs, Schedule retained) implements LayerPlan {}

  /**
   * A layer of long short-term memory (Hochreiter 1997, with the gate of Gers 2000), for time
   * series.
   *
   * @param units number of values that the layer computes at each step
   */
  record Recurrent(
      String name, int inputs, int units, int steps, Activation activation, Activation gates)
      implements LayerPlan {
    @Override
    public int outputs() {
      return units * steps;
    }
  }

  /** The values of a time series at its last step. */
  record LastStep(String name, int outputs, int steps) implements LayerPlan {}

  /** The plan of the last layer, which has a loss. */
  sealed interface Last extends LayerPlan {
    /** Returns whether the activation is the softmax. If it is, {@link #activation} is not used. */
    boolean softmax();

    Activation activation();

    Loss loss();
  }

  /** An output layer: a {@link Dense} layer with a loss. */
  record Output(
      String name,
      int inputs,
      int outputs,
      boolean bias,
      boolean softmax,
      Activation activation,
      Loss loss)
      implements Last {}

  /** A loss layer: an {@link Activated} layer with a loss. */
  record LossOnly(String name, int outputs, boolean softmax, Activation activation, Loss loss)
      implements Last {}
}
