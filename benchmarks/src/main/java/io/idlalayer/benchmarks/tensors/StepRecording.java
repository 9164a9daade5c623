package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.trace.TraceRecorder;
import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import java.util.function.Supplier;

/** Records a network's step with everything on the fast device, however large that has to be. */
final class StepRecording {
  private static final int WARM_UPS = 1;
  private static final int STEPS = 3;
  private static final long FIRST_BYTES = 32L << 20;
  private static final long MOST_BYTES = 64L << 30;
  private static final int PARAMETER_COPIES = 5;

  private StepRecording() {}

  /**
   * @param trainees new networks, all alike
   */
  static TaskGraph record(Supplier<Trainee> trainees) throws InterruptedException {
    long bytes =
        FastBudget.aligned(FIRST_BYTES + PARAMETER_COPIES * trainees.get().parameterBytes());
    while (true) {
      try {
        return record(trainees.get(), bytes);
      } catch (DeviceFullException tooSmall) {
        if (bytes >= MOST_BYTES) {
          throw tooSmall;
        }
        bytes *= 2;
      }
    }
  }

  private static TaskGraph record(Trainee trainee, long bytes) throws InterruptedException {
    TraceRecorder recorder = new TraceRecorder();
    boolean[] hearing = {false};
    try (PlacedMemory memory =
            Devices.onlyFast(recorder.around(PlacementName.ALL_FAST.create()), bytes);
        PlacedNetwork placed = trainee.place(memory)) {
      placed.observe(
          trace -> {
            if (hearing[0]) {
              recorder.heard(trace);
            }
          });
      for (int i = 0; i < WARM_UPS + STEPS; i++) {
        hearing[0] = i >= WARM_UPS;
        trainee.fit(placed);
      }
      hearing[0] = false;
      return recorder.graph();
    }
  }
}
