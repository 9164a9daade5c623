package io.idlalayer.benchmarks.clicks;

/**
 * Which samples of a stream train, so that the seconds of training keep to a budget that is spent
 * evenly over the stream: a sample trains if the budget up to its place pays for all that have
 * trained, those that wait for the next update, and itself. What a sample costs is what those
 * before have cost; so from the third update on each n-th sample trains, if the budget pays for
 * several updates.
 *
 * <p>The first update is not counted: it makes the network, which takes large ones most of their
 * time. The second is taken as it comes, since no cost is known before it: if that takes most of
 * the budget, only the first samples of the stream train. Samples that wait when the stream ends
 * never train. One thread.
 */
final class TrainingBudget {
  private final double seconds;
  private final int samples;
  private boolean made;
  private int trained;
  private int counted;
  private int waiting;
  private double countedSeconds;

  /**
   * @param seconds seconds of all trainings but the first, above 0
   * @param samples number of samples of the stream
   */
  TrainingBudget(double seconds, int samples) {
    this.seconds = seconds;
    this.samples = samples;
  }

  /** Whether the sample at a place, from 0 on, is to train; if so, it waits for an update. */
  boolean take(int place) {
    double allowed = seconds * (place + 1) / samples;
    if (counted > 0 && countedSeconds + (waiting + 1) * countedSeconds / counted > allowed) {
      return false;
    }
    waiting++;
    return true;
  }

  /** An update has trained on all samples that waited. */
  void spent(double trainSeconds) {
    if (made) {
      countedSeconds += trainSeconds;
      counted += waiting;
    }
    made = true;
    trained += waiting;
    waiting = 0;
  }

  /** Samples that have trained. */
  int trained() {
    return trained;
  }

  /** Returns the seconds of all trainings but the first. */
  double countedSeconds() {
    return countedSeconds;
  }
}
