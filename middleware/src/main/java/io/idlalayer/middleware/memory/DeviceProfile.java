package io.idlalayer.middleware.memory;

import java.util.Locale;

/**
 * What a device turned out to be: kept beside every result that was measured on it.
 *
 * @param medium what its bytes lie on, see {@link Arena#description}
 * @param speed measured
 */
public record DeviceProfile(
    String name, DeviceKind kind, long capacityBytes, String medium, DeviceSpeed speed) {
  private static final double GIGA = 1e9;

  /** Measures a device of a memory that holds nothing yet, or whose bytes may be overwritten. */
  public static DeviceProfile measure(DeviceSpec spec, Arena arena, DeviceProbe probe) {
    return new DeviceProfile(
        spec.name(), spec.kind(), spec.capacityBytes(), arena.description(), probe.measure(arena));
  }

  /** One line for people. */
  public String line() {
    return String.format(
        Locale.ROOT,
        "%s (%s): %,d bytes of %s, reads %.2f GB/s, writes %.2f GB/s, latency %d and %d ns",
        name,
        kind,
        capacityBytes,
        medium,
        speed.readBytesPerSecond() / GIGA,
        speed.writeBytesPerSecond() / GIGA,
        speed.readLatencyNanos(),
        speed.writeLatencyNanos());
  }
}
