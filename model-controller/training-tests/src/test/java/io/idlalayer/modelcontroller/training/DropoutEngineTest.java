package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Arrays;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.Dropout;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * Dropout of the product's engine. Deeplearning4j draws other numbers, so results are compared in
 * what they are on average.
 */
@Tag("natives")
final class DropoutEngineTest {
  private static final int INPUTS = 40;
  private static final int ROWS = 50;

  /** One linear layer on inputs that drop out, trained for squared error. */
  private static ModelSpec linear(double retained, boolean asLayer) {
    NeuralNetConfiguration.ListBuilder list =
        new NeuralNetConfiguration.Builder().updater(new Sgd(0.1)).list();
    DenseLayer.Builder dense =
        new DenseLayer.Builder().nIn(INPUTS).nOut(8).activation(Activation.IDENTITY);
    if (asLayer) {
      list.layer(new DropoutLayer.Builder(retained).nIn(INPUTS).nOut(INPUTS).build());
    } else {
      dense.dropOut(new Dropout(retained));
    }
    list.layer(dense.build());
    list.layer(
        new OutputLayer.Builder(LossFunction.MSE)
            .nIn(8)
            .nOut(2)
            .activation(Activation.IDENTITY)
            .build());
    return new ModelSpec(
        Trainings.classes(INPUTS, 2),
        new ModelSpec.Network.Dl4jJson(list.build().toJson()),
        Trainings.ADAM,
        false);
  }

  private static float[] ones(int count) {
    float[] values = new float[count];
    Arrays.fill(values, 1);
    return values;
  }

  /** Parameters after one step from the same beginning. */
  private static byte[] afterOneStep(TrainingEngine engine, long seed) throws Exception {
    try (TrainableNetwork network = engine.create(1)) {
      try (TrainingSteps steps = network.steps(seed)) {
        steps.fit(ones(ROWS * INPUTS), ones(ROWS * 2), ROWS, null);
      }
      return network.encode();
    }
  }

  private static double[] meanStep(TrainingEngine engine, int seeds) throws Exception {
    double[] sum = null;
    for (int seed = 1; seed <= seeds; seed++) {
      try (Restored after = Restored.of(afterOneStep(engine, seed))) {
        float[] values = after.parameterValues();
        sum = sum == null ? new double[values.length] : sum;
        for (int i = 0; i < values.length; i++) {
          sum[i] += values[i] / seeds;
        }
      }
    }
    return sum == null ? new double[0] : sum;
  }

  @Test
  void meanStep_isThatOfDeeplearning4j() throws Exception {
    for (boolean asLayer : new boolean[] {false, true}) {
      ModelSpec spec = linear(0.7, asLayer);
      try (TrainingEngine theirs = Trainings.dl4jEngine(spec);
          TrainingEngine ours = new TapeEngine(spec, MachineKernels.best())) {
        double[] expected = meanStep(theirs, 60);
        double[] found = meanStep(ours, 60);
        double gap = 0;
        for (int i = 0; i < expected.length; i++) {
          gap = Math.max(gap, Math.abs(expected[i] - found[i]));
        }
        assertThat(gap).as("as a layer of its own: %s", asLayer).isLessThan(0.02);
      }
    }
  }

  @Test
  void theSameSeed_givesTheSameBits_andAnotherSeedOthers() throws Exception {
    ModelSpec spec = linear(0.5, false);
    try (TrainingEngine engine = new TapeEngine(spec, MachineKernels.best())) {
      byte[] first = afterOneStep(engine, 7);
      assertThat(afterOneStep(engine, 7)).isEqualTo(first);
      assertThat(afterOneStep(engine, 8)).isNotEqualTo(first);
    }
  }

  @Test
  void everythingRetained_isAsWithoutDropout() throws Exception {
    for (KernelLibrary kernels : MachineKernels.all()) {
      try (TrainingEngine with = new TapeEngine(linear(1, false), kernels);
          TrainingEngine theirs = Trainings.dl4jEngine(linear(1, false));
          Restored one = Restored.of(afterOneStep(with, 1));
          Restored other = Restored.of(afterOneStep(theirs, 1))) {
        assertThat(Parity.distance(one.parameterValues(), other.parameterValues()))
            .isLessThan(Parity.TOLERANCE);
      }
    }
  }

  @Test
  void predictions_doNotDropAnything() throws Exception {
    ModelSpec spec = linear(0.5, true);
    try (TrainingEngine ours = new TapeEngine(spec, MachineKernels.best());
        TrainingEngine theirs = Trainings.dl4jEngine(spec);
        TrainableNetwork one = ours.create(3);
        TrainableNetwork other = theirs.create(3)) {
      float[] found = one.output(ones(4 * INPUTS), 4);
      float[] expected = other.output(ones(4 * INPUTS), 4);
      for (int i = 0; i < expected.length; i++) {
        assertThat(found[i]).isCloseTo(expected[i], within(1e-5f));
      }
    }
  }
}
