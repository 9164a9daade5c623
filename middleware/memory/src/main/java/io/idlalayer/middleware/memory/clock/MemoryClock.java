package io.idlalayer.middleware.memory.clock;

import io.idlalayer.middleware.memory.device.DeviceSpec;

/**
 * Measures or computes the time that copies between devices and kernels on them take. Byte counts
 * do not depend on it. Any thread, except {@link VirtualClock}.
 */
public interface MemoryClock {
  /** Returns whether this clock measures, emulates or computes time. */
  ClockKind kind();

  /** Returns the present time in nanoseconds since an arbitrary instant. */
  long nanos();

  /**
   * Announces to the clock the start of a copy that the caller waits for. A clock that emulates
   * devices waits for their latencies.
   */
  default void begin(DeviceSpec source, DeviceSpec target) throws InterruptedException {}

  /**
   * Announces to the clock the next part of a copy that the caller waits for. The caller copies the
   * part and then waits until the returned time ({@link #elapseTo}), so that the copy on this
   * machine is part of the emulated time and not added to it.
   *
   * @return when emulated devices have transferred these bytes, in {@link #nanos}
   */
  default long reserve(DeviceSpec source, DeviceSpec target, long bytes) {
    return nanos();
  }

  /**
   * Tells the clock that a copy has ended.
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

  /** Waits until this clock shows a time, given in {@link #nanos}. */
  default void elapseTo(long nanos) throws InterruptedException {}

  /**
   * Tells the clock how long a kernel has taken; called after the kernel has run.
   *
   * @param measuredNanos time that the kernel took on this machine
   * @param wantedNanos time that it takes on the devices of the specification
   */
  default void computed(long measuredNanos, long wantedNanos) throws InterruptedException {}
}
