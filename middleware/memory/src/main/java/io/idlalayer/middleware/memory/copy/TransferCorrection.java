package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;

/**
 * Learns how much longer or shorter copies take than the devices' specifications predict, for each
 * direction. Copies that overlap with another one of their direction do not count. Any thread.
 */
public final class TransferCorrection {
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
    volatile Slowdown slowdown = new Slowdown();
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
        next.directions[i].slowdown = directions[i].slowdown.copy();
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
      if (alone) {
        direction.slowdown.observe(
            receipt.bytes(), receipt.endNanos() - receipt.startNanos(), expectedNanos);
      }
    }
  }

  /**
   * Returns the ratio of a copy's real time to its specified time, for one direction: above 0, and
   * 1 before the first copy.
   */
  public double slowdown(DeviceId source, DeviceId target) {
    return direction(source, target).slowdown.ratio();
  }
}
