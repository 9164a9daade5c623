package io.idlalayer.middleware.embedding.loops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Loops over rows give the bits of formulas that compute one number after the other, for rows of
 * any length at any place and for any numbers, and leave all other numbers as they are.
 */
abstract class RowLoopsContract {
  private static final int MOST_NUMBERS = 300;
  private static final int MOST_AT = 20;

  /** Enough in a try that the JVM's last compiler has compiled them in most tries. */
  private static final int CALLS = 20;

  private static final float[] SPECIAL = {
    0f,
    -0f,
    1f,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.NaN
  };

  private final RowLoops loops;

  RowLoopsContract(TestLoops kind) {
    loops = kind.loops();
  }

  /** Any numbers: usual ones only, or subnormal, special and very large ones among them. */
  private static float[] numbers(SplittableRandom random, int count) {
    float[] numbers = new float[count];
    int special = random.nextInt(3);
    for (int i = 0; i < count; i++) {
      int kind = special == 0 ? 0 : random.nextInt(8 * special);
      numbers[i] =
          switch (kind) {
            case 1 -> SPECIAL[random.nextInt(SPECIAL.length)];
            case 2 -> Float.intBitsToFloat(random.nextInt());
            case 3 -> Float.MIN_NORMAL * (float) random.nextDouble(-2, 2);
            default -> (float) random.nextDouble(-1, 1);
          };
    }
    return numbers;
  }

  private static float number(SplittableRandom random) {
    return random.nextInt(4) == 0 ? numbers(random, 1)[0] : (float) random.nextDouble();
  }

  /** Operands of one call, which are parts of two arrays. */
  private static final class Operands {
    final int count;
    final float share;
    final float[] gradient;
    final int from;
    final float[] values;
    final float[] before;

    /** Where the weights, or the columns, begin, and two kinds of state. */
    final int at;

    final int second;
    final int third;

    Operands(SplittableRandom random) {
      count = random.nextInt(MOST_NUMBERS + 1);
      share = number(random);
      from = random.nextInt(MOST_AT);
      gradient = numbers(random, from + count + random.nextInt(3));
      at = random.nextInt(MOST_AT);
      second = at + count + random.nextInt(2);
      third = second + count + random.nextInt(2);
      values = numbers(random, third + count + random.nextInt(3));
      if (random.nextBoolean()) {
        // These are the values of sums of squares. Others become NaN.
        for (int i = second; i < values.length; i++) {
          values[i] = Math.abs(values[i]);
        }
      }
      before = values.clone();
    }

    float g(int i) {
      return gradient[from + i];
    }
  }

  @Property(tries = 1_000)
  void add_anyNumbers_addsTheShareOfEach(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int call = 0; call < CALLS; call++) {
      Operands it = new Operands(random);
      float[] gradient = it.gradient.clone();
      loops.add(it.gradient, it.from, it.values, it.at, it.count, it.share);
      for (int i = 0; i < it.count; i++) {
        float added = it.share * it.g(i);
        it.before[it.at + i] = it.before[it.at + i] + added;
      }
      assertSame(it);
      assertThat(TestLoops.bits(it.gradient)).isEqualTo(TestLoops.bits(gradient));
    }
  }

  @Property(tries = 1_000)
  void descend_anyNumbers_subtractsTheRateOfEach(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int call = 0; call < CALLS; call++) {
      Operands it = new Operands(random);
      loops.descend(it.values, it.at, it.gradient, it.from, it.count, it.share);
      for (int i = 0; i < it.count; i++) {
        float change = it.share * it.g(i);
        it.before[it.at + i] = it.before[it.at + i] - change;
      }
      assertSame(it);
    }
  }

  @Property(tries = 1_000)
  void adagrad_anyNumbers_updatesEachByItself(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int call = 0; call < CALLS; call++) {
      Operands it = new Operands(random);
      loops.adagrad(
          it.values, it.at, it.values, it.second, it.gradient, it.from, it.count, it.share);
      for (int i = 0; i < it.count; i++) {
        float square = it.g(i) * it.g(i);
        float sum = it.before[it.second + i] + square;
        float root = (float) Math.sqrt(sum);
        float change = it.share * it.g(i);
        change = change / (root + 1e-6f);
        it.before[it.second + i] = sum;
        it.before[it.at + i] = it.before[it.at + i] - change;
      }
      assertSame(it);
    }
  }

  @Property(tries = 1_000)
  void adam_anyNumbers_updatesEachByItself(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int call = 0; call < CALLS; call++) {
      Operands it = new Operands(random);
      loops.adam(
          it.values,
          it.at,
          it.values,
          it.second,
          it.values,
          it.third,
          it.gradient,
          it.from,
          it.count,
          it.share);
      for (int i = 0; i < it.count; i++) {
        float oldMean = (float) 0.9 * it.before[it.second + i];
        float newMean = (float) (1 - 0.9) * it.g(i);
        float mean = oldMean + newMean;
        float oldSpread = (float) 0.999 * it.before[it.third + i];
        float newSpread = (float) (1 - 0.999) * it.g(i);
        newSpread = newSpread * it.g(i);
        float spread = oldSpread + newSpread;
        float root = (float) Math.sqrt(spread);
        float change = it.share * mean;
        change = change / (root + 1e-8f);
        it.before[it.second + i] = mean;
        it.before[it.third + i] = spread;
        it.before[it.at + i] = it.before[it.at + i] - change;
      }
      assertSame(it);
    }
  }

  private static void assertSame(Operands it) {
    assertThat(TestLoops.bits(it.values))
        .as("%d numbers at %d", it.count, it.at)
        .isEqualTo(TestLoops.bits(it.before));
  }
}
