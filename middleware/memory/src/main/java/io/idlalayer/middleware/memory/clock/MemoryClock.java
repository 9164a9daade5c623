package io.idlalayer.middleware.memory.clock;

import io.idlalayer.middleware.memory.device.DeviceSpec;

/**
 * Time as copies and kernels spend it. Byte counts do not depend on it. Any thread, except {@link
 * VirtualClock}.
 */
public interface MemoryClock {
  /** What kind of time this is. */
  ClockKind kind();

  /** Now, in nanoseconds from any instant. */
  long nanos();

  /**
   * A copy is about to be made that its caller waits for; waits for the devices' latencies if they
   * are emulated.
   */
  default void begin(DeviceSpec source, DeviceSpec target) throws InterruptedException {}

  /**
   * A part of it is about to be made. Its caller makes it and then waits ({@link #elapseTo}), so
   * that copying on this machine is part of what the emulated devices take, not added to it.
   *
   * @return when the devices have passed these bytes on, in {@link #nanos}
   */
  default long reserve(DeviceSpec source, DeviceSpec target, long bytes) {
    return nanos();
  }

  /**
   * A copy was made.
   *
   * @param background whether its caller went on meanwhile. Then nothing waited for slow devices,
   *     and the copy ends when they would be done; who needs it waits until then ({@link
   *     #elapseTo})
   * @param startNanos when it began
   * @return when it ends, in {@link #nanos}
   */
  default long copied(
      DeviceSpec source, DeviceSpec target, long bytes, long startNanos, boolean background) {
    return nanos();
  }

  /** The caller waits until an instant. */
  default void elapseTo(long nanos) throws InterruptedException {}

  /**
   * A kernel ran.
   *
   * @param measuredNanos as it took on this machine
   * @param wantedNanos as it takes on the devices of the specification
   */
  default void computed(long measuredNanos, long wantedNanos) throws InterruptedException {}
}
