package io.idlalayer.modelcontroller.engine.kernel.update;

import java.util.SplittableRandom;

/**
 * Counts the updates of a network and seeds its random numbers. Schedules depend on this count.
 * Confined to one thread.
 */
public final class Progress {
  /**
   * Largest count of iterations. It is chosen so that the number of the next update is still an
   * {@code int}. Adam's corrections are 1 long before this count. A schedule keeps its value from
   * this count on.
   */
  public static final int MOST_ITERATIONS = Integer.MAX_VALUE - 1;

  /** Number of cached powers: Adam needs two, and nearly always all layers need the same ones. */
  private static final int POWERS = 4;

  private static final long ODD = 0x9E3779B97F4A7C15L;

  private int iteration;
  private final int epoch;
  private long seed;

  /**
   * Number of updates since the seed was set that are not counted, because the count has reached
   * {@link #MOST_ITERATIONS}.
   */
  private long uncounted;

  /**
   * Bases of the cached powers. The next fields are the powers, and the iterations to which they
   * belong.
   */
  private final float[] bases = new float[POWERS];

  private final float[] powers = new float[POWERS];
  private final int[] powersOf = new int[POWERS];
  private int oldestPower;

  /**
   * @param iteration number of updates so far; negative if the count in a file has overflowed
   */
  public Progress(int iteration, int epoch) {
    this.iteration = counted(iteration);
    this.epoch = epoch;
  }

  /**
   * Returns a count of iterations, limited to {@link #MOST_ITERATIONS}, which also stands for a
   * count that has overflowed. So the next count is an {@code int} too.
   */
  public static int counted(int iterations) {
    return iterations < 0 ? MOST_ITERATIONS : Math.min(iterations, MOST_ITERATIONS);
  }

  /** Returns the number of updates so far, at most {@link #MOST_ITERATIONS}. */
  public int iteration() {
    return iteration;
  }

  /** Counts one more update of the parameters. */
  public void next() {
    if (iteration < MOST_ITERATIONS) {
      iteration++;
    } else {
      uncounted++;
    }
  }

  /** Sets the seed of the following random numbers. */
  public void seed(long next) {
    seed = next;
    uncounted = 0;
  }

  /**
   * Returns the generator of the random numbers of one kernel in this iteration; equal seeds give
   * equal numbers.
   */
  public SplittableRandom random(String kernel) {
    long place = ((iteration + uncounted) * ODD + kernel.hashCode()) * ODD;
    return new SplittableRandom(seed ^ Long.rotateLeft(place, 31));
  }

  /**
   * Returns a base to the power of the number of the next update; the first update has number 1.
   * All parameters use the same power, so it is computed once.
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
