package io.idlalayer.middleware.embedding.loops;

import java.util.Arrays;

/** Both kinds of loops over rows. The tests of this module run in a JVM that has both. */
public enum TestLoops {
  PLAIN,
  VECTOR;

  public RowLoops loops() {
    if (this == PLAIN) {
      return new PlainRowLoops();
    }
    try {
      return ProcessLoops.vector();
    } catch (ReflectiveOperationException | LinkageError missing) {
      throw new AssertionError(
          "tests of this module need --add-modules jdk.incubator.vector, as its pom says", missing);
    }
  }

  /**
   * The bits of numbers. All NaNs have the same: Java does not say which bits an operation gives.
   */
  static int[] bits(float[] numbers) {
    int[] bits = new int[numbers.length];
    Arrays.setAll(bits, i -> Float.floatToIntBits(numbers[i]));
    return bits;
  }
}
