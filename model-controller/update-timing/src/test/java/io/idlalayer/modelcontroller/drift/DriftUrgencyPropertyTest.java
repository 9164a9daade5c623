package io.idlalayer.modelcontroller.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.drift.DriftSettings.Detector;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class DriftUrgencyPropertyTest {
  private static final double[] WILD = {
    Double.NaN, Double.POSITIVE_INFINITY, Double.MAX_VALUE, 1e300, -1e300, 1e139, -1e139, 0
  };

  @Property(tries = 200)
  void urgency_anyLosses_isBoundedSteadyAndRestored(
      @ForAll Detector kind,
      @ForAll @DoubleRange(min = 0, max = 1e6) double secondsPerLoss,
      @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 0, max = 20) Integer> levels,
      @ForAll long seed) {
    DriftSettings settings = new DriftSettings(kind, secondsPerLoss);
    SplittableRandom random = new SplittableRandom(seed);
    DriftUrgency regret = new DriftUrgency(settings);
    int sinceChange = Integer.MAX_VALUE / 2;
    for (int level : levels) {
      for (int i = 0; i < 500; i++) {
        boolean wild = random.nextInt(100) == 0;
        double loss = wild ? WILD[random.nextInt(WILD.length)] : level + random.nextDouble();
        double before = regret.urgency();
        boolean changed = regret.observe(loss);
        assertThat(changed).isEqualTo(regret.urgency() != before);
        assertThat(regret.urgency()).isBetween(1.0, 1000.0);
        sinceChange++;
        if (changed) {
          assertThat(sinceChange).isGreaterThanOrEqualTo(32);
          sinceChange = 0;
        }
        if (random.nextInt(300) == 0) {
          before = regret.urgency();
          assertThat(regret.updated()).isEqualTo(regret.urgency() != before);
          DriftUrgency restored = new DriftUrgency(settings);
          restored.restore(regret.snapshot());
          assertThat(restored.snapshot()).isEqualTo(regret.snapshot());
          regret = restored;
        }
      }
    }
    if (kind == Detector.OFF || secondsPerLoss == 0) {
      assertThat(regret.urgency()).isEqualTo(1);
    }
  }
}
