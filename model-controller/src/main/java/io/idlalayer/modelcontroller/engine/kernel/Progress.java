package io.idlalayer.modelcontroller.engine.kernel;

/** How far the training of a network is, which its schedules depend on. One thread. */
public final class Progress {
  private int iteration;
  private final int epoch;

  public Progress(int iteration, int epoch) {
    this.iteration = iteration;
    this.epoch = epoch;
  }

  /** Updates of the parameters so far. */
  public int iteration() {
    return iteration;
  }

  public int epoch() {
    return epoch;
  }

  /** The parameters were updated once more. */
  public void next() {
    iteration++;
  }

  double at(Schedule schedule) {
    return schedule.at(iteration, epoch);
  }
}
