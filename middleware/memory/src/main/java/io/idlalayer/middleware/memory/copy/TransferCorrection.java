package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;

/**
 * Learns how much longer or shorter copies take than the devices' specifications predict. Keeps,
 * for each direction, an exponentially weighted mean of the ratio of both times, on a logarithmic
 * scale. Small copies and copies that overlap with another one of their direction do not count. A
 * copy counts as at most twice or half of the present mean, so that an outlier changes it by 9 % at
 * most. Any thread.
 */
public final class TransferCorrection {
  /**
   * Size in bytes of the smallest copy that the mean includes; times of smaller copies are mostly
   * latency and noise.
   */
  static final long LEAST_BYTES = 64 << 10;

  private static final double WEIGHT = 1.0 / 8;
  private static final double MOST_STEP = Math.log(2);

  private final int devices;
  private final Direction[] directions;

  /**
   * State of one direction; fields that are not volatile are guarded by the monitor of the
   * instance.
   */
  private static final class Direction {
    int running;
    long begun;
    long lastEndNanos = Long.MIN_VALUE;
    double logSlowdown;
    volatile double slowdown = 1;
  }

  /**
   * Data that is taken when a copy starts and used when it ends.
   *
   * @param alone whether no other copy of its direction ran when it started
   * @param number how many copies of the direction had started by then
   */
  record Started(boolean alone, long number) {}

  /**
   * Creates a correction that has not measured a copy yet and predicts the specified times.
   *
   * @param devices number of devices of the memory
   */
  public TransferCorrection(int devices) {
    this.devices = devices;
    directions = new Direction[devices * devices];
    for (int i = 0; i < directions.length; i++) {
      directions[i] = new Direction();
    }
  }

  /**
   * Returns an independent correction with the ratios learned so far, for another memory on these
   * devices.
   */
  public TransferCorrection forNextMemory() {
    TransferCorrection next = new TransferCorrection(devices);
    for (int i = 0; i < directions.length; i++) {
      synchronized (directions[i]) {
        next.directions[i].logSlowdown = directions[i].logSlowdown;
        next.directions[i].slowdown = directions[i].slowdown;
      }
    }
    return next;
  }

  private Direction direction(DeviceId source, DeviceId target) {
    return directions[source.index() * devices + target.index()];
  }

  Started begin(DeviceId source, DeviceId target) {
    Direction direction = direction(source, target);
    synchronized (direction) {
      return new Started(direction.running++ == 0, ++direction.begun);
    }
  }

  /** Ends a copy that has failed, without learning from its time. */
  void fail(DeviceId source, DeviceId target) {
    Direction direction = direction(source, target);
    synchronized (direction) {
      direction.running--;
    }
  }

  /**
   * Ends a copy, and learns from its time if no other copy of this direction overlapped with it.
   *
   * @param expectedNanos time of the copy by the specifications
   */
  void end(Started started, MoveReceipt receipt, long expectedNanos) {
    Direction direction = direction(receipt.source(), receipt.target());
    synchronized (direction) {
      direction.running--;
      boolean alone =
          started.alone()
              && direction.begun == started.number()
              && receipt.startNanos() >= direction.lastEndNanos;
      direction.lastEndNanos = Math.max(direction.lastEndNanos, receipt.endNanos());
      if (!alone || receipt.bytes() < LEAST_BYTES) {
        return;
      }
      long nanos = Math.max(1, receipt.endNanos() - receipt.startNanos());
      double off = Math.log((double) nanos / Math.max(1, expectedNanos)) - direction.logSlowdown;
      direction.logSlowdown += WEIGHT * Math.max(-MOST_STEP, Math.min(MOST_STEP, off));
      direction.slowdown = Math.exp(direction.logSlowdown);
    }
  }

  /**
   * Returns the ratio of a copy's real time to its specified time, for one direction: above 0, and
   * 1 before the first copy.
   */
  public double slowdown(DeviceId source, DeviceId target) {
    return direction(source, target).slowdown;
  }
}
