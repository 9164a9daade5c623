package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * Losses after a training and norms come out of the forward passes of its last epoch. Each epoch
 * here is one step, so the pass of an epoch is that of the network after the epochs before.
 */
final class PassLossesTest {
  private static final int ROWS = 40;

  private static List<Contribution> train(
      SampleSchema schema, ModelSpec.Network network, List<Sample> samples, int epochs)
      throws Exception {
    ModelSpec.Fit fit = new ModelSpec.Fit(ROWS, epochs, ModelSpec.Updater.SGD, 0.1, 0);
    ModelSpec spec = new ModelSpec(schema, network, fit, true);
    try (NetworkTrainer trainer =
        new NetworkTrainer(spec, false, new TapeEngine(spec, MachineKernels.best()))) {
      return trainer
          .train(new TrainingRequest(null, Trainings.batch(1, samples), 5))
          .contributions();
    }
  }

  private static void assertLossesOfPasses(SampleSchema schema, List<Sample> samples)
      throws Exception {
    ModelSpec.Network network = new ModelSpec.Network.Mlp(List.of(16));
    List<Contribution> one = train(schema, network, samples, 1);
    List<Contribution> three = train(schema, network, samples, 3);
    List<Contribution> two = train(schema, network, samples, 2);
    for (int i = 0; i < ROWS; i++) {
      float before = one.get(i).lossBefore();
      float step = 1e-4f * (1 + one.get(i).lossAfter());
      assertThat(three.get(i).lossBefore()).isCloseTo(before, within(1e-4f * (1 + before)));
      assertThat(two.get(i).lossAfter()).isCloseTo(one.get(i).lossAfter(), within(step));
      assertThat(two.get(i).gradientNorm()).isCloseTo(one.get(i).gradientNorm(), within(1e-4f));
      assertThat(two.get(i).sampleId()).isEqualTo(one.get(i).sampleId());
    }
    assertThat(two).extracting(Contribution::lossAfter).doesNotHaveDuplicates();
    assertThat(three).isNotEqualTo(two);
  }

  @Test
  void train_classes_takesEachRowsLossFromThePassBeforeItsLastStep() throws Exception {
    assertLossesOfPasses(Trainings.classes(2, 2), Trainings.separable(ROWS, 3));
  }

  @Test
  void train_targets_takesEachRowsLossFromThePassBeforeItsLastStep() throws Exception {
    assertLossesOfPasses(Trainings.target(2), Trainings.plane(ROWS, 3));
  }

  @Tag("natives")
  @Test
  void train_networkWithDropout_measuresWithoutIt() throws Exception {
    String json =
        new NeuralNetConfiguration.Builder()
            .updater(new Sgd(0))
            .list()
            .layer(
                new DenseLayer.Builder()
                    .nIn(2)
                    .nOut(16)
                    .dropOut(0.5)
                    .activation(Activation.TANH)
                    .build())
            .layer(
                new OutputLayer.Builder(LossFunction.MCXENT)
                    .nIn(16)
                    .nOut(2)
                    .activation(Activation.SOFTMAX)
                    .build())
            .build()
            .toJson();
    List<Contribution> losses =
        train(
            Trainings.classes(2, 2),
            new ModelSpec.Network.Dl4jJson(json),
            Trainings.separable(ROWS, 3),
            2);
    // Nothing is learned at a rate of 0.
    assertThat(losses)
        .allSatisfy(each -> assertThat(each.lossAfter()).isEqualTo(each.lossBefore()));
  }
}
