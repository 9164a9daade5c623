package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** While a version of a large network is written, its file and one tensor are on the heap. */
final class VersionAllocationTest {
  private static final int WIDTH = 784;
  private static final int CLASSES = 10;
  private static final ModelSpec SPEC =
      new ModelSpec(
          Trainings.classes(WIDTH, CLASSES),
          new ModelSpec.Network.Mlp(List.of(512, 512)),
          Trainings.ADAM,
          false);

  /** Size of the largest tensor. */
  private static final long TENSOR_BYTES = (long) WIDTH * 512 * Float.BYTES;

  /** Pieces, names and the like. */
  private static final long MORE_BYTES = 1L << 20;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void encode_aLargeNetwork_takesItsFileAndATensorFromTheHeap() throws Exception {
    try (TrainingEngine engine = new TapeEngine(SPEC, MachineKernels.best());
        TrainableNetwork network = engine.create(1)) {
      byte[] file = network.encode();
      long before = threads.getCurrentThreadAllocatedBytes();
      assertThat(network.encode()).isEqualTo(file);
      long taken = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(taken).isBetween((long) file.length, file.length + TENSOR_BYTES + MORE_BYTES);
    }
  }

  @Test
  void finite_aLargeNetwork_takesItsLargestTensorFromTheHeap() throws Exception {
    try (TrainingEngine engine = new TapeEngine(SPEC, MachineKernels.best());
        TrainableNetwork network = engine.create(1)) {
      assertThat(network.finite()).isTrue();
      long before = threads.getCurrentThreadAllocatedBytes();
      assertThat(network.finite()).isTrue();
      long taken = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(taken).isLessThanOrEqualTo(TENSOR_BYTES + MORE_BYTES);
    }
  }
}
