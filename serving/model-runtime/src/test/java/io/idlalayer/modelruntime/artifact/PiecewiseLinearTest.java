package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class PiecewiseLinearTest {
  private static final double NAN = Double.NaN;

  private static PiecewiseLinear fed(int bins, double... values) {
    return PiecewiseLinear.empty(1, bins).including(column(values), 0);
  }

  private static List<Sample> column(double... values) {
    return IntStream.range(0, values.length)
        .mapToObj(i -> Sample.of(new double[] {values[i]}, 0))
        .toList();
  }

  private static double[] stream(int count, IntToDoubleFunction value) {
    return IntStream.range(0, count).mapToDouble(value).toArray();
  }

  private static float[] encoded(PiecewiseLinear encoding, double value) {
    float[] into = new float[encoding.bins()];
    encoding.encode(new double[] {value}, into, 0);
    return into;
  }

  @Example
  void encode_evenQuantiles_fillsBinsFromTheLowestOn() {
    PiecewiseLinear encoding = fed(4, 0, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(encoded(encoding, 5)).containsExactly(1, 1, 0.5f, 0);
    assertThat(encoded(encoding, 0)).containsExactly(0, 0, 0, 0);
    assertThat(encoded(encoding, 0.5)).containsExactly(0.25f, 0, 0, 0);
    assertThat(encoded(encoding, 8)).containsExactly(1, 1, 1, 1);
  }

  @Example
  void encode_beyondTheEdges_isClipped() {
    PiecewiseLinear encoding = fed(2, 10, 20, 30);
    assertThat(encoded(encoding, -1e308)).containsExactly(0, 0);
    assertThat(encoded(encoding, Double.NEGATIVE_INFINITY)).containsExactly(0, 0);
    assertThat(encoded(encoding, 1e308)).containsExactly(1, 1);
    assertThat(encoded(encoding, Double.POSITIVE_INFINITY)).containsExactly(1, 1);
    assertThat(encoded(encoding, NAN)).containsExactly(Float.NaN, Float.NaN);
  }

  @Example
  void encode_beforeAnyRow_isZero() {
    PiecewiseLinear encoding = PiecewiseLinear.empty(1, 3);
    assertThat(encoded(encoding, 17)).containsExactly(0, 0, 0);
    assertThat(encoded(encoding, Double.POSITIVE_INFINITY)).containsExactly(0, 0, 0);
  }

  /** The share of ones does not move the flag to another bin. */
  @Example
  void encode_flag_isInItsFirstBin() {
    for (int every : new int[] {2, 3, 5, 9}) {
      PiecewiseLinear encoding = fed(8, stream(100, i -> i % every == 0 ? 1 : 0));
      assertThat(encoded(encoding, 1)).containsExactly(1, 0, 0, 0, 0, 0, 0, 0);
      assertThat(encoded(encoding, 0)).containsOnly(0);
    }
  }

  @Example
  void including_columnsDoNotMix_andMissingValuesDoNotCount() {
    List<Sample> rows = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      rows.add(Sample.of(new double[] {i % 2 == 0 ? NAN : i, 7 * (i % 5)}, 0));
    }
    PiecewiseLinear encoding = PiecewiseLinear.empty(2, 2).including(rows, 0);
    float[] into = new float[5];
    encoding.encode(new double[] {22, 7}, into, 1);
    assertThat(into).containsExactly(0, 1, 0.5f, 0.5f, 0);
  }

  @Example
  void including_aConstantStretch_keepsTheEdges() {
    PiecewiseLinear before = fed(8, stream(20_000, i -> i % 100));
    PiecewiseLinear after = before.including(column(stream(20_000, i -> 3)), 20_000);
    assertThat(after.edges()).isEqualTo(before.edges());
    assertThat(encoded(after, 50)).isEqualTo(encoded(before, 50));
  }

  @Example
  void including_anotherLevel_isFollowedWithinTheWindow() {
    PiecewiseLinear before = fed(8, stream(20_000, i -> i % 100));
    PiecewiseLinear after = before;
    for (int row = 0; row < 2 * PiecewiseLinear.WINDOW; row += 256) {
      after = after.including(column(stream(256, i -> 1_000 + i % 100)), 20_000 + row);
    }
    assertThat(encoded(after, 99)).containsOnly(0);
    float middle = 0;
    for (float each : encoded(after, 1_050)) {
      middle += each;
    }
    assertThat(middle).isBetween(3f, 5f);
  }

  /** The sample takes rows of the whole window, also if no power of two divides it into bins. */
  @Example
  void including_anyNumberOfBins_coversTheWindow() {
    for (int bins = 2; bins <= 8; bins++) {
      PiecewiseLinear encoding = PiecewiseLinear.empty(1, bins);
      for (int row = 0; row < 40_960; row += 256) {
        int from = row;
        encoding = encoding.including(column(stream(256, i -> from + i)), row);
      }
      double remembered = Arrays.stream(encoding.spans()).sum();
      assertThat(remembered)
          .as("rows from the oldest to the newest of the sample, %d bins", bins)
          .isBetween(0.5 * PiecewiseLinear.WINDOW, 1.7 * PiecewiseLinear.WINDOW);
    }
  }

  /** A stream whose period divides any regular interval shows all its values all the same. */
  @Example
  void including_periodicStream_samplesAllPhases() {
    PiecewiseLinear encoding = PiecewiseLinear.empty(1, 8);
    for (int row = 0; row < 40_000; row += 16) {
      int from = row;
      encoding = encoding.including(column(stream(16, i -> (from + i) % 64)), row);
    }
    for (double span : encoding.spans()) {
      assertThat(span).isBetween(3.0, 16.0);
    }
  }

  @Example
  void including_manySmallUpdates_refitsEach256Rows() {
    SplittableRandom random = new SplittableRandom(1);
    PiecewiseLinear encoding = fed(8, stream(5_120, i -> random.nextDouble()));
    int changes = 0;
    for (int row = 0; row < 2_560; row += 16) {
      PiecewiseLinear next =
          encoding.including(column(stream(16, i -> random.nextDouble())), 5_120 + row);
      changes += next.state().fitted() == encoding.state().fitted() ? 0 : 1;
      encoding = next;
    }
    assertThat(changes).isEqualTo(10);
  }

  @Property(tries = 30)
  void encode_isMonotonic_andFullBelowEachPlace(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int bins) {
    SplittableRandom random = new SplittableRandom(seed);
    PiecewiseLinear encoding =
        fed(bins, stream(1 + random.nextInt(300), i -> Math.rint(random.nextDouble() * 20)));
    double[] sorted = stream(40, i -> random.nextDouble() * 30 - 5);
    Arrays.sort(sorted);
    double last = -1;
    for (double value : sorted) {
      float[] places = encoded(encoding, value);
      double sum = 0;
      for (int bin = 0; bin < bins; bin++) {
        assertThat(places[bin]).isBetween(0f, 1f);
        boolean above = bin + 1 < bins && places[bin + 1] > 0;
        assertThat(!above || places[bin] == 1).isTrue();
        sum += places[bin];
      }
      assertThat(sum).isGreaterThanOrEqualTo(last);
      last = sum;
    }
  }

  /** Training and serving have the same doubles, whatever the sizes of the updates were. */
  @Property(tries = 20)
  void scaler_throughItsFile_encodesTheSame(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    FeatureScaler scaler = FeatureScaler.empty(spec(3));
    for (int update = 0; update < 20; update++) {
      List<Sample> rows = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(60); i++) {
        rows.add(
            Sample.of(
                new double[] {random.nextDouble() * 1e9, random.nextInt(3), -random.nextInt(2)},
                0));
      }
      scaler = scaler.including(rows);
      FeatureScaler read = FeatureScaler.decode(scaler.encode());
      float[] expected = new float[24];
      float[] found = new float[24];
      double[] values = {random.nextDouble() * 1e9, random.nextInt(3), random.nextInt(2)};
      scaler.encoding().encode(values, expected, 0);
      read.encoding().encode(values, found, 0);
      assertThat(found).isEqualTo(expected);
      assertThat(read.encode()).isEqualTo(scaler.encode());
      scaler = read;
    }
  }

  private static ModelSpec spec(int width) {
    return new ModelSpec(
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", width, 1)),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("a", "b")),
            null),
        new ModelSpec.Network.Mlp(List.of(4), 4),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
        true);
  }

  @Example
  void bins_areFewerForManyColumns_andNoneForTooMany() {
    assertThat(spec(1).bins()).isEqualTo(8);
    assertThat(spec(64).bins()).isEqualTo(8);
    assertThat(spec(100).bins()).isEqualTo(5);
    assertThat(spec(256).bins()).isEqualTo(2);
    assertThat(spec(257).bins()).isZero();
    assertThat(spec(256).inputWidth()).isEqualTo(256 + 512);
    assertThat(spec(257).encodedMembers()).isZero();
    assertThat(spec(64).encodedMembers()).isEqualTo(2);
  }

  @Example
  void decode_damagedBins_isRefused() throws Exception {
    String file = new String(FeatureScaler.empty(spec(2)).encode(), StandardCharsets.UTF_8);
    assertThat(file).contains("\"bins\":8");
    for (String damaged :
        List.of(
            file.replace("\"bins\":8", "\"bins\":7"),
            file.replace("\"bins\":8", "\"bins\":0"),
            file.replace("\"bins\":8", "\"bins\":2147483647"),
            file.replace("\"fitted\":0", "\"fitted\":1"),
            file.replace("\"sample\":\"\"", "\"sample\":\"AAAA\""),
            file.replace("\"edges\":\"AAAA", "\"edges\":\"f/8A"))) {
      assertThat(damaged).isNotEqualTo(file);
      assertThatThrownBy(() -> FeatureScaler.decode(damaged.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("bins");
    }
  }
}
