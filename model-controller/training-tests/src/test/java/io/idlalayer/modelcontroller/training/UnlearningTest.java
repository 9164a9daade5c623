package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Members of a network do not stay sure of what is wrong. */
final class UnlearningTest {
  private static final int ROWS = 8;
  private static final int STEPS = 300;

  /** How far the later rows lie out, where the network is surer than where it learned. */
  private static final float FAR = 30;

  static Stream<KernelLibrary> libraries() {
    return MachineKernels.all().stream();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void rowsFarOut_ofAnotherLabel_areLearned(KernelLibrary kernels) throws Exception {
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(2, 2),
            new ModelSpec.Network.Mlp(List.of(16), 4),
            new ModelSpec.Fit(ROWS, 1, ModelSpec.Updater.ADAM, 0.02, 0),
            true);
    float[] features = new float[ROWS * spec.inputWidth()];
    for (int i = 0; i < features.length; i++) {
      features[i] = i % 3 - 1;
    }
    try (TrainingEngine engine = new TapeEngine(spec, kernels);
        TrainableNetwork network = engine.create(1);
        TrainingSteps steps = network.steps(1)) {
      train(steps, features, labels(spec, 0), STEPS);
      for (int i = 0; i < features.length; i++) {
        features[i] *= FAR;
      }
      for (float output : network.output(features, ROWS)) {
        assertThat(output < 0.5 ? output : 1 - output).as("doubt").isLessThan(1e-7f);
      }
      train(steps, features, labels(spec, 1), STEPS);
      float[] turned = labels(spec, 1);
      float[] outputs = network.output(features, ROWS);
      for (int i = 0; i < outputs.length; i++) {
        assertThat(outputs[i] > 0.5f ? 1f : 0f).as("output %d", i).isEqualTo(turned[i]);
      }
    }
  }

  private static float[] labels(ModelSpec spec, int label) {
    float[] labels = new float[ROWS * spec.networkOutputs()];
    for (int i = 0; i < labels.length; i++) {
      labels[i] = i % spec.outputWidth() == label ? 1 : 0;
    }
    return labels;
  }

  private static void train(TrainingSteps steps, float[] features, float[] labels, int count)
      throws Exception {
    for (int i = 0; i < count; i++) {
      steps.fit(features, labels, ROWS, null);
    }
  }
}
