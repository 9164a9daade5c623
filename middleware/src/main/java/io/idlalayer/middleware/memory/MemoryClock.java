package io.idlalayer.middleware.memory;

/**
 * Time as copies and kernels spend it. Byte counts do not depend on it. Any thread, except {@link
 * VirtualClock}.
 */
public interface MemoryClock {
  /** What kind of time this is. */
  ClockKind kind();

  /** Now, in nanoseconds from any instant. */
  long nanos();

  /** A copy is about to be made; waits for the devices' latencies if they are emulated. */
  default void begin(DeviceSpec source, DeviceSpec target) throws InterruptedException {}

  /** A part of a copy is about to be made; waits if the devices are to be slower than they are. */
  default void pace(DeviceSpec source, DeviceSpec target, long bytes) throws InterruptedException {}

  /**
   * A copy was made.
   *
   * @param background whether its caller went on meanwhile
   * @return when it ended, in {@link #nanos}
   */
  default long copied(DeviceSpec source, DeviceSpec target, long bytes, boolean background) {
    return nanos();
  }

  /** The caller waits until an instant; wall time has come there by itself. */
  default void elapseTo(long nanos) {}

  /**
   * A kernel ran.
   *
   * @param measuredNanos as it took on this machine
   * @param wantedNanos as it takes on the devices of the specification
   */
  default void computed(long measuredNanos, long wantedNanos) throws InterruptedException {}
}
