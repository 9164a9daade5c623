package io.idlalayer.middleware.cache.budget;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The seconds that DRAM saves in each second, as a function of the bytes of DRAM. Between two
 * points the curve is linear, and beyond the last point it is constant. Immutable.
 */
public final class BenefitCurve {
  private final long[] bytes;
  private final double[] seconds;

  /**
   * Creates a curve through points. A point that is lower than an earlier point is raised to the
   * height of the earlier point: more memory never saves less time, so a lower value is measurement
   * noise.
   *
   * @param bytes bytes of the points, ascending, at least one, none negative
   * @param seconds for each point, seconds saved in each second, finite
   */
  public BenefitCurve(long[] bytes, double[] seconds) {
    if (bytes.length == 0 || bytes.length != seconds.length) {
      throw new IllegalArgumentException(
          "a curve of %d sizes and %d values; as many of both are needed, at least one"
              .formatted(bytes.length, seconds.length));
    }
    this.bytes = bytes.clone();
    this.seconds = seconds.clone();
    for (int i = 0; i < bytes.length; i++) {
      long before = i == 0 ? -1 : bytes[i - 1];
      if (bytes[i] <= before || !Double.isFinite(seconds[i])) {
        throw new IllegalArgumentException(
            "a curve with %s s/s at %,d bytes after %,d bytes; sizes must ascend, values be finite"
                .formatted(seconds[i], bytes[i], before));
      }
      this.seconds[i] = i == 0 ? seconds[i] : Math.max(this.seconds[i - 1], seconds[i]);
    }
  }

  /** Returns the curve of a use for which no amount of memory saves time. */
  public static BenefitCurve none() {
    return new BenefitCurve(new long[] {0}, new double[] {0});
  }

  /**
   * Returns a curve whose values are this one's times a factor.
   *
   * @param factor at least 0
   */
  public BenefitCurve times(double factor) {
    double[] multiplied = new double[seconds.length];
    for (int i = 0; i < multiplied.length; i++) {
      multiplied[i] = factor * seconds[i];
    }
    return new BenefitCurve(bytes, multiplied);
  }

  /** Returns the seconds saved in each second with a number of bytes. */
  public double at(long size) {
    int found = Arrays.binarySearch(bytes, size);
    if (found >= 0) {
      return seconds[found];
    }
    int next = -found - 1;
    if (next == 0 || next == bytes.length) {
      return seconds[next == 0 ? 0 : next - 1];
    }
    double share = (double) (size - bytes[next - 1]) / (bytes[next] - bytes[next - 1]);
    return seconds[next - 1] + share * (seconds[next] - seconds[next - 1]);
  }

  /** Returns the seconds saved at the largest point that is at most a number of bytes. */
  double stepAt(long size) {
    int found = Arrays.binarySearch(bytes, size);
    int last = found >= 0 ? found : -found - 2;
    return seconds[Math.max(0, last)];
  }

  /** Returns the sizes of the points from one size to another, and the first of the two sizes. */
  List<Long> sizes(long from, long to) {
    List<Long> sizes = new ArrayList<>();
    sizes.add(from);
    for (long size : bytes) {
      if (size > from && size <= to) {
        sizes.add(size);
      }
    }
    return sizes;
  }

  /**
   * Returns the least concave curve above this one, from one size to another.
   *
   * @param from at most {@code to}
   */
  BenefitCurve hull(long from, long to) {
    List<Long> sizes = sizes(from, to);
    if (sizes.get(sizes.size() - 1) < to) {
      sizes.add(to);
    }
    List<Long> corners = new ArrayList<>();
    for (long size : sizes) {
      while (corners.size() > 1 && below(corners, size)) {
        corners.remove(corners.size() - 1);
      }
      corners.add(size);
    }
    return new BenefitCurve(
        corners.stream().mapToLong(Long::longValue).toArray(),
        corners.stream().mapToDouble(this::at).toArray());
  }

  /**
   * Returns whether the last corner is not above the line from the previous corner to the point at
   * a size.
   */
  private boolean below(List<Long> corners, long size) {
    long before = corners.get(corners.size() - 2);
    long last = corners.get(corners.size() - 1);
    return (at(last) - at(before)) * (size - before) <= (at(size) - at(before)) * (last - before);
  }

  /** Returns the pieces between the points, in ascending order. */
  List<Piece> pieces() {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 1; i < bytes.length; i++) {
      pieces.add(new Piece(bytes[i] - bytes[i - 1], seconds[i] - seconds[i - 1]));
    }
    return pieces;
  }

  /**
   * A linear piece of a curve.
   *
   * @param bytes length of the piece, above 0
   * @param seconds seconds that the whole piece saves, at least 0
   */
  record Piece(long bytes, double seconds) {
    double perByte() {
      return seconds / bytes;
    }
  }
}
