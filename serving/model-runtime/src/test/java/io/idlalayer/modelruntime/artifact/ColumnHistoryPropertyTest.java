package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ColumnHistoryPropertyTest {
  @Property(tries = 200)
  void middleAndDeviation_ofAnyStream_areThoseOfTheSortedValues(
      @ForAll("streams") List<Double> stream, @ForAll boolean retains) {
    ColumnHistory history = new ColumnHistory(new byte[0], 0);
    for (int i = 0; i < stream.size(); i++) {
      history.add(stream.get(i), i);
      if (retains && i % 70 == 69) {
        double limit = history.middle();
        history.retain(value -> value <= limit);
      }
      assertThat(List.of(history.middle(), history.deviation(history.middle())))
          .isEqualTo(sortedAnew(history.values()));
      history = new ColumnHistory(history.bytes(), history.skipped());
    }
  }

  private static List<Double> sortedAnew(double[] values) {
    double middle = ColumnHistory.median(values);
    double[] distances = Arrays.stream(values).map(value -> Math.abs(value - middle)).toArray();
    return List.of(middle, 1.4826 * ColumnHistory.median(distances));
  }

  @Provide
  Arbitrary<List<Double>> streams() {
    Arbitrary<Double> numbers =
        Arbitraries.oneOf(
            Arbitraries.of(0.0, -0.0, 1.0, 2.0, -Double.MAX_VALUE, Double.MAX_VALUE),
            Arbitraries.doubles().between(-100, 100));
    return numbers.list().ofMinSize(1).ofMaxSize(300);
  }
}
