package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Random networks of convolutions and pooling: as {@link EngineParityPropertyTest}. */
@Tag("natives")
final class ImageParityPropertyTest {
  private static final int CLASSES = 3;
  private static final int STEPS = 10;

  /** One layer. */
  private record Part(
      boolean pooling,
      int size,
      int stride,
      int padding,
      boolean same,
      int filters,
      boolean mean,
      boolean countPadding,
      boolean bias) {}

  private record Plan(
      int channels,
      int height,
      int width,
      List<Part> parts,
      boolean dense,
      boolean normal,
      boolean global,
      int rows,
      long seed) {
    ModelSpec spec() {
      var list =
          learning()
              .configuration()
              .activation(seed % 3 == 0 ? Activation.TANH : Activation.RELU)
              .list();
      int left = Math.min(height, width);
      for (Part part : parts) {
        int size = Math.min(part.size(), left);
        int padding = part.same() ? 0 : Math.min(part.padding(), size - 1);
        ConvolutionMode mode = part.same() ? ConvolutionMode.Same : ConvolutionMode.Truncate;
        if (part.pooling()) {
          SubsamplingLayer.PoolingType type =
              part.mean() ? SubsamplingLayer.PoolingType.AVG : SubsamplingLayer.PoolingType.MAX;
          list.layer(
              new SubsamplingLayer.Builder(type)
                  .kernelSize(size, size)
                  .stride(part.stride(), part.stride())
                  .padding(padding, padding)
                  .convolutionMode(mode)
                  .avgPoolIncludePadInDivisor(part.countPadding())
                  .build());
        } else {
          list.layer(
              new ConvolutionLayer.Builder(size, size)
                  .stride(part.stride(), part.stride())
                  .padding(padding, padding)
                  .convolutionMode(mode)
                  .nOut(part.filters())
                  .hasBias(part.bias() && !normal)
                  .build());
        }
        left =
            part.same()
                ? (left + part.stride() - 1) / part.stride()
                : (left + 2 * padding - size) / part.stride() + 1;
      }
      if (normal) {
        list.layer(normalization());
      }
      if (global) {
        list.layer(
            new GlobalPoolingLayer.Builder(seed % 2 == 0 ? PoolingType.MAX : PoolingType.AVG)
                .build());
      }
      if (dense) {
        list.layer(new DenseLayer.Builder().nOut(7).hasBias(!normal).build());
        if (normal) {
          list.layer(normalization());
        }
      }
      list.layer(learning().outputLayer(CLASSES).build());
      list.setInputType(InputType.convolutionalFlat(height, width, channels));
      return spec(list);
    }

    /** Returns the specification of a network that takes the images of the plan. */
    ModelSpec spec(NeuralNetConfiguration.ListBuilder list) {
      return new ModelSpec(
          Trainings.classes(channels * height * width, CLASSES),
          new ModelSpec.Network.Dl4jJson(list.build().toJson()),
          Trainings.ADAM,
          false);
    }

    /**
     * With normalization no layer before it has a bias: its gradient would be of rounding only,
     * which Adam turns into steps.
     */
    LearningPlan learning() {
      return LearningPlan.of(seed);
    }

    /** With an epsilon that bounds how much small differences grow in channels that hardly vary. */
    private BatchNormalization normalization() {
      return new BatchNormalization.Builder()
          .gradientNormalization(GradientNormalization.None)
          .eps(1e-2)
          .useLogStd(seed % 5 != 0)
          .build();
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, rows * channels * height * width, 1);
    }

    float[] labels(SplittableRandom random) {
      return Parity.labels(random, rows, CLASSES);
    }
  }

  @Provide
  Arbitrary<Plan> plans() {
    Arbitrary<boolean[]> flags = Arbitraries.of(true, false).array(boolean[].class).ofSize(5);
    Arbitrary<int[]> sizes =
        Combinators.combine(
                Arbitraries.integers().between(1, 5),
                Arbitraries.integers().between(1, 2),
                Arbitraries.integers().between(0, 2),
                Arbitraries.integers().between(1, 20))
            .as((size, stride, padding, filters) -> new int[] {size, stride, padding, filters});
    Arbitrary<Part> parts =
        Combinators.combine(sizes, flags)
            .as(
                (size, flag) ->
                    new Part(
                        flag[0], size[0], size[1], size[2], flag[1], size[3], flag[2], flag[3],
                        flag[4]));
    Arbitrary<int[]> images =
        Combinators.combine(
                Arbitraries.integers().between(1, 3),
                Arbitraries.integers().between(6, 12),
                Arbitraries.integers().between(6, 12))
            .as((channels, height, width) -> new int[] {channels, height, width});
    return Combinators.combine(
            images,
            parts.list().ofMinSize(1).ofMaxSize(3),
            Arbitraries.of(true, false).array(boolean[].class).ofSize(3),
            Arbitraries.integers().between(4, 16),
            Arbitraries.longs().between(1, 1_000_000))
        .as(
            (image, layers, flag, rows, seed) ->
                new Plan(
                    image[0], image[1], image[2], layers, flag[0], flag[1], flag[2], rows, seed));
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        steps.fit(
            plan.features(random),
            plan.labels(random),
            plan.rows(),
            plan.learning().weights(plan.rows()));
      }
    }
  }

  /** Whole rows and columns of the outputs see nothing of the image. */
  @Example
  void tenSteps_withPaddingAsLargeAsTheKernel_giveTheParametersOfDeeplearning4j() throws Exception {
    for (int padding : new int[] {2, 3}) {
      Plan plan = new Plan(2, 6, 6, List.of(), false, false, false, 8, 5);
      var list = new NeuralNetConfiguration.Builder().updater(new Sgd(0.05)).list();
      list.layer(
          new ConvolutionLayer.Builder(2, 2)
              .padding(padding, padding)
              .nOut(3)
              .activation(Activation.TANH)
              .build());
      list.layer(
          new OutputLayer.Builder(LossFunction.MCXENT)
              .nOut(CLASSES)
              .activation(Activation.SOFTMAX)
              .build());
      list.setInputType(InputType.convolutionalFlat(plan.height(), plan.width(), plan.channels()));
      Parity.assertTrainsAlike(
          plan.spec(list),
          plan.seed(),
          it -> train(it, plan),
          plan.features(new SplittableRandom(7)),
          plan.rows());
    }
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void tenSteps_giveTheParametersOfDeeplearning4j(@ForAll("plans") Plan plan) throws Exception {
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(
        plan.spec(), plan.seed(), it -> train(it, plan), features, plan.rows());
  }
}
