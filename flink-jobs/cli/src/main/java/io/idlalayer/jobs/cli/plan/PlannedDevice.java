package io.idlalayer.jobs.cli.plan;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A slow device that a plan considers.
 *
 * @param speed its speed: given, or measured here
 * @param price price of a GiB for a month; NaN if none was given
 * @param measured whether it is a device of this machine
 */
record PlannedDevice(String name, DeviceSpeed speed, double price, boolean measured) {
  /** The name of fast memory, which no slow device may have. */
  private static final String DRAM = "dram";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,39}");
  private static final Set<String> KEYS =
      new TreeSet<>(Set.of("reads", "writes", "latency", "price"));
  private static final int GRANULE_BYTES = 256;
  private static final int WRITERS = 4;

  /**
   * Reads {@code name:reads=2GB/s,writes=1GB/s,latency=80us,price=0.1}.
   *
   * @param problems receives a sentence for each problem
   * @return the device; null if something is wrong
   */
  static @Nullable PlannedDevice read(String text, List<String> problems) {
    int before = problems.size();
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    String where = "--device " + name + ": ";
    if (!NAME.matcher(name).matches()) {
      problems.add(
          "--device '%s': a device is written NAME:reads=2GB/s,writes=1GB/s,latency=80us,price=0.1"
              .formatted(text));
      return null;
    }
    if (name.equals(DRAM)) {
      problems.add(where + "dram is the fast memory; its price is --dram-price");
    }
    Map<String, String> values = values(text, colon, where, problems);
    double reads = value(values, "reads", Units::bytesPerSecond, where, problems, Double.NaN);
    double writes = value(values, "writes", Units::bytesPerSecond, where, problems, Double.NaN);
    long latency = value(values, "latency", Units::latencyNanos, where, problems, 0L);
    double price = value(values, "price", Units::price, where, problems, Double.NaN);
    for (String needed : List.of("reads", "writes")) {
      if (!values.containsKey(needed)) {
        problems.add(where + needed + " is missing, such as " + needed + "=2GB/s");
      }
    }
    if (problems.size() > before) {
      return null;
    }
    DeviceSpeed speed = new DeviceSpeed(reads, writes, latency, latency, GRANULE_BYTES, WRITERS);
    return new PlannedDevice(name, speed, price, false);
  }

  private static Map<String, String> values(
      String text, int colon, String where, List<String> problems) {
    Map<String, String> values = new HashMap<>();
    if (colon < 0) {
      return values;
    }
    for (String each : text.substring(colon + 1).split(",", -1)) {
      int equals = each.indexOf('=');
      String key = equals < 0 ? each : each.substring(0, equals);
      if (equals < 0 || !KEYS.contains(key)) {
        problems.add(where + "'%s' is none of %s".formatted(each, String.join("=, ", KEYS) + "="));
      } else if (values.put(key, each.substring(equals + 1)) != null) {
        problems.add(where + key + " is given twice");
      }
    }
    return values;
  }

  private static <T> T value(
      Map<String, String> values,
      String key,
      Function<String, T> reader,
      String where,
      List<String> problems,
      T absent) {
    String text = values.get(key);
    if (text == null) {
      return absent;
    }
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException wrong) {
      problems.add(where + key + ": " + wrong.getMessage());
      return absent;
    }
  }
}
