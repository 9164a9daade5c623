package io.idlalayer.modelcontroller.engine.compile.plan;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.kernel.layer.Loss;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;

/** A layer, as the engine knows it. */
public sealed interface LayerPlan {
  /** Returns the name of the layer, which is the prefix of its parameters' names. */
  String name();

  /** Numbers of one row that it gives. */
  int outputs();

  /**
   * Outputs = activation(inputs x weights + bias).
   *
   * @param bias whether there is one
   */
  record Dense(String name, int inputs, int outputs, boolean bias, Activation activation)
      implements LayerPlan {}

  /** Outputs = activation(convolution(inputs) + bias), for images. */
  record Convolved(String name, Convolution shape, boolean bias, Activation activation)
      implements LayerPlan {
    @Override
    public int outputs() {
      return shape.filters() * shape.window().outputPixels();
    }
  }

  /**
   * Normalization over the rows of a mini-batch.
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

  /** The largest or mean value in each window, for images. */
  record Pooled(String name, Pooling shape) implements LayerPlan {
    @Override
    public int outputs() {
      return shape.window().channels() * shape.window().outputPixels();
    }
  }

  /** Several inputs of equal shape, combined number by number. */
  record Combined(String name, int outputs, Combination combination) implements LayerPlan {}

  /** How inputs are combined. */
  enum Combination {
    SUM,
    MEAN,
    /** The first minus the second. */
    DIFFERENCE,
    PRODUCT,
    MAXIMUM
  }

  /** Several inputs, one after the other in each row. */
  record Merged(String name, int outputs) implements LayerPlan {}

  /**
   * Neighbouring columns of the inputs.
   *
   * @param from index of the first column
   * @param outputs number of columns
   */
  record Part(String name, int from, int outputs) implements LayerPlan {}

  /**
   * The dot products of all pairs of vectors that several inputs hold (Naumov 2019).
   *
   * @param dim length of a vector
   */
  record Dots(String name, int outputs, int dim) implements LayerPlan {}

  /** Outputs = activation(inputs). */
  record Activated(String name, int outputs, Activation activation) implements LayerPlan {}

  /**
   * Sets inputs to 0 at random during a training, and enlarges the others (Srivastava 2014).
   *
   * @param retained probability that an input stays
   */
  record Dropped(String name, int outputs, Schedule retained) implements LayerPlan {}

  /**
   * A layer of long short-term memory (Hochreiter 1997, with the gate of Gers 2000), for time
   * series.
   *
   * @param units number of values that it gives at each step
   */
  record Recurrent(
      String name, int inputs, int units, int steps, Activation activation, Activation gates)
      implements LayerPlan {
    @Override
    public int outputs() {
      return units * steps;
    }
  }

  /** The numbers of the last step of a time series. */
  record LastStep(String name, int outputs, int steps) implements LayerPlan {}

  /** The last layer, which has a loss. */
  sealed interface Last extends LayerPlan {
    /** Returns whether the softmax is its activation, instead of {@link #activation}. */
    boolean softmax();

    Activation activation();

    Loss loss();
  }

  /** The last layer: a {@link Dense} layer with a loss. */
  record Output(
      String name,
      int inputs,
      int outputs,
      boolean bias,
      boolean softmax,
      Activation activation,
      Loss loss)
      implements Last {}

  /** The last layer: an {@link Activated} layer with a loss. */
  record LossOnly(String name, int outputs, boolean softmax, Activation activation, Loss loss)
      implements Last {}
}
