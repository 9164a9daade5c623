package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.events.Status;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Numbers of a status by their paths, and the metrics that report them, as written down. */
public final class StatusNumbers {
  private StatusNumbers() {}

  /** Numbers and truth values (0 or 1) of a status; those of lists are left out. */
  public static SortedMap<String, Double> of(Status status) throws ReflectiveOperationException {
    SortedMap<String, Double> numbers = new TreeMap<>();
    add(numbers, status, "");
    return numbers;
  }

  private static void add(Map<String, Double> numbers, Object value, String path)
      throws ReflectiveOperationException {
    if (value instanceof Number number) {
      numbers.put(path, number.doubleValue());
    } else if (value instanceof Boolean truth) {
      numbers.put(path, truth ? 1.0 : 0.0);
    } else if (value instanceof Record record) {
      for (RecordComponent part : record.getClass().getRecordComponents()) {
        var accessor = part.getAccessor();
        accessor.setAccessible(true);
        add(numbers, accessor.invoke(record), (path.isEmpty() ? "" : path + ".") + part.getName());
      }
    }
  }

  /** Paths by the names of the metrics that report them. */
  public static SortedMap<String, String> paths() throws IOException {
    SortedMap<String, String> paths = new TreeMap<>();
    try (InputStream in =
        Objects.requireNonNull(StatusNumbers.class.getResourceAsStream("/metric-paths.txt"))) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        String[] parts = line.split(" = ");
        paths.put(parts[0], parts[1]);
      }
    }
    return paths;
  }
}
