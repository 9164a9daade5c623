package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a column follows within 1,000 values, at any age and in any batches, and what it does not.
 */
final class RobustColumnTest {
  private static final int[] AGES = {64, 100, 300, 600, 1_500, 5_000, 20_000};
  private static final int[] BATCHES = {1, 44, 300, 1_024, 4_000};
  private static final int UNTIL_FOLLOWED = 1_000;

  private final SplittableRandom random = new SplittableRandom(1);

  private double active(double share, double value) {
    return random.nextDouble() < share ? value : 0;
  }

  private double normal(double mean, double deviation) {
    return mean + deviation * random.nextGaussian();
  }

  private static RobustColumn.State fed(int count, int batch, IntToDoubleFunction value) {
    RobustColumn column = new RobustColumn(RobustColumn.State.empty());
    for (int from = 0; from < count; from += batch) {
      double[] values = new double[Math.min(batch, count - from)];
      for (int i = 0; i < values.length; i++) {
        values[i] = value.applyAsDouble(from + i);
      }
      column.include(values, from);
    }
    return column.state();
  }

  private static double scale(RobustColumn.State state) {
    return RobustColumn.scale(state.mean(), state.variance());
  }

  /** Feeds one stream and then another, at all ages and in all batches. */
  private void follow(
      IntToDoubleFunction before, IntToDoubleFunction after, double mean, double deviation) {
    for (int age : AGES) {
      for (int batch : BATCHES) {
        if (batch > age) {
          continue;
        }
        RobustColumn.State now =
            fed(
                age + UNTIL_FOLLOWED,
                batch,
                i -> i < age ? before.applyAsDouble(i) : after.applyAsDouble(i));
        assertThat(Math.abs(now.mean() - mean))
            .as("centre after %d in batches of %d", age, batch)
            .isLessThan(3 * deviation);
        assertThat(scale(now))
            .as("scale after %d in batches of %d", age, batch)
            .isBetween(0.5 * deviation, 6 * deviation);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-40, 1e-15, 1e-9, 1e-3, 0.1, 0.15, 5, 10, 1e3, 1e9, 1e30, -1e3})
  void include_otherUnit_isFollowed(double factor) {
    follow(i -> normal(1, 1), i -> factor * normal(1, 1), factor, Math.abs(factor));
  }

  @ParameterizedTest
  @ValueSource(doubles = {4, -10, 100, 1e6})
  void include_otherLevel_isFollowed(double level) {
    follow(i -> normal(0, 1), i -> normal(level, 1), level, 1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-40, 1e-15, 1e-9, 1e-3, 1, 1e3, 1e9, 1e30})
  void include_fromConstant_isFollowed(double unit) {
    follow(i -> 5, i -> normal(unit, unit), unit, unit);
    follow(i -> 0, i -> normal(unit, unit), unit, unit);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-3, 1e3, 1e9})
  void include_otherUnitOfAColumnOfManyZeros_isFollowed(double factor) {
    double deviation = Math.sqrt(0.1 * 10 - 0.09);
    follow(
        i -> active(0.1, normal(3, 1)),
        i -> active(0.1, factor * normal(3, 1)),
        0.3 * factor,
        deviation * factor);
  }

