package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A training step leaves next to nothing to the collector: less than any layer's values take, with
 * the kernels that trainings run on. Those in plain Java, which machines without oneDNN use, copy
 * tensors to the heap.
 */
@Tag("natives")
final class StepAllocationTest {
  private static final int ROWS = 32;
  private static final int WARM_UP = 50;
  private static final int STEPS = 200;
  private static final long MOST_BYTES_OF_A_STEP = 2_048;
  private static final int WIDTH = 28 * 28;
  private static final int CLASSES = 10;

  private static ModelSpec spec(ModelSpec.Network network) {
    return new ModelSpec(Trainings.classes(WIDTH, CLASSES), network, Trainings.ADAM, false);
  }

  /** Bytes that a step takes from the heap, on average. */
  private static long bytesOfAStep(ModelSpec spec) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    SplittableRandom random = new SplittableRandom(1);
    float[] features = Parity.features(random, ROWS * WIDTH, 1);
    float[] labels = Parity.labels(random, ROWS, CLASSES);
    float[] outputs = new float[ROWS * CLASSES];
    try (TrainingEngine engine = new TapeEngine(spec, MachineKernels.best());
        TrainableNetwork network = engine.create(1);
        TrainingSteps steps = network.steps(1)) {
      for (int i = 0; i < WARM_UP; i++) {
        steps.fit(features, labels, ROWS, null, null, outputs);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < STEPS; i++) {
        steps.fit(features, labels, ROWS, null, null, outputs);
      }
      return (threads.getCurrentThreadAllocatedBytes() - before) / STEPS;
    }
  }

  @Test
  void fit_denseLayers_allocatesNoTensors() throws Exception {
    ModelSpec spec = spec(new ModelSpec.Network.Mlp(List.of(64, 32)));
    assertThat(bytesOfAStep(spec)).isBetween(0L, MOST_BYTES_OF_A_STEP);
  }

  @Test
  void fit_convolutions_allocatesNoTensors() throws Exception {
    ModelSpec spec = spec(new ModelSpec.Network.Cnn(28, 28, 1, List.of(8, 16), 64));
    assertThat(bytesOfAStep(spec)).isBetween(0L, MOST_BYTES_OF_A_STEP);
  }
}
