package io.idlalayer.middleware.placement.plan;

import org.jspecify.annotations.Nullable;

/**
 * Compares steps that follow a plan with steps without one. A busy machine makes kernels slower,
 * and with them every step, whether it follows a plan or not. So a step may take longer by as many
 * times as its kernels take longer than when the step without a plan was measured. Only kernels
 * whose arguments are all on the fast device are compared: a slow device does not make them slower.
 * One thread at a time.
 */
final class FollowedSteps {
  /** A step is slow if it takes more than this share of one without a plan. */
  private static final double SLOW = 1.1;

  /** Number of slow steps in a row after which a plan is not worth following. */
  private static final int MOST_SLOW = 2;

  private final StepDurations durations = new StepDurations();
  private Usual measured = new Usual(0, new long[0]);
  private Usual rehearsed = new Usual(0, new long[0]);
  private int slow;

  /** The duration of a step without a plan, with the times that its kernels took then. */
  private static final class Usual {
    private final long stepNanos;

    /** Times of kernels; 0 as long as there was no run with all arguments fast. */
    private final long[] kernelNanos;

    private long thenNanos;
    private long nowNanos;

    Usual(long stepNanos, long[] kernelNanos) {
      this.stepNanos = stepNanos;
      this.kernelNanos = kernelNanos;
    }

    void begin() {
      thenNanos = 0;
      nowNanos = 0;
    }

    void ran(int kernel, long nanos) {
      if (kernel >= kernelNanos.length) {
        return;
      }
      if (kernelNanos[kernel] == 0) {
        kernelNanos[kernel] = nanos;
      }
      thenNanos += kernelNanos[kernel];
      nowNanos += nanos;
    }

    /** Returns how long a step without a plan would take, as busy as the machine is now. */
    double nanos() {
      return thenNanos == 0 ? stepNanos : stepNanos * Math.max(1, (double) nowNanos / thenNanos);
    }
  }

  /**
   * Records that a plan is followed from now on. Rehearsals of former plans do not count.
   *
   * @param unplannedNanos measured duration of a step without a plan
   * @param kernelNanos times of kernels with all arguments fast in these steps, 0 if unknown
   */
  void begin(long unplannedNanos, long[] kernelNanos) {
    measured = new Usual(unplannedNanos, kernelNanos);
    rehearsed = new Usual(0, new long[0]);
    durations.clear();
    slow = 0;
  }

  /**
   * Records that another plan is followed from now on, because the device or the kernels have
   * changed. Steps without a plan were measured before that change, so the longer of the measured
   * and the rehearsed time counts as the time of a step without a plan.
   *
   * @param unplannedNanos rehearsed duration of a step without a plan; 0 if it is unknown
   * @param kernelNanos times of kernels for which it was rehearsed, as above
   */
  void beginAnew(long unplannedNanos, long[] kernelNanos) {
    rehearsed = new Usual(unplannedNanos, kernelNanos);
    durations.clear();
    slow = 0;
  }

  /** Records that a step begins. */
  void beginStep() {
    measured.begin();
    rehearsed.begin();
  }

  /** Records a run of a kernel of the step, all of whose arguments were on the fast device. */
  void ran(int kernel, long nanos) {
    measured.ran(kernel, nanos);
    rehearsed.ran(kernel, nanos);
  }

  /**
   * Records that the step has ended.
   *
   * @return the reason for which its plan is not worth following; null if there is none
   */
  @Nullable String ended(long nanos) {
    durations.add(nanos);
    double usual = Math.max(measured.nanos(), rehearsed.nanos());
    slow = usual > 0 && nanos > SLOW * usual ? slow + 1 : 0;
    return slow < MOST_SLOW
        ? null
        : "its last %d steps were slow, the last one took %,d ns; without a plan a step takes %,d ns while kernels are as fast as in that step"
            .formatted(slow, nanos, Math.round(usual));
  }

  /** Returns the number of steps so far. */
  int count() {
    return durations.count();
  }

  /** Returns the median duration in nanoseconds of the last steps; 0 if there was none. */
  long medianNanos() {
    return durations.medianNanos();
  }
}
