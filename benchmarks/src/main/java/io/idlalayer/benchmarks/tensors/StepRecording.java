package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.CompiledStep;
import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.memory.TapeGraph;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Times the kernels of a network's step with everything in DRAM, by the processor time of their
 * thread, so that other programs on the machine do not count. Further threads do the same work
 * beside it.
 */
final class StepRecording {
  private static final int WARM_UPS = 3;
  private static final int STEPS = 9;

  private StepRecording() {}

  /** The step of a network, with the median time of each kernel. */
  static TaskGraph record(Trainee trainee) {
    try (CompiledStep compiled = new CompiledStep(trainee.spec(), trainee.rows())) {
      List<Runnable> kernels = kernels(compiled);
      long[][] nanos = new long[kernels.size()][STEPS];
      for (int round = -WARM_UPS; round < STEPS; round++) {
        for (int i = 0; i < nanos.length; i++) {
          long start = CpuTime.nanos();
          kernels.get(i).run();
          if (round >= 0) {
            nanos[i][round] = Math.max(1, CpuTime.nanos() - start);
          }
        }
      }
      return TapeGraph.timed(
          compiled.tape(), compiled.lasting(), compiled.inputs(), medians(nanos));
    } catch (UncompilableException unknown) {
      throw new IllegalStateException("a reference network is not known", unknown);
    }
  }

  /** The kernels that fill inputs, then those of the steps. */
  private static List<Runnable> kernels(CompiledStep compiled) {
    List<Runnable> kernels = new ArrayList<>();
    for (Tensor input : compiled.inputs()) {
      float[] values = input.floats().toArray();
      kernels.add(() -> input.floats().put(0, values, 0, values.length));
    }
    compiled.tape().steps().forEach(step -> kernels.add(step.kernel()::run));
    return kernels;
  }

  private static long[] medians(long[][] nanos) {
    long[] medians = new long[nanos.length];
    for (int i = 0; i < medians.length; i++) {
      Arrays.sort(nanos[i]);
      medians[i] = nanos[i][STEPS / 2];
    }
    return medians;
  }
}
