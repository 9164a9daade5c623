package io.idlalayer.modelcontroller.cost;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * Learns the cost of an update in addition to its training, in processor seconds: choosing and
 * loading samples, giving them life stages, writing state, reporting, publishing, and deleting old
 * versions. This cost hardly depends on the number of samples, so the estimate is a mean in which
 * later updates weigh more. If only one in several updates is published, the mean spreads the cost
 * of publishing over all updates. Not thread-safe.
 *
 * <p>The first {@link #WARM_UP} updates of a process run while the JVM compiles. These updates have
 * a tenth of the weight, as in {@link TrainingCostModel}.
 */
public final class UpdateOverhead {
  /** Factor by which each update reduces the weight of all earlier updates. */
  static final double FORGETTING = 0.95;

  static final int WARM_UP = 2;
  static final double WARM_UP_WEIGHT = 0.1;

  /**
   * An update counts at most as this many times the mean, because a training that was given up, or
   * a pause of the machine, says nothing about the next update.
   */
  static final double MOST_TIMES_MEAN = 10;

  private static final StateFormat FORMAT = StateFormat.first("update overhead");

  private double weightedSeconds;
  private double weights;
  private int sinceStart;

  /** Creates a model without any observation. */
  public UpdateOverhead() {}

  /**
   * Updates the mean with an update that has ended.
   *
   * @param overheadSeconds processor seconds of the update without its training, at least 0
   */
  public void observe(double overheadSeconds) {
    boolean warmUp = sinceStart < WARM_UP;
    sinceStart++;
    double weight = warmUp ? WARM_UP_WEIGHT : 1;
    double mean = seconds();
    double counted = mean > 0 ? Math.min(overheadSeconds, MOST_TIMES_MEAN * mean) : overheadSeconds;
    weightedSeconds = FORGETTING * weightedSeconds + weight * counted;
    weights = FORGETTING * weights + weight;
  }

  /**
   * Returns the expected overhead of the next update in processor seconds; 0 if no update was
   * observed.
   */
  public double seconds() {
    return weights > 0 ? weightedSeconds / weights : 0;
  }

  /** Returns the state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    return FORMAT.writer().putDouble(1, weightedSeconds).putDouble(2, weights).bytes();
  }

  /**
   * Returns a model with the state of a snapshot; its next updates count as the warm-up of a new
   * process.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public static UpdateOverhead restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    UpdateOverhead model = new UpdateOverhead();
    model.weightedSeconds = in.getDouble(1);
    model.weights = in.getDouble(2);
    return model;
  }
}
