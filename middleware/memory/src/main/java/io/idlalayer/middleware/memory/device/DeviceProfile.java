package io.idlalayer.middleware.memory.device;

import java.util.List;
import java.util.Locale;

/**
 * The measured properties of a device; stored with every result that was measured on it.
 *
 * @param medium description of the medium, see {@link Arena#description}
 * @param measured its speed, and the access path of the measurement
 */
public record DeviceProfile(
    String name, DeviceKind kind, long capacityBytes, String medium, DeviceProbe.Result measured) {
  private static final double GIGA = 1e9;
  private static final double STEP = 1024;
  private static final List<String> UNITS = List.of("bytes", "KiB", "MiB", "GiB", "TiB");

  /** Measures a device by its arena and returns its profile. Overwrites the arena's first bytes. */
  public static DeviceProfile measure(DeviceSpec spec, Arena arena, DeviceProbe probe) {
    return new DeviceProfile(
        spec.name(), spec.kind(), spec.capacityBytes(), arena.description(), probe.measure(arena));
  }

  /** Returns the measured speed of the device. */
  public DeviceSpeed speed() {
    return measured.speed();
  }

  /**
   * Returns the profile as one line for logs and reports: name, kind, capacity, medium, bandwidths
   * and latencies.
   */
  public String line() {
    DeviceSpeed speed = speed();
    return String.format(
        Locale.ROOT,
        "%s (%s): %s of %s, reads %.2f GB/s, writes %.2f GB/s, latency %,d ns to read, %,d ns to"
            + " write, measured %s",
        name,
        kind,
        size(capacityBytes),
        medium,
        speed.readBytesPerSecond() / GIGA,
        speed.writeBytesPerSecond() / GIGA,
        speed.readLatencyNanos(),
        speed.writeLatencyNanos(),
        measured.path().words());
  }

  private static String size(long bytes) {
    int unit = 0;
    double left = bytes;
    while (left >= STEP && unit < UNITS.size() - 1) {
      left /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", left, UNITS.get(unit));
  }
}
