package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

/** Whether two files of models have the same numbers, up to rounding. */
final class Parity {
  /** Relative, in the Euclidean norm. */
  static final double TOLERANCE = 1e-5;

  private Parity() {}

  /** As Deeplearning4j restores both files. */
  static void assertSame(String what, byte[] ours, byte[] theirs) throws Exception {
    try (Restored one = Restored.of(ours);
        Restored other = Restored.of(theirs)) {
      assertThat(distance(one.parameterValues(), other.parameterValues()))
          .as("parameters, %s", what)
          .isLessThan(TOLERANCE);
      assertThat(distance(one.stateValues(), other.stateValues()))
          .as("updater state, %s", what)
          .isLessThan(TOLERANCE);
      assertThat(one.configuration()).isEqualTo(other.configuration());
    }
  }

  /** The larger distance of parameters and updater state of two files. */
  static double distance(byte[] left, byte[] right) throws Exception {
    try (Restored one = Restored.of(left);
        Restored other = Restored.of(right)) {
      return Math.max(
          distance(one.parameterValues(), other.parameterValues()),
          distance(one.stateValues(), other.stateValues()));
    }
  }

  /** Relative, in the Euclidean norm. */
  static double distance(float[] left, float[] right) {
    assertThat(left).hasSameSizeAs(right);
    double gap = 0;
    double size = 0;
    for (int i = 0; i < left.length; i++) {
      gap += Math.pow((double) left[i] - right[i], 2);
      size += Math.pow(right[i], 2);
    }
    return Math.sqrt(gap / Math.max(1e-30, size));
  }
}
