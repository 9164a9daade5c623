package io.idlalayer.benchmarks.rows.fixed;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A table whose rows move gives the same bits as a plain array, in any order of phases. */
final class FixedTablePropertyTest {
  private static final int ROWS = 30;
  private static final int DIM = 5;

  private static int[] ends(SplittableRandom random) {
    int[] ends = new int[random.nextInt(0, 5)];
    int end = 0;
    for (int bag = 0; bag < ends.length; bag++) {
      end += random.nextInt(0, 8);
      ends[bag] = end;
    }
    return ends;
  }

  private static float[] pooled(float[][] model, int[] rows, int[] ends, IdPooling pooling) {
    float[] sums = new float[ends.length * DIM];
    int use = 0;
    for (int bag = 0; bag < ends.length; bag++) {
      int own = ends[bag] - use;
      for (; use < ends[bag]; use++) {
        for (int k = 0; k < DIM; k++) {
          sums[bag * DIM + k] += model[rows[use]][k];
        }
      }
      for (int k = 0; k < DIM && pooling == IdPooling.MEAN && own > 0; k++) {
        sums[bag * DIM + k] /= own;
      }
    }
    return sums;
  }

  private static void train(
      float[][] model, int[] rows, int[] ends, IdPooling pooling, float[] gradients) {
    float[][] sums = new float[ROWS][DIM];
    boolean[] used = new boolean[ROWS];
    int use = 0;
    for (int bag = 0; bag < ends.length; bag++) {
      float share = pooling == IdPooling.MEAN ? 1f / Math.max(1, ends[bag] - use) : 1f;
      for (; use < ends[bag]; use++) {
        used[rows[use]] = true;
        for (int k = 0; k < DIM; k++) {
          sums[rows[use]][k] += share * gradients[bag * DIM + k];
        }
      }
    }
    for (int row = 0; row < ROWS; row++) {
      for (int k = 0; k < DIM && used[row]; k++) {
        model[row][k] -= 0.1f * sums[row][k];
      }
    }
  }

  @Property(tries = 300)
  void table_anyPhases_equalsArray(
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 2) int policyIndex,
      @ForAll @IntRange(min = 1, max = 7) int pageRows,
      @ForAll @IntRange(min = 0, max = 2_500) int lower,
      @ForAll @IntRange(min = 0, max = 700) int slack) {
    FixedPolicy policy =
        switch (policyIndex) {
          case 0 -> new FixedPolicy.Simple();
          case 1 -> new FixedPolicy.Random(seed);
          default -> new FixedPolicy.Dynamic();
        };
    BaseRows base = BaseRows.heap(ROWS, DIM);
    FixedTable table = new FixedTable(base, policy, pageRows, lower, slack);
    float[][] model = new float[ROWS][DIM];
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 60; step++) {
      int[] ends = ends(random);
      int uses = ends.length == 0 ? 0 : ends[ends.length - 1];
      int[] rows = random.ints(uses, 0, ROWS).toArray();
      IdPooling pooling = random.nextBoolean() ? IdPooling.SUM : IdPooling.MEAN;
      float[] numbers = new float[ends.length * DIM];
      switch (random.nextInt(4)) {
        case 0 -> {
          for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) random.nextDouble(-1, 1);
          }
          table.phase(Phase.UPDATE);
          table.applySgd(rows, ends, pooling, numbers, 0.1f);
          train(model, rows, ends, pooling, numbers);
          table.phase(Phase.FORWARD);
        }
        case 1 -> {
          table.phase(Phase.FLUSH);
          table.flushDirty();
          table.phase(Phase.FORWARD);
        }
        default -> {
          table.lookupPooled(rows, ends, pooling, numbers);
          assertThat(numbers).containsExactly(pooled(model, rows, ends, pooling));
        }
      }
      assertThat(table.consistent()).isTrue();
      assertThat(table.cacheBytes()).isLessThanOrEqualTo(lower + slack);
    }
    if (policyIndex == 2) {
      table.setCacheLower(0);
    }
    table.phase(Phase.FLUSH);
    table.flushDirty();
    float[] stored = new float[DIM];
    for (int row = 0; row < ROWS; row++) {
      base.read(row, stored, 0);
      assertThat(stored).containsExactly(model[row]);
    }
  }
}
