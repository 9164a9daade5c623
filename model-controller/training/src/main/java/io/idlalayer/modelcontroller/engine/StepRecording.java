package io.idlalayer.modelcontroller.engine;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.engine.memory.TapeGraph;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** Times the kernels of a network's step with everything in DRAM. */
public final class StepRecording {
  private static final int WARM_UPS = 3;
  private static final int STEPS = 9;

  /** Least number of timed steps; the steps of a slow network are not timed more often. */
  private static final int LEAST_STEPS = 3;

  /**
   * Time in nanoseconds after which no further step is timed, unless fewer than {@link
   * #LEAST_STEPS} steps were timed.
   */
  private static final long LONGEST_NANOS = 20_000_000_000L;

  private StepRecording() {}

  /**
   * Runs a step several times and returns its graph with the median time of each kernel. There are
   * three warm-up runs and nine timed runs, or fewer timed runs if the runs take more than twenty
   * seconds.
   *
   * @param nanoTime the time, in nanoseconds
   */
  public static TaskGraph record(CompiledStep step, LongSupplier nanoTime) {
    List<Runnable> kernels = kernels(step);
    long[][] nanos = new long[kernels.size()][STEPS];
    long end = nanoTime.getAsLong() + LONGEST_NANOS;
    for (int i = 0; i < WARM_UPS && nanoTime.getAsLong() < end; i++) {
      kernels.forEach(Runnable::run);
    }
    int timed = 0;
    while (timed < LEAST_STEPS || (timed < STEPS && nanoTime.getAsLong() < end)) {
      for (int kernel = 0; kernel < nanos.length; kernel++) {
        long start = nanoTime.getAsLong();
        kernels.get(kernel).run();
        nanos[kernel][timed] = Math.max(1, nanoTime.getAsLong() - start);
      }
      timed++;
    }
    return TapeGraph.timed(step.tape(), step.lasting(), step.inputs(), medians(nanos, timed));
  }

  /** Returns the kernels that fill inputs, and then the kernels of the steps. */
  private static List<Runnable> kernels(CompiledStep compiled) {
    List<Runnable> kernels = new ArrayList<>();
    for (Tensor input : compiled.inputs()) {
      float[] values = input.floats().toArray();
      kernels.add(() -> input.floats().put(0, values, 0, values.length));
    }
    compiled.tape().steps().forEach(step -> kernels.add(step.kernel()::run));
    return kernels;
  }

  private static long[] medians(long[][] nanos, int timed) {
    long[] medians = new long[nanos.length];
    for (int i = 0; i < medians.length; i++) {
      long[] times = Arrays.copyOf(nanos[i], timed);
      Arrays.sort(times);
      medians[i] = times[timed / 2];
    }
    return medians;
  }
}
