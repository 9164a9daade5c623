package io.idlalayer.middleware.placement.api;

import java.util.List;

/**
 * The bytes of a step over its kernels, as a plan predicts them: the bytes that are alive, those of
 * them that are on the fast device, and those that move. A long step is divided into points of
 * several kernels. What a plan leaves open is not in it.
 *
 * @param kernels number of kernels of the step
 * @param kernelsPerPoint number of kernels of each point but the last, which may have fewer
 * @param backwardKernel index of the first kernel of the backward pass; -1 if there is none
 * @param updateKernel index of the first kernel that updates parameters; -1 if there is none
 * @param budgetBytes budget of the fast device
 * @param peakBytes most bytes that are alive at a time
 * @param points in the order of the kernels, at most {@link #MOST_POINTS}
 */
public record StepCurve(
    int kernels,
    int kernelsPerPoint,
    int backwardKernel,
    int updateKernel,
    long budgetBytes,
    long peakBytes,
    List<Point> points) {
  /** Most points of a curve. */
  public static final int MOST_POINTS = 240;

  /**
   * Kernels that run one after another. Bytes count as on the device, rounded up to its unit.
   *
   * @param aliveBytes most bytes of tensors that are alive while one of them runs
   * @param fastBytes most bytes of tensors that are on the fast device, or on their way to it,
   *     while one of them runs
   * @param fetchedBytes bytes that start to move to the fast device
   * @param writtenBackBytes bytes that start to be copied to the slow device and stay on the fast
   *     one
   * @param evictedBytes bytes that leave the fast device
   */
  public record Point(
      long aliveBytes,
      long fastBytes,
      long fetchedBytes,
      long writtenBackBytes,
      long evictedBytes) {
    /** Kernels that use nothing. */
    public static final Point NONE = new Point(0, 0, 0, 0, 0);

    /**
     * Returns one point for these kernels and others: the larger of their bytes, and the sum of
     * what moves.
     */
    public Point and(Point other) {
      return new Point(
          Math.max(aliveBytes, other.aliveBytes),
          Math.max(fastBytes, other.fastBytes),
          fetchedBytes + other.fetchedBytes,
          writtenBackBytes + other.writtenBackBytes,
          evictedBytes + other.evictedBytes);
    }
  }

  public StepCurve {
    points = List.copyOf(points);
  }
}
