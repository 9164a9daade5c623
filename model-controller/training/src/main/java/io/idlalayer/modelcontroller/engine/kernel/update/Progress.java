package io.idlalayer.modelcontroller.engine.kernel.update;

import java.util.SplittableRandom;

/** How far the training of a network is, which its schedules depend on. One thread. */
public final class Progress {
  /**
   * Where the count of iterations stays, so that the number of the next update is an {@code int}
   * too. The corrections of Adam are long 1 by then; a schedule stays at its value there.
   */
  public static final int MOST_ITERATIONS = Integer.MAX_VALUE - 1;

  /** Adam has two; layers hardly differ. */
  private static final int POWERS = 4;

  private static final long ODD = 0x9E3779B97F4A7C15L;

  private int iteration;
  private final int epoch;
  private long seed;

  /** Updates since the seed that the count of iterations has no room for. */
  private long uncounted;

  /** Powers that were asked for last, with the iteration that they are of. */
  private final float[] bases = new float[POWERS];

  private final float[] powers = new float[POWERS];
  private final int[] powersOf = new int[POWERS];
  private int oldestPower;

  /**
   * @param iteration updates so far; below 0 if another count of them overflowed
   */
  public Progress(int iteration, int epoch) {
    this.iteration = counted(iteration);
    this.epoch = epoch;
  }

  /**
   * A count of iterations, or {@link #MOST_ITERATIONS} where it is larger or has overflowed. The
   * next one fits an {@code int} too.
   */
  public static int counted(int iterations) {
    return iterations < 0 ? MOST_ITERATIONS : Math.min(iterations, MOST_ITERATIONS);
  }

  /** Updates of the parameters so far, at most {@link #MOST_ITERATIONS}. */
  public int iteration() {
    return iteration;
  }

  /** The parameters were updated once more. */
  public void next() {
    if (iteration < MOST_ITERATIONS) {
      iteration++;
    } else {
      uncounted++;
    }
  }

  /** Says what random numbers follow from now on. */
  public void seed(long next) {
    seed = next;
    uncounted = 0;
  }

  /** Random numbers of one kernel in this iteration: the same ones for the same seed. */
  public SplittableRandom random(String kernel) {
    long place = ((iteration + uncounted) * ODD + kernel.hashCode()) * ODD;
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

  public double at(Schedule schedule) {
    return schedule.at(iteration, epoch);
  }
}
