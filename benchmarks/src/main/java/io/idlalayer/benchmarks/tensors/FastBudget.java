package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.memory.device.DeviceSpec;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The size of the fast device: in bytes, or as a share of a step's peak.
 *
 * @param ratio share of the peak; 0 if bytes are given
 * @param bytes size in bytes; 0 if a ratio is given
 */
record FastBudget(double ratio, long bytes) {
  private static final Pattern BYTES = Pattern.compile("(\\d{1,15})\\s*(B|KiB|MiB|GiB)?");
  private static final Map<String, Integer> SHIFTS =
      Map.of("B", 0, "KiB", 10, "MiB", 20, "GiB", 30);

  /**
   * Parses a size. A number with a point, or 1, is a ratio. A larger whole number, or a whole
   * number with a unit, is a number of bytes.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  static FastBudget parse(String text) {
    Matcher bytes = BYTES.matcher(text.trim());
    if (bytes.matches() && !text.trim().equals("1")) {
      String unit = bytes.group(2) == null ? "B" : bytes.group(2);
      int shift = SHIFTS.getOrDefault(unit, 0);
      long count = Long.parseLong(bytes.group(1));
      if (count > 0 && count <= Long.MAX_VALUE >> shift) {
        return new FastBudget(0, count << shift);
      }
    }
    try {
      double ratio = Double.parseDouble(text.trim());
      if (ratio > 0 && ratio <= 1) {
        return new FastBudget(ratio, 0);
      }
    } catch (NumberFormatException neither) {
      // The exception below says what is wrong.
    }
    throw new IllegalArgumentException(
        "'%s' is neither a ratio above 0 to 1 nor bytes such as 268435456 or 256MiB"
            .formatted(text));
  }

  /**
   * Returns the size in bytes for a step with the given peak. It is a multiple of the devices'
   * alignment.
   */
  long of(long peakBytes) {
    long wanted = ratio > 0 ? (long) Math.ceil(ratio * peakBytes) : bytes;
    return aligned(Math.max(1, wanted));
  }

  static long aligned(long bytes) {
    return (bytes + DeviceSpec.DEFAULT_ALIGN_BYTES - 1) & -DeviceSpec.DEFAULT_ALIGN_BYTES;
  }
}
