package io.idlalayer.modelcontroller.engine.kernel;

import java.util.SplittableRandom;

/** How far the training of a network is, which its schedules depend on. One thread. */
public final class Progress {
  /** Adam has two; layers hardly differ. */
  private static final int POWERS = 4;

  private static final long ODD = 0x9E3779B97F4A7C15L;

  private int iteration;
  private final int epoch;
  private long seed;

  /** Powers that were asked for last, with the iteration that they are of. */
  private final float[] bases = new float[POWERS];

  private final float[] powers = new float[POWERS];
  private final int[] powersOf = new int[POWERS];
  private int oldestPower;

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

  /**
   * A base to the power of the number of this update, which is 1 for the first one. The same for
   * all parameters, so it is computed once.
   */
  float power(float base) {
    int number = iteration + 1;
    for (int i = 0; i < POWERS; i++) {
      if (powersOf[i] == number && bases[i] == base) {
        return powers[i];
      }
    }
    int at = oldestPower;
    oldestPower = (at + 1) % POWERS;
    bases[at] = base;
    powersOf[at] = number;
    powers[at] = (float) Math.pow(base, number);
    return powers[at];
  }

  double at(Schedule schedule) {
    return schedule.at(iteration, epoch);
  }
}