  @ParameterizedTest
  @CsvSource({"1,1e-9", "1,7", "1e-3,7", "1e6,7", "1e6,-1e9", "1e-6,0"})
  void include_toConstant_leavesAScaleThatIsSmall(double unit, double constant) {
    for (int age : AGES) {
      for (int batch : BATCHES) {
        if (batch <= age) {
          RobustColumn.State now =
              fed(age + UNTIL_FOLLOWED, batch, i -> i < age ? normal(unit, unit) : constant);
          assertThat(now.mean())
              .as("after %d in batches of %d", age, batch)
              .isCloseTo(constant, within(1e-9 + 1e-6 * Math.abs(constant)));
          assertThat(scale(now)).isLessThan(Math.max(unit / 50, 3e-9 * Math.abs(constant)));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 0.01, 100, 1e9})
  void include_unitThatChangesOver2000Values_isFollowed(double factor) {
    for (int age : AGES) {
      RobustColumn.State now =
          fed(
              age + 3_000,
              44,
              i -> normal(1, 1) * Math.pow(factor, Math.max(0, Math.min(1, (i - age) / 2_000.0))));
      assertThat(Math.abs(now.mean() - factor)).as("after %d", age).isLessThan(3 * factor);
      assertThat(scale(now)).as("after %d", age).isBetween(0.5 * factor, 7 * factor);
    }
  }

  /**
   * The last start anew within the change must not leave the scale of larger values behind. Its
   * place is chance, therefore several ages, batches and factors are tried.
   */
  @ParameterizedTest
  @ValueSource(ints = {500, 2_000})
  void include_unitThatShrinksGradually_leavesNoWideScale(int gradual) {
    for (int age : AGES) {
      for (int batch : new int[] {3, 44, 300}) {
        for (int exponent = -9; exponent <= -3; exponent++) {
          double factor = Math.pow(10, exponent);
          RobustColumn.State now =
              fed(
                  age + gradual + UNTIL_FOLLOWED,
                  batch,
                  i -> {
                    double part = Math.max(0, Math.min(1, (i - age) / (double) gradual));
                    return Math.pow(factor, part) * normal(1, 1);
                  });
          assertThat(scale(now) / factor)
              .as("factor %s after %d in batches of %d", factor, age, batch)
              .isBetween(0.5, 4.0);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1,1e9", "1,3e38", "60,1e12", "150,-1e6"})
  void include_outliersInARow_moveNothing(int count, double value) {
    for (int age : new int[] {600, 1_500, 5_000}) {
      RobustColumn.State now =
          fed(age + 400, 100, i -> i >= age && i < age + count ? value : normal(0, 1));
      assertThat(Math.abs(now.mean())).as("after %d", age).isLessThan(1);
      assertThat(scale(now)).as("after %d", age).isBetween(0.8, 2.5);
    }
  }

  @Test
  void include_outliersOfOneInAHundred_areNoTail() {
    RobustColumn.State now = fed(20_000, 100, i -> random.nextInt(100) == 0 ? 1e9 : normal(0, 1));
    assertThat(scale(now)).isLessThan(30);
  }

  @ParameterizedTest
  @ValueSource(ints = {2_000, 10_000})
  void include_waves_keepTheirScale(int period) {
    for (int end = 20_000; end < 30_000; end += 1_250) {
      RobustColumn.State now =
          fed(end, 100, i -> normal(0, 1) + 10 * Math.sin(2 * Math.PI * i / period));
      assertThat(scale(now)).as("after %d", end).isBetween(5.0, 9.0);
    }
  }

  @Test
  void include_fewValuesAmongZeros_isNoConstant() {
    for (int end = 10_000; end < 20_000; end += 1_000) {
      RobustColumn.State now = fed(end, 44, i -> active(0.05, normal(3, 1)));
      assertThat(scale(now)).as("after %d", end).isBetween(0.4, 1.5);
    }
  }

  @Test
  void state_savedAndReadBack_goesOnAlike() {
    double[] values = new double[3_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (i < 2_000 ? normal(1, 1) : normal(1e3, 1e3));
    }
    RobustColumn whole = new RobustColumn(RobustColumn.State.empty());
    RobustColumn.State state = RobustColumn.State.empty();
    for (int from = 0; from < values.length; from += 50) {
      double[] part = Arrays.copyOfRange(values, from, from + 50);
      whole.include(part, from);
      RobustColumn restored = new RobustColumn(state);
      restored.include(part, from);
      state = restored.state();
      assertThat(state.valid()).isTrue();
    }
    assertThat(state.mean()).isEqualTo(whole.state().mean());
    assertThat(state.variance()).isEqualTo(whole.state().variance());
    assertThat(state.history()).isEqualTo(whole.state().history());
  }
}
