package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.Sample;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Synthetic streams with recurring drift: two concepts A and B in the order A B A B, with 5,000
 * rows each, 10 features that are uniform in [0, 1), and two classes. Each call creates the same
 * streams.
 *
 * <ul>
 *   <li>{@code recurring}: a hyperplane through the middle of the space divides the classes. The
 *       normals of A and B are at a right angle. The concepts contradict each other in half of the
 *       space.
 *   <li>{@code recurring_board}: a 2x2 checkerboard on the first two features, rotated by 45
 *       degrees for B.
 *   <li>{@code recurring_region}: A's rows lie in the left half of the first feature and B's in the
 *       right half. Each concept has its own hyperplane. What a model has learned never becomes
 *       wrong, but the model can forget it.
 * </ul>
 */
final class RecurringStreams {
  static final int CONCEPT_ROWS = 5_000;
  static final int FEATURES = 10;
  private static final int CONCEPTS = 4;

  private RecurringStreams() {}

  private enum Kind {
    HYPERPLANE("recurring", 20_260_101),
    BOARD("recurring_board", 20_260_102),
    REGION("recurring_region", 20_260_103);

    private final String key;
    private final long seed;

    Kind(String key, long seed) {
      this.key = key;
      this.seed = seed;
    }
  }

  static List<String> names() {
    return List.of(Kind.HYPERPLANE.key, Kind.BOARD.key, Kind.REGION.key);
  }

  static DriftStream make(String name) {
    for (Kind kind : Kind.values()) {
      if (kind.key.equals(name)) {
        return DriftStream.clean(
            name, DriftStreams.schema(FEATURES, List.of("0", "1")), samples(kind));
      }
    }
    throw new IllegalArgumentException("unknown stream " + name + "; known are " + names());
  }

  private static Sample[] samples(Kind kind) {
    SplittableRandom random = new SplittableRandom(kind.seed);
    double[][] normals = normals(random);
    Sample[] samples = new Sample[CONCEPTS * CONCEPT_ROWS];
    for (int i = 0; i < samples.length; i++) {
      boolean second = i / CONCEPT_ROWS % 2 == 1;
      double[] x = new double[FEATURES];
      for (int k = 0; k < FEATURES; k++) {
        x[k] = (float) random.nextDouble();
      }
      boolean label =
          switch (kind) {
            case HYPERPLANE -> above(x, normals[second ? 1 : 0]);
            case BOARD -> dark(x[0], x[1], second ? Math.PI / 4 : 0);
            case REGION -> {
              x[0] = (x[0] + (second ? 1 : 0)) / 2;
              yield above(x, normals[second ? 1 : 0]);
            }
          };
      samples[i] = Sample.of(x, label ? 1 : 0);
    }
    return samples;
  }

  /** Returns two random directions at a right angle. */
  private static double[][] normals(SplittableRandom random) {
    double[] a = new double[FEATURES];
    double[] b = new double[FEATURES];
    double aa = 0;
    double ab = 0;
    for (int i = 0; i < FEATURES; i++) {
      a[i] = random.nextDouble(-1, 1);
      b[i] = random.nextDouble(-1, 1);
      aa += a[i] * a[i];
      ab += a[i] * b[i];
    }
    for (int i = 0; i < FEATURES; i++) {
      b[i] -= a[i] * ab / aa;
    }
    return new double[][] {a, b};
  }

  private static boolean above(double[] x, double[] normal) {
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      sum += normal[i] * (x[i] - 0.5);
    }
    return sum > 0;
  }

  private static boolean dark(double x, double y, double angle) {
    double u = Math.cos(angle) * (x - 0.5) - Math.sin(angle) * (y - 0.5);
    double v = Math.sin(angle) * (x - 0.5) + Math.cos(angle) * (y - 0.5);
    return u > 0 == v > 0;
  }
}
