package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.distribution.UniformDistribution;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.nd4j.linalg.activations.Activation;

/**
 * Networks with learned slopes over rows, images and time series: as {@link
 * EngineParityPropertyTest}. They are small, since Deeplearning4j trains slopes of at most 64
 * numbers of a mini-batch each.
 */
@Tag("natives")
final class RectifierParityPropertyTest {
  private static final int CLASSES = 3;
  private static final int STEPS = 10;
  private static final int ROWS = 5;
  private static final int SIDE = 4;
  private static final int TIMES = 4;

  private record Plan(ModelSpec spec, long seed) {
    static Plan of(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      LearningPlan learning = LearningPlan.of(seed);
      GraphBuilder graph = learning.configuration().graphBuilder().addInputs("in");
      int channels = 1 + random.nextInt(3);
      boolean single = random.nextBoolean();
      int width;
      switch (random.nextInt(3)) {
        case 0 -> {
          width = 6;
          graph
              .setInputTypes(InputType.feedForward(width))
              .addLayer("first", dense(channels), "in")
              .addLayer("slopes", slopes(single ? new int[] {1} : new int[0], channels), "first")
              .addLayer("out", learning.outputLayer(CLASSES).build(), "slopes");
        }
        case 1 -> {
          width = SIDE * SIDE;
          int pixels = SIDE - 2;
          int[] shared = single ? new int[] {1, 2, 3} : new int[] {2, 3};
          graph
              .setInputTypes(InputType.convolutionalFlat(SIDE, SIDE, 1))
              .addLayer("first", convolution(channels), "in")
              .addLayer("slopes", slopes(shared, channels, pixels, pixels), "first")
              .addLayer("out", learning.outputLayer(CLASSES).build(), "slopes");
        }
        default -> {
          width = 2 * TIMES;
          int[] shared = single ? new int[] {1, 2} : new int[] {2};
          graph
              .addVertex("series", new ReshapeVertex(-1, 2, TIMES), "in")
              .addLayer("first", new LSTM.Builder().nIn(2).nOut(channels).build(), "series")
              .addLayer("slopes", slopes(shared, channels, TIMES), "first")
              .addVertex("end", new LastTimeStepVertex("in"), "slopes")
              .addLayer("out", learning.outputLayer(CLASSES).nIn(channels).build(), "end");
        }
      }
      ModelSpec spec =
          new ModelSpec(
              Trainings.classes(width, CLASSES),
              new ModelSpec.Network.Dl4jJson(graph.setOutputs("out").build().toJson()),
              Trainings.ADAM,
              false);
      return new Plan(spec, seed);
    }

    private static DenseLayer dense(int outputs) {
      return new DenseLayer.Builder().nOut(outputs).activation(Activation.IDENTITY).build();
    }

    private static ConvolutionLayer convolution(int filters) {
      return new ConvolutionLayer.Builder(3, 3)
          .nOut(filters)
          .activation(Activation.IDENTITY)
          .build();
    }

    private static PReLULayer slopes(int[] shared, long... shape) {
      PReLULayer.Builder layer =
          new PReLULayer.Builder().inputShape(shape).weightInit(new UniformDistribution(-0.5, 0.5));
      return shared.length == 0 ? layer.build() : layer.sharedAxes(axes(shared)).build();
    }

    private static long[] axes(int[] shared) {
      long[] axes = new long[shared.length];
      for (int i = 0; i < axes.length; i++) {
        axes[i] = shared[i];
      }
      return axes;
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, ROWS * spec.inputWidth(), 2);
    }
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    float[] weights = LearningPlan.of(plan.seed()).weights(ROWS);
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        steps.fit(plan.features(random), Parity.labels(random, ROWS, CLASSES), ROWS, weights);
      }
    }
  }

  @Property(tries = 12, shrinking = ShrinkingMode.OFF)
  void tenSteps_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed) throws Exception {
    Plan plan = Plan.of(seed);
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(plan.spec(), seed, it -> train(it, plan), features, ROWS);
  }

  @Provide
  Arbitrary<Long> seeds() {
    return Parity.seeds();
  }
}
