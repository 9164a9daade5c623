package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * Gradient normalization of a whole network that has batch normalization: as in Deeplearning4j it
 * also limits how the running numbers move, which are not divided by the number of rows.
 */
@Tag("natives")
final class NormalizationLimitPropertyTest {
  private static final int SIZE = 5;
  private static final int CLASSES = 3;
  private static final int ROWS = 12;
  private static final int STEPS = 10;

  /** With others, running means that are nearly reached turn roundings into steps. */
  private static final long SEED = 5;

  private static ModelSpec spec(GradientNormalization limit, double threshold, boolean images) {
    var list =
        new NeuralNetConfiguration.Builder()
            .updater(new Sgd(0.02))
            .gradientNormalization(limit)
            .gradientNormalizationThreshold(threshold)
            .activation(Activation.TANH)
            .list();
    if (images) {
      list.layer(new ConvolutionLayer.Builder(2, 2).nOut(4).hasBias(false).build());
      list.setInputType(InputType.convolutionalFlat(SIZE, SIZE, 1));
    } else {
      list.layer(new DenseLayer.Builder().nOut(6).hasBias(false).build());
      list.setInputType(InputType.feedForward(SIZE * SIZE));
    }
    list.layer(new BatchNormalization.Builder().eps(1e-2).build());
    list.layer(
        new OutputLayer.Builder(LossFunction.MCXENT)
            .nOut(CLASSES)
            .activation(Activation.SOFTMAX)
            .build());
    return new ModelSpec(
        Trainings.classes(SIZE * SIZE, CLASSES),
        new ModelSpec.Network.Dl4jJson(list.build().toJson()),
        Trainings.ADAM,
        false);
  }

  /** Not around 0, so that the running means have a way to go. */
  private static float[] features(SplittableRandom random) {
    float[] values = Parity.features(random, ROWS * SIZE * SIZE, 1);
    for (int i = 0; i < values.length; i++) {
      values[i] += 0.7f;
    }
    return values;
  }

  private static void train(TrainableNetwork network) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        steps.fit(features(random), Parity.labels(random, ROWS, CLASSES), ROWS, null);
      }
    }
  }

  @Property(generation = GenerationMode.EXHAUSTIVE)
  void tenSteps_giveTheParametersOfDeeplearning4j(
      @ForAll GradientNormalization limit, @ForAll boolean images) throws Exception {
    Parity.assertTrainsAlike(
        spec(limit, 0.05, images),
        SEED,
        NormalizationLimitPropertyTest::train,
        features(new SplittableRandom(7)),
        ROWS);
  }

  private static byte[] trained(double threshold) throws Exception {
    ModelSpec spec = spec(GradientNormalization.ClipL2PerLayer, threshold, false);
    try (TrainingEngine engine = new TapeEngine(spec, new JavaKernels());
        TrainableNetwork network = engine.create(SEED)) {
      train(network);
      return network.encode();
    }
  }

  @Example
  void threshold_ofTheLimit_takesEffect() throws Exception {
    assertThat(Parity.distance(trained(0.05), trained(1_000)))
        .isGreaterThan(100 * Parity.TOLERANCE);
  }
}
