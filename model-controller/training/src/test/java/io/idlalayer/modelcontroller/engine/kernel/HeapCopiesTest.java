package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.idlalayer.modelcontroller.engine.kernel.layer.LastStep;
import io.idlalayer.modelcontroller.engine.kernel.layer.LongShortTermMemory;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.update.GradientLimit;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kernels in Java copy tensors to the heap piece by piece, and use the same pieces every time. */
final class HeapCopiesTest {
  private static final int ROWS = 16;
  private static final int INPUTS = 8;
  private static final int UNITS = 64;
  private static final int STEPS = 32;

  /** A fortieth of the largest tensor. */
  private static final long MOST_BYTES = 10_000;

  private static Tensor tensor(String name, int length) {
    return new Tensor(name, Tensor.Kind.WORKSPACE, length);
  }

  /** Allocated by a run, once all that is made once has been made. */
  private static long bytesOfRun(TapeKernel kernel, Set<Tensor> tensors) {
    try (FloatMemory memory = new FloatMemory(tensors.stream().mapToLong(Tensor::length).sum())) {
      long at = 0;
      for (Tensor tensor : tensors) {
        tensor.place(memory.part(at, tensor.length()));
        at += tensor.length();
      }
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long least = Long.MAX_VALUE;
      for (int run = 0; run < 5; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        kernel.run();
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      return least;
    }
  }

  @Tag("natives")
  @Test
  void longShortTermMemory_copiesNoTensorToTheHeap() {
    LongShortTermMemory.Shape shape =
        new LongShortTermMemory.Shape(
            ROWS, INPUTS, UNITS, STEPS, Activation.TANH, Activation.SIGMOID);
    LongShortTermMemory.Weights weights = weights("");
    LongShortTermMemory.Weights gradients = weights(".gradient");
    Tensor inputs = tensor("x", ROWS * INPUTS * STEPS);
    Tensor outputs = tensor("y", ROWS * UNITS * STEPS);
    Tensor errors = tensor("dy", ROWS * UNITS * STEPS);
    Tensor inputErrors = tensor("dx", ROWS * INPUTS * STEPS);
    LongShortTermMemory layer =
        new LongShortTermMemory("lstm", shape, weights, new OneDnnKernels());
    PlannedKernel forward = layer.forward(inputs, outputs);
    PlannedKernel backward = layer.backward("lstm", errors, gradients, inputErrors);
    Set<Tensor> all = new LinkedHashSet<>(List.of(inputs, outputs, errors, inputErrors));
    for (LongShortTermMemory.Weights each : List.of(weights, gradients)) {
      all.addAll(List.of(each.input(), each.recurrent(), each.bias()));
    }
    all.addAll(forward.workspaces());
    all.addAll(backward.workspaces());
    try (TapeKernel one = forward.kernel();
        TapeKernel other = backward.kernel()) {
      assertThat(bytesOfRun(one, all)).isLessThan(MOST_BYTES);
      assertThat(bytesOfRun(other, all)).isLessThan(MOST_BYTES);
    }
  }

  private static LongShortTermMemory.Weights weights(String suffix) {
    return new LongShortTermMemory.Weights(
        tensor("W" + suffix, 4 * UNITS * INPUTS),
        tensor("RW" + suffix, 4 * UNITS * UNITS),
        tensor("b" + suffix, 4 * UNITS));
  }

  @Test
  void limitOfGradients_copiesNoTensorToTheHeap() {
    List<Tensor> gradients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      gradients.add(tensor("gradient" + i, 50_000 + i));
    }
    for (GradientLimit.Mode mode : GradientLimit.Mode.values()) {
      TapeKernel limit =
          new GradientLimit(
              mode,
              0.1,
              gradients.stream().map(it -> new GradientLimit.Gradient(it, ROWS)).toList());
      assertThat(bytesOfRun(limit, new LinkedHashSet<>(gradients))).isLessThan(MOST_BYTES);
    }
  }

  @Test
  void lastStep_copiesNoTensorToTheHeap() {
    Tensor series = tensor("series", ROWS * UNITS * STEPS);
    Tensor last = tensor("last", ROWS * UNITS);
    Set<Tensor> all = new LinkedHashSet<>(List.of(series, last));
    LastStep kernels = new LastStep(series, last, STEPS);
    assertThat(bytesOfRun(kernels.forward(), all)).isLessThan(MOST_BYTES);
    assertThat(bytesOfRun(kernels.backward(), all)).isLessThan(MOST_BYTES);
  }

  @Tag("natives")
  @Test
  void dotProducts_copyNoTensorToTheHeap() {
    DotProducts shape = new DotProducts(List.of(1, UNITS - 1), STEPS);
    List<Tensor> inputs =
        List.of(tensor("x", ROWS * STEPS), tensor("others", ROWS * (UNITS - 1) * STEPS));
    List<@Nullable Tensor> inputErrors =
        List.of(tensor("dx", ROWS * STEPS), tensor("dothers", ROWS * (UNITS - 1) * STEPS));
    Tensor products = tensor("y", ROWS * shape.pairs());
    KernelLibrary library = new OneDnnKernels();
    PlannedKernel forward = library.dotProducts("dots", shape, ROWS, inputs, products);
    PlannedKernel errors =
        library.dotProductErrors("dots", shape, ROWS, inputs, products, inputErrors);
    Set<Tensor> all = new LinkedHashSet<>(inputs);
    inputErrors.forEach(all::add);
    all.add(products);
    all.addAll(forward.workspaces());
    all.addAll(errors.workspaces());
    try (TapeKernel one = forward.kernel();
        TapeKernel other = errors.kernel()) {
      assertThat(bytesOfRun(one, all)).isLessThan(MOST_BYTES);
      assertThat(bytesOfRun(other, all)).isLessThan(MOST_BYTES);
    }
  }
}
