package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.FloatRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class FeatureScalerPropertyTest {
  @Property(tries = 300)
  void batches_merge_to_the_mean_and_deviation_of_everything(
      @ForAll @Size(min = 1, max = 60) List<@FloatRange(min = -1e4f, max = 1e4f) Float> values,
      @ForAll @IntRange(min = 1, max = 20) int batchSize)
      throws Exception {
    FeatureScaler scaler = FeatureScaler.empty(1, true, true);
    for (int from = 0; from < values.size(); from += batchSize) {
      List<Sample> batch = new ArrayList<>();
      for (float value : values.subList(from, Math.min(values.size(), from + batchSize))) {
        batch.add(Sample.of(new float[] {value}, 3 * value));
      }
      scaler = FeatureScaler.decode(scaler.including(batch).encode());
    }
    double mean = values.stream().mapToDouble(v -> v).average().orElseThrow();
    double variance =
        values.stream().mapToDouble(v -> (v - mean) * (v - mean)).average().orElseThrow();
    double deviation = variance > 1e-6 ? Math.sqrt(variance) : 1;
    if (variance > 0 && variance <= 1e-6) {
      return; // Too near to constant for a comparison in floats.
    }
    for (float value : values) {
      double slack = 1e-3 + 2e-3 * (1 + Math.abs(mean)) / deviation;
      assertThat((double) scaler.dense(0, value))
          .isCloseTo((value - mean) / deviation, within(slack));
      assertThat(scaler.unscaledTarget(scaler.target(3 * value)))
          .isCloseTo(3 * value, within(0.02f + 1e-4f * Math.abs(3 * value)));
    }
  }
}
