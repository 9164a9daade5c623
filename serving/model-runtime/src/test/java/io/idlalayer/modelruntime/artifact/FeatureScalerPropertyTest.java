package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class FeatureScalerPropertyTest {
  private static final double LIMIT = FeatureScaler.LIMIT;

  @Provide
  Arbitrary<Double> finite() {
    return Arbitraries.oneOf(
        Arbitraries.doubles().between(-Float.MAX_VALUE, Float.MAX_VALUE),
        Arbitraries.doubles().between(-2, 2),
        Arbitraries.of(
            0.0,
            -0.0,
            1.0,
            1e9,
            1.7e12,
            (double) Float.MAX_VALUE,
            (double) -Float.MAX_VALUE,
            Double.MIN_VALUE,
            (double) -Float.MIN_NORMAL));
  }

  private static FeatureScaler fed(FeatureScaler scaler, List<Double> values, int batchSize)
      throws InterruptedException, IOException {
    FeatureScaler fed = scaler;
    for (int from = 0; from < values.size(); from += batchSize) {
      List<Sample> batch = new ArrayList<>();
      for (double value : values.subList(from, Math.min(values.size(), from + batchSize))) {
        batch.add(Sample.of(new double[] {value}, value));
      }
      fed = FeatureScaler.decode(fed.including(batch).encode());
    }
    return fed;
  }

  /** The part of a scaler that does not show: centre and scale of its feature. */
  private static double[] centreAndScale(FeatureScaler scaler) {
    double low = scaler.target().unscaled(-1);
    double high = scaler.target().unscaled(1);
    return new double[] {(low + high) / 2, (high - low) / 2};
  }

  @Property(tries = 400)
  void dense_anyValues_areFiniteAndWithinTheLimit(
      @ForAll boolean enabled,
      @ForAll @Size(max = 150) List<@net.jqwik.api.From("finite") Double> seen,
      @ForAll @IntRange(min = 1, max = 80) int batchSize,
      @ForAll @net.jqwik.api.From("finite") double value)
      throws Exception {
    FeatureScaler scaler = fed(FeatureScaler.empty(1, enabled, true), seen, batchSize);
    double scaled = scaler.dense(0, value);
    assertThat(scaled).isFinite();
    assertThat(scaler.target().scaled(value)).isFinite();
    assertThat(scaler.target().counted(value)).isFinite();
    assertThat(scaler.target().unscaled(scaled)).isFinite();
    assertThat(scaler.target().unscaled(value)).isFinite();
    if (enabled && !seen.isEmpty()) {
      assertThat(scaled).isBetween(-LIMIT, LIMIT);
      assertThat((double) scaler.target().scaled(value)).isBetween(-LIMIT, LIMIT);
    }
    assertThat(scaler.dense(0, Float.NaN)).isNaN();
  }

  @Property(tries = 200)
  void including_oneOutlier_movesNoMoreThanAValueAtTheLimit(
      @ForAll Random random,
      @ForAll @IntRange(min = 64, max = 600) int count,
      @ForAll @IntRange(min = 0, max = 599) int at,
      @ForAll @IntRange(min = 32, max = 600) int batchSize,
      @ForAll @net.jqwik.api.From("finite") double outlier)
      throws Exception {
    List<Double> clean = values(count, () -> 50 + 3 * random.nextGaussian());
    List<Double> dirty = new ArrayList<>(clean);
    dirty.add(at % count, outlier);
    double[] without = centreAndScale(fed(FeatureScaler.empty(1, true, true), clean, batchSize));
    double[] with = centreAndScale(fed(FeatureScaler.empty(1, true, true), dirty, batchSize));
    // A value at the limit moves the mean by limit / n and adds limit^2 / n to the variance; the
    // first values are few, and then other values begin other chunks.
    double share = 1.0 / Math.min(count, 32);
    assertThat(Math.abs(with[0] - without[0])).isLessThan(2 * LIMIT * share * without[1]);
    assertThat(with[1])
        .isBetween(0.6 * without[1], without[1] * Math.sqrt(1 + 2 * LIMIT * LIMIT * share));
  }

  @Property(tries = 60)
  void including_changedLevelAndScale_isFollowedWithin2000Samples(
      @ForAll Random random,
      @ForAll @DoubleRange(min = 5, max = 1e4) double distance,
      @ForAll @DoubleRange(min = -1, max = 6) double exponent,
      @ForAll @IntRange(min = 1, max = 700) int batchSize)
      throws Exception {
    FeatureScaler scaler =
        fed(
            FeatureScaler.empty(1, true, true),
            values(3_000, () -> 10 + 2 * random.nextGaussian()),
            batchSize);
    double wider = Math.pow(10, exponent);
    double level = 10 + distance * 2 * Math.max(1, wider);
    List<Double> shifted = values(2_000, () -> level + 2 * wider * random.nextGaussian());
    double[] now = centreAndScale(fed(scaler, shifted, batchSize));
    double resolution = Math.ulp(level);
    // A step of few deviations is forgotten over the window, a large one starts the column anew.
    double most = distance < 100 ? 1.6 : 0.5;
    double between = distance < 100 ? 0.6 * (level - 10) : 0;
    assertThat(Math.abs(now[0] - level)).isLessThan(most * now[1] + resolution);
    assertThat(now[1]).isBetween(0.8 * wider, 40 * wider + between + resolution);
  }

  @Property(tries = 20)
  void including_smallerUnit_isFollowedWithin5000Samples(@ForAll Random random) throws Exception {
    FeatureScaler scaler =
        fed(
            FeatureScaler.empty(1, true, true),
            values(4_000, () -> 1_000 * random.nextGaussian()),
            500);
    double[] now = centreAndScale(fed(scaler, values(5_000, () -> random.nextGaussian()), 500));
    assertThat(now[1]).isBetween(0.8, 20.0);
  }

  @Property(tries = 60)
  void including_cleanStreamInAnyBatches_scalesByMeanAndDeviation(
      @ForAll Random random, @ForAll @IntRange(min = 1, max = 900) int batchSize) throws Exception {
    List<Double> values = values(4_000, () -> -200 + 40 * random.nextGaussian());
    double[] now = centreAndScale(fed(FeatureScaler.empty(1, true, true), values, batchSize));
    assertThat(now[0]).isCloseTo(-200, within(4.0));
    assertThat(now[1]).isCloseTo(40, within(3.0));
  }

  private static List<Double> values(int count, DoubleSupplier value) {
    Double[] values = new Double[count];
    Arrays.setAll(values, i -> value.getAsDouble());
    return Arrays.asList(values);
  }

  /** Samples of several features whose levels and spreads differ. */
  private static List<Sample> wide(Random random, int rows, int width) {
    List<Sample> samples = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      double[] dense = new double[width];
      for (int i = 0; i < width; i++) {
        dense[i] = (i * 10 + random.nextGaussian() * (i + 1));
      }
      samples.add(Sample.of(dense, random.nextGaussian() * 3));
    }
    return samples;
  }

  @Property(tries = 60)
  void including_manyFeatures_learnsEachAsIfItWereAlone(
      @ForAll boolean target,
      @ForAll @IntRange(min = 1, max = 40) int width,
      @ForAll @IntRange(min = 1, max = 400) int rows,
      @ForAll long seed)
      throws Exception {
    Random random = new Random(seed);
    FeatureScaler together = FeatureScaler.empty(width, true, target);
    List<FeatureScaler> alone = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      alone.add(FeatureScaler.empty(1, true, target));
    }
    for (int update = 0; update < 2; update++) {
      List<Sample> samples = wide(random, rows, width);
      together = together.including(samples);
      for (int i = 0; i < width; i++) {
        int column = i;
        alone.set(
            i,
            alone
                .get(i)
                .including(
                    samples.stream()
                        .map(each -> Sample.of(new double[] {each.dense()[column]}, each.label()))
                        .toList()));
      }
    }
    for (int i = 0; i < width; i++) {
      assertThat(together.linear(i)).isEqualTo(alone.get(i).linear(0));
      assertThat(together.target().linear()).isEqualTo(alone.get(i).target().linear());
    }
  }

  @Property(tries = 200)
  void dense_aRow_isEachValueScaledAndBounded(
      @ForAll boolean enabled,
      @ForAll @Size(min = 3, max = 3) List<@net.jqwik.api.From("finite") Double> values,
      @ForAll long seed)
      throws Exception {
    FeatureScaler scaler =
        FeatureScaler.empty(4, enabled, false).including(wide(new Random(seed), 50, 4));
    double[] row = {values.get(0), values.get(1), values.get(2), Float.NaN};
    float[] scaled = {7, 7, 7, 7, 7, 7};
    scaler.dense(row, scaled, 1);
    float[] expected = {7, 7, 7, 7, 7, 7};
    for (int i = 0; i < row.length; i++) {
      FeatureScaler.Linear linear = scaler.linear(i);
      double deviation = (row[i] - linear.centre()) * linear.factor();
      double bounded = Math.max(-scaler.bound(), Math.min(scaler.bound(), deviation));
      expected[1 + i] = (float) bounded;
      assertThat(Float.floatToIntBits(scaler.dense(i, row[i])))
          .isEqualTo(Float.floatToIntBits(expected[1 + i]));
    }
    assertThat(scaled).containsExactly(expected);
  }
}
