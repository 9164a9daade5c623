package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The scaler of several streams that are read side by side. */
final class MixedScalerTest {
  private static FeatureScaler of(double centre, double scale, int count, long seed)
      throws InterruptedException {
    Random random = new Random(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double value = centre + scale * random.nextGaussian();
      samples.add(Sample.of(new double[] {value, i % 2}, 0));
    }
    return FeatureScaler.empty(2, true, false).including(samples);
  }

  @Test
  void mixed_twoStreams_hasMeanAndVarianceOfBoth() throws Exception {
    FeatureScaler mixed = FeatureScaler.mixed(List.of(of(0, 1, 1_000, 1), of(10, 1, 1_000, 2)));
    assertThat(mixed.linear(0).centre()).isCloseTo(5, within(0.2));
    assertThat(1 / mixed.linear(0).factor()).isCloseTo(Math.sqrt(26), within(0.2));
    assertThat(mixed.linear(1)).isEqualTo(new FeatureScaler.Linear(0, 1));
    assertThat(FeatureScaler.decode(mixed.encode()).encode()).isEqualTo(mixed.encode());
  }

  @Test
  void mixed_streamThatHasSeenNothing_doesNotCount() throws Exception {
    FeatureScaler seen = of(3, 2, 500, 3);
    FeatureScaler mixed = FeatureScaler.mixed(List.of(FeatureScaler.empty(2, true, false), seen));
    assertThat(mixed.linear(0)).isEqualTo(seen.linear(0));
  }

  @Test
  void mixed_flagInOneStreamOnly_isNoFlag() throws Exception {
    List<Sample> others = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      others.add(Sample.of(new double[] {i, 7 + i % 5}, 0));
    }
    FeatureScaler numbers = FeatureScaler.empty(2, true, false).including(others);
    FeatureScaler mixed = FeatureScaler.mixed(List.of(of(0, 1, 200, 4), numbers));
    assertThat(mixed.linear(1).centre()).isGreaterThan(1);
  }

  @Test
  void mixed_columnWithOneValue_staysConstant() throws Exception {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(
                new SampleSchema.DenseFeature("price", 1, 1),
                new SampleSchema.DenseFeature("flag", 1, 1)),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null);
    for (double value : new double[] {0.003467, 0.422915, -1e9 / 3, 1e12 / 7, Double.MIN_VALUE}) {
      List<FeatureScaler> scalers = new ArrayList<>();
      for (int count : new int[] {33, 47, 1_000, 7}) {
        List<Sample> samples = Collections.nCopies(count, Sample.of(new double[] {value, 1}, 0));
        scalers.add(FeatureScaler.empty(2, true, false).including(samples));
        FeatureScaler mixed = FeatureScaler.mixed(scalers);
        assertThat(mixed.state().columns().get(0).mean()).isEqualTo(value);
        assertThat(mixed.state().columns().get(0).variance()).isZero();
        assertThat(CoarseColumn.of(schema, mixed)).isEmpty();
      }
    }
  }

  @Test
  void mixed_anyNumberOfStreams_canBeReadBack() throws Exception {
    Random random = new Random(5);
    for (int streams = 1; streams <= 9; streams++) {
      List<FeatureScaler> scalers = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        // Values that are never 0 or 1, and all equal.
        List<Sample> samples = new ArrayList<>();
        double value = i == 0 ? 1e200 : 3 + random.nextDouble();
        for (int k = 0; k < 1 + random.nextInt(100); k++) {
          samples.add(Sample.of(new double[] {value, 2 + random.nextDouble()}, 0));
        }
        scalers.add(FeatureScaler.empty(2, true, false).including(samples));
      }
      byte[] mixed = FeatureScaler.mixed(scalers).encode();
      assertThat(FeatureScaler.decode(mixed).encode()).isEqualTo(mixed);
    }
  }

  @Test
  void mixed_otherColumns_isRefused() {
    assertThatThrownBy(
            () ->
                FeatureScaler.mixed(
                    List.of(
                        FeatureScaler.empty(2, true, false), FeatureScaler.empty(3, true, false))))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("other columns");
  }

  @Test
  void mixed_encodedStreams_findsTheQuantilesOfBoth() throws Exception {
    PiecewiseLinear one = PiecewiseLinear.empty(1, 4);
    PiecewiseLinear other = PiecewiseLinear.empty(1, 4);
    List<Sample> low = new ArrayList<>();
    List<Sample> high = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      low.add(Sample.of(new double[] {i}, 0));
      high.add(Sample.of(new double[] {64 + i}, 0));
    }
    PiecewiseLinear mixed =
        PiecewiseLinear.mixed(List.of(one.including(low, 0), other.including(high, 0)), 128);
    assertThat(mixed.edges()[0]).isBetween(0.0, 40.0);
    assertThat(mixed.edges()[2]).isBetween(60.0, 100.0);
    assertThat(mixed.state().valid(1, 128)).isTrue();
  }

  @Test
  void mixed_experts_areMeansByShares() throws Exception {
    ServedMixture one = ServedMixture.of(0.8, 0.2, new double[] {0.5, 0.5});
    ServedMixture other = ServedMixture.of(0.4, 0.6, new double[] {0.9, 0.1});
    ServedMixture mixed = ServedMixture.mixed(List.of(one, other), new double[] {0.75, 0.25});
    assertThat(mixed.networkWeight()).isCloseTo(0.7, within(1e-12));
    assertThat(mixed.experts().get(1).values())
        .containsExactly(new double[] {0.6, 0.4}, within(1e-12));
  }
}
