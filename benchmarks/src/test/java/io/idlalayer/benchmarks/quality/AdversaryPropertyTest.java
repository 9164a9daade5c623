package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class AdversaryPropertyTest {
  private static DriftStream stream(int rows, int classes) {
    Sample[] samples = new Sample[rows];
    for (int i = 0; i < rows; i++) {
      samples[i] = Sample.of(new double[] {i}, i % classes);
    }
    List<String> names = IntStream.range(0, classes).mapToObj(Integer::toString).toList();
    return DriftStream.clean("rows", DriftStreams.schema(1, names), samples);
  }

  @Property(tries = 30)
  void apply_withoutRepetitions_keepsOrderAndTrueLabels(
      @ForAll @DoubleRange(min = 0, max = 1) double flips,
      @ForAll @DoubleRange(min = 0, max = 0.5) double duplicates,
      @ForAll @IntRange(min = 2, max = 5) int classes,
      @ForAll long seed) {
    DriftStream clean = stream(3_000, classes);
    DriftStream worse = new Adversary(flips, duplicates).apply(clean, seed);
    int row = 0;
    for (int i = 0; i < worse.size(); i++) {
      if (!worse.repeated()[i]) {
        assertThat(worse.samples()[i].dense()[0]).isEqualTo(row);
        assertThat(worse.trueLabels()[i]).isEqualTo(row % classes);
        row++;
      }
    }
    assertThat(row).isEqualTo(clean.size()).isEqualTo(worse.scored());
  }

  @Property(tries = 30)
  void apply_repetition_hasTheContentOfARecentRow(
      @ForAll @DoubleRange(min = 0, max = 1) double flips, @ForAll long seed) {
    DriftStream worse = new Adversary(flips, 0.5).apply(stream(3_000, 3), seed);
    Sample[] rows = new Sample[3_000];
    int row = -1;
    for (int i = 0; i < worse.size(); i++) {
      Sample sample = worse.samples()[i];
      if (!worse.repeated()[i]) {
        rows[++row] = sample;
        continue;
      }
      int of = (int) sample.dense()[0];
      assertThat(of).isBetween(Math.max(0, row - Adversary.DUPLICATE_DISTANCE_MAX + 1), row);
      assertThat(ContentHasher.of(sample)).isEqualTo(ContentHasher.of(rows[of]));
      assertThat(worse.trueLabels()[i]).isEqualTo(of % 3);
    }
  }

  @Property(tries = 30)
  void apply_shares_areAsRequested(
      @ForAll @DoubleRange(min = 0, max = 1) double flips,
      @ForAll @DoubleRange(min = 0, max = 0.5) double duplicates,
      @ForAll long seed) {
    DriftStream worse = new Adversary(flips, duplicates).apply(stream(5_000, 4), seed);
    int wrong = 0;
    for (int i = 0; i < worse.size(); i++) {
      wrong += !worse.repeated()[i] && worse.samples()[i].label() != worse.trueLabels()[i] ? 1 : 0;
    }
    assertThat(wrong / 5_000.0).isCloseTo(flips, within(0.04));
    assertThat(1 - 5_000.0 / worse.size()).isCloseTo(duplicates, within(0.04));
  }

  @Example
  void apply_sameSeed_givesTheSameStream() {
    Adversary adversary = new Adversary(0.3, 0.3);
    double[] first = labels(adversary.apply(stream(500, 3), 7));
    assertThat(labels(adversary.apply(stream(500, 3), 7))).isEqualTo(first);
    assertThat(labels(adversary.apply(stream(500, 3), 8))).isNotEqualTo(first);
  }

  private static double[] labels(DriftStream stream) {
    double[] labels = new double[stream.size()];
    for (int i = 0; i < labels.length; i++) {
      labels[i] = stream.samples()[i].label();
    }
    return labels;
  }

  @Example
  void adversary_shareOutOfRange_isRefused() {
    assertThatThrownBy(() -> new Adversary(1.1, 0)).hasMessageContaining("1.1");
    assertThatThrownBy(() -> new Adversary(0, 0.6)).hasMessageContaining("0.6");
    assertThatThrownBy(() -> new Adversary(Double.NaN, 0)).hasMessageContaining("NaN");
  }
}
