package io.idlalayer.console.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.events.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers in a learner's statuses over time, with a column for each number, named by its path
 * in the status: {@code samples.received}. Points are at least a second apart. If there are too
 * many, every other point is dropped, so that older data is coarser. Confined to one thread at a
 * time.
 */
final class StatusColumns {
  /** Largest number of points in time that are kept if memory allows. */
  static final int POINTS = 7_200;

  /** Largest number of columns; a status has about a hundred numbers. */
  static final int COLUMNS = 256;

  private static final long STEP_MILLIS = 1_000;
  private static final int FIRST_POINTS = 64;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, double[]> columns = new LinkedHashMap<>();
  private long[] atMillis = new long[FIRST_POINTS];
  private int points;
  private int most = POINTS;
  private long pendingMillis;
  private @Nullable Status pending;

  /** Adds the numbers of the next status. A status that is older than the last one is skipped. */
  void add(long millis, Status status) {
    long second = millis / STEP_MILLIS;
    if (pending != null) {
      long last = pendingMillis / STEP_MILLIS;
      if (second < last) {
        return;
      }
      if (second > last) {
        flush();
      }
    } else if (points > 0 && second < atMillis[points - 1] / STEP_MILLIS) {
      return;
    }
    pendingMillis = millis;
    pending = status;
  }

  /**
   * Adds the latest status as a point in time. Only the last status of a second becomes a point.
   */
  private void flush() {
    Status status = pending;
    pending = null;
    if (status == null) {
      return;
    }
    boolean sameSecond =
        points > 0 && pendingMillis / STEP_MILLIS == atMillis[points - 1] / STEP_MILLIS;
    if (sameSecond) {
      points--;
    } else if (points >= most) {
      thin();
    } else if (points == atMillis.length) {
      resize(Math.min(most, 2 * points));
    }
    atMillis[points] = pendingMillis;
    int point = points++;
    columns.values().forEach(column -> column[point] = Double.NaN);
    put("", JSON.valueToTree(status), point);
  }

  private void put(String path, JsonNode node, int point) {
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      JsonNode value = field.getValue();
      String name = path + field.getKey();
      if (name.equals("inputOffsets")) {
        continue;
      }
      if (value.isObject()) {
        put(name + ".", value, point);
      } else if (value.isNumber() || value.isBoolean()) {
        double[] column = column(name);
        if (column != null) {
          column[point] = value.isBoolean() ? (value.booleanValue() ? 1 : 0) : value.doubleValue();
        }
      }
    }
  }

  private double @Nullable [] column(String name) {
    double[] known = columns.get(name);
    if (known == null && columns.size() < COLUMNS) {
      known = new double[atMillis.length];
      Arrays.fill(known, Double.NaN);
      columns.put(name, known);
    }
    return known;
  }

  private void resize(int size) {
    atMillis = Arrays.copyOf(atMillis, size);
    columns.replaceAll(
        (name, column) -> {
          double[] other = Arrays.copyOf(column, size);
          Arrays.fill(other, Math.min(column.length, size), size, Double.NaN);
          return other;
        });
  }

  /** Sets the largest number of points to keep from now on, at least 2. */
  void limit(int mostPoints) {
    most = mostPoints;
    while (points > most) {
      thin();
    }
    if (atMillis.length > most) {
      resize(most);
    }
  }

  /** Halves the number of points: keeps the newest point, and every second point before it. */
  private void thin() {
    int kept = 0;
    for (int point = (points - 1) % 2; point < points; point += 2) {
      int to = kept++;
      int from = point;
      atMillis[to] = atMillis[from];
      columns.values().forEach(column -> column[to] = column[from]);
    }
    points = kept;
  }

  /** Returns all points so far as a table. */
  StatusTable table() {
    flush();
    List<double[]> values = new ArrayList<>();
    columns.values().forEach(column -> values.add(Arrays.copyOf(column, points)));
    return new StatusTable(List.copyOf(columns.keySet()), Arrays.copyOf(atMillis, points), values);
  }
}
