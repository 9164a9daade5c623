package io.idlalayer.middleware.embedding.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.loops.TestLoops;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Sums and updates of rows of any length give the bits that each number gives by itself. */
final class LongRowsPropertyTest {
  private static final double RATE = 0.05;

  private static float[] numbers(SplittableRandom random, int count) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = (float) random.nextDouble(-1, 1);
    }
    return numbers;
  }

  @Property(tries = 300)
  void apply_rowsOfAnyLength_updatesEachWeightByItself(
      @ForAll long seed,
      @ForAll TestLoops loops,
      @ForAll @IntRange(min = 1, max = 200) int weights) {
    SplittableRandom random = new SplittableRandom(seed);
    for (RowUpdater updater : RowUpdater.values()) {
      if (updater == RowUpdater.ROW_WISE_ADAGRAD) {
        continue;
      }
      RowLayout layout = new RowLayout(weights, updater);
      int at = random.nextInt(5);
      int states = layout.stride() / weights;
      float[] row = numbers(random, at + layout.stride() + 3);
      // Sums of squares are not negative.
      for (int i = at + weights; i < row.length; i++) {
        row[i] = Math.abs(row[i]);
      }
      float[] before = row.clone();
      RowStep step = new RowStep(layout, RATE, loops.loops());
      RowStep single = new RowStep(new RowLayout(1, updater), RATE, TestLoops.PLAIN.loops());
      float[][] alone = new float[weights][states];
      for (int i = 0; i < weights; i++) {
        for (int k = 0; k < states; k++) {
          alone[i][k] = row[at + k * weights + i];
        }
      }
      for (int update = 1; update <= 3; update++) {
        float[] gradient = numbers(random, weights);
        step.apply(row, at, gradient, update);
        for (int i = 0; i < weights; i++) {
          single.apply(alone[i], 0, new float[] {gradient[i]}, update);
        }
      }
      for (int i = 0; i < weights; i++) {
        for (int k = 0; k < states; k++) {
          assertThat(row[at + k * weights + i]).isEqualTo(alone[i][k]);
        }
      }
      int end = at + layout.stride();
      assertThat(Arrays.copyOf(row, at)).isEqualTo(Arrays.copyOf(before, at));
      assertThat(Arrays.copyOfRange(row, end, row.length))
          .isEqualTo(Arrays.copyOfRange(before, end, before.length));
    }
  }

  @Property(tries = 100)
  void apply_rowWiseAdagrad_hasOneRateForTheRow(
      @ForAll long seed,
      @ForAll TestLoops loops,
      @ForAll @IntRange(min = 1, max = 200) int weights) {
    SplittableRandom random = new SplittableRandom(seed);
    float[] row = numbers(random, weights + 1);
    row[weights] = Math.abs(row[weights]);
    float[] gradient = numbers(random, weights);
    float squares = 0;
    for (float g : gradient) {
      squares += g * g;
    }
    float sum = row[weights] + squares / weights;
    float rate = (float) RATE / ((float) Math.sqrt(sum) + 1e-6f);
    float[] expected = row.clone();
    expected[weights] = sum;
    for (int i = 0; i < weights; i++) {
      expected[i] -= rate * gradient[i];
    }
    RowStep step =
        new RowStep(new RowLayout(weights, RowUpdater.ROW_WISE_ADAGRAD), RATE, loops.loops());
    step.apply(row, 0, gradient, 1);
    assertThat(row).isEqualTo(expected);
  }

  @Property(tries = 300)
  void sum_rowsOfAnyLength_addsInTheOrderOfUses(
      @ForAll long seed,
      @ForAll TestLoops loops,
      @ForAll @IntRange(min = 1, max = 200) int length) {
    SplittableRandom random = new SplittableRandom(seed);
    RowSum sum = new RowSum(loops.loops());
    for (int turn = 0; turn < 3; turn++) {
      int count = turn == 1 ? 1 + random.nextInt(length) : length;
      int at = random.nextInt(4);
      float[] columns = numbers(random, at + count + 2);
      float[] expected = columns.clone();
      sum.begin(columns, at, count);
      int uses = random.nextInt(6);
      for (int use = 0; use < uses; use++) {
        int from = random.nextInt(7);
        float[] rows = numbers(random, from + count + 1);
        float share = (float) random.nextDouble();
        sum.add(rows, from, share);
        for (int i = 0; i < count; i++) {
          expected[at + i] += share * rows[from + i];
        }
      }
      sum.end();
      assertThat(columns).isEqualTo(expected);
    }
  }
}
