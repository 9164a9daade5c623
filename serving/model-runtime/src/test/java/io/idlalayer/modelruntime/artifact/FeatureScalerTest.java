package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

final class FeatureScalerTest {
  private static List<Sample> column(int count, IntToDoubleFunction value) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(Sample.of(new double[] {(float) value.applyAsDouble(i)}, 0));
    }
    return samples;
  }

  private static FeatureScaler fed(List<Sample> samples) throws InterruptedException {
    return FeatureScaler.empty(1, true, false).including(samples);
  }

  private static FeatureScaler ofRates(boolean standardize) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(SampleSchema.DenseFeature.of("x")),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()),
            null);
    ModelSpec.Fit fit = new ModelSpec.Fit(1, 1, ModelSpec.Updater.SGD, 1, 0);
    ModelSpec.Network network = new ModelSpec.Network.Mlp(List.of());
    return FeatureScaler.empty(
        new ModelSpec(schema, network, fit, standardize).with(TargetLoss.POISSON));
  }

  private static List<Sample> targets(int count, IntToDoubleFunction value) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(Sample.of(new double[] {0}, value.applyAsDouble(i)));
    }
    return samples;
  }

  @Test
  void target_ofARate_isDividedByTheMeanAndNotShifted() throws Exception {
    FeatureScaler scaler = ofRates(true).including(targets(1_000, i -> 900 + i % 200));
    assertThat(scaler.target().scaled(0)).isEqualTo((float) (scaler.target().counted(0) / 999.5));
    assertThat(scaler.target().scaled(1_000)).isCloseTo(1, within(0.01f));
    assertThat(scaler.target().unscaled(1)).isCloseTo(999.5, within(5.0));
    assertThat(scaler.target().unscaled(0)).isZero();
    assertThat(FeatureScaler.decode(scaler.encode()).target().unscaled(1))
        .isEqualTo(scaler.target().unscaled(1));
  }

  @Test
  void target_ofARateThatIsNotScaled_staysAsItIs() throws Exception {
    FeatureScaler scaler = ofRates(false).including(targets(1_000, i -> 900 + i % 200));
    assertThat(scaler.target().scaled(950)).isEqualTo(950);
    assertThat(scaler.target().unscaled(950)).isEqualTo(950);
  }

  /** Values beyond the limit that are less than one in 64 would make the scale collapse. */
  @Test
  void target_ofRareCounts_countsInFull() throws Exception {
    FeatureScaler scaler = ofRates(true);
    for (int batch = 0; batch < 40; batch++) {
      scaler = scaler.including(targets(1_000, i -> i % 200 == 0 ? 1 : 0));
    }
    assertThat(scaler.target().counted(1)).isEqualTo(1);
    assertThat(scaler.target().counted(5)).isEqualTo(5);
    assertThat(scaler.target().counted(1e9)).isLessThan(20);
    assertThat(scaler.target().scaled(1)).isEqualTo(10);
  }

  @Test
  void dense_flagWithAWildValue_staysAsItIs() throws Exception {
    FeatureScaler scaler = fed(column(500, i -> i == 300 ? 1e9 : i % 50 == 0 ? 1 : 0));
    assertThat(scaler.dense(0, 0)).isZero();
    assertThat(scaler.dense(0, 1)).isEqualTo(1);
    assertThat(scaler.dense(0, 1e9f)).isEqualTo((float) FeatureScaler.LIMIT);
  }

  @Test
  void dense_flagThatBecomesANumber_isScaled() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    FeatureScaler scaler =
        fed(column(500, i -> i % 2)).including(column(2_000, i -> random.nextInt(100)));
    assertThat(scaler.dense(0, 50)).isCloseTo(0, within(1f));
    assertThat(scaler.dense(0, 99) - scaler.dense(0, 0)).isBetween(2f, 5f);
  }

  @Test
  void including_wildFirstValue_isForgotten() throws Exception {
    FeatureScaler scaler = fed(column(1, i -> 3e38));
    for (int i = 0; i < 10; i++) {
      int at = i;
      scaler = scaler.including(column(1, k -> at % 5));
    }
    assertThat(scaler.dense(0, 4) - scaler.dense(0, 0)).isGreaterThan(0.5f);
  }

  @Test
  void including_burstOfOutliers_movesNothingFar() throws Exception {
    SplittableRandom random = new SplittableRandom(2);
    FeatureScaler scaler =
        fed(column(4_000, i -> random.nextDouble()))
            .including(column(60, i -> 1e12))
            .including(column(2_000, i -> random.nextDouble()));
    assertThat(scaler.dense(0, 1) - scaler.dense(0, 0)).isGreaterThan(1);
  }

  @Test
  void dense_mostlyZeroColumn_tellsItsOtherValuesApart() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    FeatureScaler scaler = FeatureScaler.empty(1, true, false);
    for (int batch = 0; batch < 8; batch++) {
      scaler =
          scaler.including(
              column(500, i -> random.nextInt(10) == 0 ? 100 + random.nextInt(900) : 0));
    }
    assertThat(scaler.dense(0, 900) - scaler.dense(0, 200)).isGreaterThan(1);
  }

  @Test
  void including_twoDistantGroups_areNoOutliersOfEachOther() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    FeatureScaler scaler = FeatureScaler.empty(1, true, false);
    for (int batch = 0; batch < 12; batch++) {
      scaler =
          scaler.including(
              column(500, i -> (random.nextInt(10) < 4 ? 1_000 : 0) + random.nextDouble()));
    }
    assertThat(scaler.dense(0, 1_000) - scaler.dense(0, 0)).isBetween(1.5f, 4f);
  }

  @Test
  void dense_off_boundsWildValuesOnly() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    List<Sample> images = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      images.add(Sample.of(new double[] {random.nextInt(256), 255, 0}, 0));
    }
    images.add(Sample.of(new double[] {0, 3e38f, 0}, 0));
    FeatureScaler scaler = FeatureScaler.empty(3, false, false).including(images);
    assertThat(scaler.dense(2, 255)).isEqualTo(255);
    assertThat(scaler.dense(1, 3e38f)).isBetween(500f, 600f);
    assertThat(scaler.dense(1, -3e38f)).isBetween(-600f, -500f);
  }

  @Test
  void including_interrupted_ends() {
    List<Sample> samples = column(10, i -> i);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> fed(samples)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }
}
