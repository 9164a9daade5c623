package io.idlalayer.modelcontroller.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;

/** The exponential histogram against a window that keeps everything. */
final class AdwinPropertyTest {
  private static double loss(SplittableRandom random, int level) {
    if (random.nextInt(1_000) == 0) {
      return random.nextInt(2) == 0 ? 1e4 : -50;
    }
    double noise = level % 2 == 0 ? random.nextDouble() : -Math.log(1 - random.nextDouble());
    return 0.5 * level + noise;
  }

  @Property(tries = 80)
  void observe_changingLevels_cutsWhereTheExactWindowDoes(
      @ForAll @Size(min = 1, max = 6) List<@IntRange(min = -4, max = 12) Integer> levels,
      @ForAll @IntRange(min = 100, max = 400) int length,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Adwin adwin = new Adwin(0.002);
    AdwinModel model = new AdwinModel(0.002);
    int alarms = 0;
    for (int level : levels) {
      for (int i = 0; i < length; i++) {
        double value = loss(random, level);
        boolean expected = model.observe(value);
        assertThat(adwin.observe(value)).isEqualTo(expected);
        alarms += expected ? 1 : 0;
      }
      List<Double> window = model.window();
      double scale = 1e-7 * Math.max(1, model.highest() - model.lowest());
      double mean = window.stream().mapToDouble(v -> v).average().orElseThrow();
      assertThat(adwin.window()).isEqualTo(window.size());
      assertThat(adwin.since()).isCloseTo(mean, within(scale));
      assertThat(adwin.before()).isCloseTo(model.before(), within(scale));
      // The range that the cut charges is never narrower than the window.
      assertThat(model.lowest()).isLessThanOrEqualTo(Collections.min(window) + scale);
      assertThat(model.highest()).isGreaterThanOrEqualTo(Collections.max(window) - scale);
    }
    Statistics.label("alarms").collect(alarms > 0 ? "some" : "none");
    Statistics.label("alarms").coverage(c -> c.check("some").percentage(p -> p > 10));
  }

  @Property(tries = 50)
  void observe_lossInAnotherUnit_cutsAlike(
      @ForAll long seed, @ForAll @IntRange(min = -60, max = 60) int power) {
    double unit = Math.scalb(1.0, power);
    SplittableRandom random = new SplittableRandom(seed);
    Adwin one = new Adwin(0.002);
    Adwin other = new Adwin(0.002);
    for (int i = 0; i < 2_000; i++) {
      double value = loss(random, i < 1_000 ? 0 : 3);
      assertThat(other.observe(unit * value)).isEqualTo(one.observe(value));
    }
    assertThat(other.window()).isEqualTo(one.window());
  }
}
