package io.idlalayer.modelcontroller.training;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.MapSchedule;
import org.nd4j.linalg.schedule.ScheduleType;

/**
 * How a random network learns, whatever its layers are.
 *
 * @param weighted whether rows have different weights
 */
record LearningPlan(
    IUpdater updater,
    double l1,
    double l2,
    double decay,
    GradientNormalization limit,
    Output output,
    boolean weighted) {

  /** What the last layer does. */
  enum Output {
    SOFTMAX(Activation.SOFTMAX, LossFunction.MCXENT),
    SIGMOID(Activation.SIGMOID, LossFunction.XENT),
    MEAN_SQUARES(Activation.IDENTITY, LossFunction.MSE);

    private final Activation activation;
    private final LossFunction loss;

    Output(Activation activation, LossFunction loss) {
      this.activation = activation;
      this.loss = loss;
    }
  }

  private static final List<IUpdater> UPDATERS =
      List.of(
          new Sgd(0.05),
          new Nesterovs(0.02, 0.9),
          new Nesterovs(0.02, new MapSchedule(ScheduleType.ITERATION, Map.of(0, 0.5, 4, 0.9))),
          // A gradient of rounding only, as sums that cancel leave it, must not become a step.
          new Adam(0.005, 0.9, 0.999, 1e-4),
          new Sgd(new ExponentialSchedule(ScheduleType.ITERATION, 0.1, 0.8)));

  /** A plan for each seed. */
  static LearningPlan of(long seed) {
    SplittableRandom random = new SplittableRandom(~seed);
    GradientNormalization[] limits = GradientNormalization.values();
    Output[] outputs = Output.values();
    return new LearningPlan(
        UPDATERS.get(random.nextInt(UPDATERS.size())),
        random.nextBoolean() ? 0.01 : 0,
        random.nextBoolean() ? 0.02 : 0,
        random.nextInt(3) == 0 ? 0.03 : 0,
        limits[random.nextInt(limits.length)],
        outputs[random.nextInt(outputs.length)],
        random.nextBoolean());
  }

  /** A configuration that learns so. */
  NeuralNetConfiguration.Builder configuration() {
    NeuralNetConfiguration.Builder builder =
        new NeuralNetConfiguration.Builder()
            .updater(updater)
            .gradientNormalization(limit)
            .gradientNormalizationThreshold(0.3);
    if (l1 > 0) {
      builder.l1(l1);
    }
    if (decay > 0) {
      builder.weightDecay(decay);
    } else if (l2 > 0) {
      builder.l2(l2);
    }
    return builder;
  }

  /** The last layer. */
  OutputLayer.Builder outputLayer(int outputs) {
    return new OutputLayer.Builder(output.loss).nOut(outputs).activation(output.activation);
  }

  /** Weights of rows with a mean of 1; null if all are alike. */
  float @Nullable [] weights(int rows) {
    if (!weighted) {
      return null;
    }
    float[] weights = new float[rows];
    float sum = 0;
    for (int i = 0; i < rows; i++) {
      weights[i] = 1 + i % 3;
      sum += weights[i];
    }
    for (int i = 0; i < rows; i++) {
      weights[i] *= rows / sum;
    }
    return weights;
  }
}
