package io.idlalayer.modelcontroller.cost;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * Learns what an update costs beside its training, in processor seconds: choosing and loading
 * samples, giving them life stages, writing state, reporting, publishing, and deleting old
 * versions. None of it depends much on the number of samples, so the estimate is a mean that
 * forgets earlier updates. If only one in several updates is published, the mean spreads the cost
 * of publishing over all of them. Not thread-safe.
 *
 * <p>The first {@link #WARM_UP} updates of a process run while the JVM compiles; they have a tenth
 * of the weight, as in {@link TrainingCostModel}.
 */
public final class UpdateOverhead {
  /** Factor by which each update reduces the weight of all earlier ones. */
  static final double FORGETTING = 0.95;

  static final int WARM_UP = 2;
  static final double WARM_UP_WEIGHT = 0.1;

  /**
   * Most times the mean that an update counts, because a training that was given up, or a pause of
   * the machine, says nothing of the next update.
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
   * @param overheadSeconds what it took beside its training, processor seconds, at least 0
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

  /** Returns the expected overhead of the next update in processor seconds; 0 if none is known. */
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
