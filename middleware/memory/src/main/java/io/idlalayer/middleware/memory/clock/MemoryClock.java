package io.idlalayer.middleware.memory.clock;

import io.idlalayer.middleware.memory.device.DeviceSpec;

/**
 * The time that copies and kernels take. Byte counts do not depend on it. Any thread, except {@link
 * VirtualClock}.
 */
public interface MemoryClock {
  /** What kind of time this is. */
  ClockKind kind();

  /** Now, in nanoseconds from any instant. */
  long nanos();

  /**
   * Called before a copy that the caller waits for. A clock that emulates devices waits for their
   * latencies.
   */
  default void begin(DeviceSpec source, DeviceSpec target) throws InterruptedException {}

  /**
   * Called before each part of such a copy. The caller copies the part and then waits until the
   * returned time ({@link #elapseTo}), so that the copy on this machine is part of the emulated
   * time and not added to it.
   *
   * @return when emulated devices have transferred these bytes, in {@link #nanos}
   */
  default long reserve(DeviceSpec source, DeviceSpec target, long bytes) {
    return nanos();
  }

  /**
   * Called after a copy.
   *
   * @param background whether the caller did not wait. Then the copy ends when emulated devices
   *     would have ended it, and a thread that needs its bytes waits until then ({@link #elapseTo})
   * @param startNanos when it began
   * @return when it ends, in {@link #nanos}
   */
  default long copied(
      DeviceSpec source, DeviceSpec target, long bytes, long startNanos, boolean background) {
    return nanos();
  }

  /** Waits until a time, given in {@link #nanos}. */
  default void elapseTo(long nanos) throws InterruptedException {}

  /**
   * Records the time of a kernel; called after the kernel has run.
   *
   * @param measuredNanos time that the kernel took on this machine
   * @param wantedNanos time that it takes on the devices of the specification
   */
  default void computed(long measuredNanos, long wantedNanos) throws InterruptedException {}
}
