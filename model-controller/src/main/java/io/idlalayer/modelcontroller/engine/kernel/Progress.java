package io.idlalayer.modelcontroller.engine.kernel;

import java.util.SplittableRandom;

/** How far the training of a network is, which its schedules depend on. One thread. */
public final class Progress {
  private static final long ODD = 0x9E3779B97F4A7C15L;

  private int iteration;
  private final int epoch;
  private long seed;

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

  /** Says what random numbers follow from now on. */
  public void seed(long next) {
    seed = next;
  }

  /** Random numbers of one kernel in this iteration: the same ones for the same seed. */
  SplittableRandom random(String kernel) {
    long place = (iteration * ODD + kernel.hashCode()) * ODD;
    return new SplittableRandom(seed ^ Long.rotateLeft(place, 31));
  }

  double at(Schedule schedule) {
    return schedule.at(iteration, epoch);
  }
}
