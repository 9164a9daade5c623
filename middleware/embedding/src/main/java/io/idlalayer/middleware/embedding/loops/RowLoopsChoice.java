package io.idlalayer.middleware.embedding.loops;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the {@link RowLoops} of a process: those with the Vector API if the JVM has it and they
 * give the same bits as the plain ones, otherwise the plain ones.
 *
 * @param failure why the Vector API is not used although the JVM has it; null if the Vector API is
 *     used, or if the JVM does not have it
 */
record RowLoopsChoice(RowLoops loops, @Nullable String failure) {
  /**
   * Largest row length in the comparison: three of the widest vector registers, and some numbers
   * left over.
   */
  private static final int MOST_NUMBERS = 3 * 64 + 63;

  /**
   * Index at which each operand begins; the comparison also checks that the numbers before it stay
   * unchanged.
   */
  private static final int AT = 3;

  private static final float RATE = 0.05f;
  private static final float[] SPECIAL = {
    -0f, Float.MIN_VALUE, -Float.MIN_NORMAL, Float.MAX_VALUE, Float.NEGATIVE_INFINITY, Float.NaN
  };

  /** Interval of special values, such as infinities, among the test numbers. */
  private static final int SPECIAL_EVERY = 7;

  /**
   * Chooses the loops of this process.
   *
   * @param hasVectorApi whether the JVM has the module of the Vector API
   * @param vector makes the loops that use it; called only if the JVM has it
   */
  static RowLoopsChoice of(boolean hasVectorApi, Callable<RowLoops> vector) {
    RowLoops plain = new PlainRowLoops();
    if (!hasVectorApi) {
      return new RowLoopsChoice(plain, null);
    }
    try {
      RowLoops loops = vector.call();
      String difference = difference(plain, loops);
      return new RowLoopsChoice(difference == null ? loops : plain, difference);
    } catch (Exception | LinkageError failed) {
      return new RowLoopsChoice(plain, cause(failed).toString());
    }
  }

  /** Returns the cause of an exception that reflection has wrapped. */
  private static Throwable cause(Throwable failed) {
    Throwable cause = failed.getCause();
    return failed instanceof ReflectiveOperationException && cause != null ? cause : failed;
  }

  /**
   * Describes the first difference between the results of other loops and those of the plain ones;
   * null if there is none.
   */
  private static @Nullable String difference(RowLoops plain, RowLoops others) {
    for (int count = 1; count <= MOST_NUMBERS; count = 2 * count + 1) {
      if (!Arrays.equals(computed(plain, count), computed(others, count))) {
        return String.format(Locale.ROOT, "it computes rows of %d numbers differently", count);
      }
    }
    return null;
  }

  /** Returns the results of all operations on test numbers, with the numbers around them. */
  private static float[] computed(RowLoops loops, int count) {
    int stride = AT + count;
    float[] gradient = numbers(stride, 1);
    float[] values = numbers(7 * stride, 2);
    int first = AT;
    loops.add(gradient, AT, values, first, count, RATE);
    int second = first + stride;
    loops.descend(values, second, gradient, AT, count, RATE);
    int third = second + stride;
    loops.adagrad(values, third, values, third + stride, gradient, AT, count, RATE);
    int fifth = third + 2 * stride;
    loops.adam(
        values,
        fifth,
        values,
        fifth + stride,
        values,
        fifth + 2 * stride,
        gradient,
        AT,
        count,
        RATE);
    return values;
  }

  /** Returns test numbers of many magnitudes, about half of them negative. */
  private static float[] numbers(int count, int seed) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      int bits = (i + 1) * seed * 0x9E3779B9;
      numbers[i] =
          i % SPECIAL_EVERY == 0
              ? SPECIAL[i / SPECIAL_EVERY % SPECIAL.length]
              : Math.scalb((float) bits, -31 - (bits >>> 28));
    }
    return numbers;
  }
}
