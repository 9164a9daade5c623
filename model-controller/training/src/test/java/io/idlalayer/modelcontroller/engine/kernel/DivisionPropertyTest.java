package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Gradients are divided by the number of rows, whatever the way, to the last bit. */
final class DivisionPropertyTest {
  private static final UpdateRule.Adam ADAM =
      new UpdateRule.Adam((iteration, epoch) -> 0.01, 0.9, 0.999, 1e-8);

  @Property(tries = 200)
  void divide_anyNumberOfRows_givesTheBitsOfADivision(
      @ForAll("numbers") List<Float> numbers, @ForAll("rows") int rows) {
    float[] divided = values(numbers);
    UpdateRule.divide(divided, rows, divided.length);
    for (int i = 0; i < divided.length; i++) {
      assertThat(divided[i]).isEqualTo(numbers.get(i) / rows);
    }
  }

  @Property(tries = 200)
  void update_anyNumberOfRows_givesTheBitsOfDividedGradients(
      @ForAll("numbers") List<Float> numbers, @ForAll("rows") int rows) {
    int count = numbers.size();
    float[] parameters = new float[count];
    float[][] states = new float[2][count];
    ADAM.update(parameters, values(numbers), rows, states, count, new Progress(0, 0));
    float[] wanted = new float[count];
    float[][] wantedStates = new float[2][count];
    float[] gradients = values(numbers);
    for (int i = 0; i < count; i++) {
      gradients[i] /= rows;
    }
    ADAM.replaceByUpdates(gradients, wantedStates, count, new Progress(0, 0));
    for (int i = 0; i < count; i++) {
      wanted[i] -= gradients[i];
    }
    assertThat(parameters).isEqualTo(wanted);
    assertThat(states).isDeepEqualTo(wantedStates);
  }

  private static float[] values(List<Float> numbers) {
    float[] values = new float[numbers.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = numbers.get(i);
    }
    return values;
  }

  @Provide
  Arbitrary<List<Float>> numbers() {
    return Arbitraries.floats().between(-1e6f, 1e6f).ofScale(9).list().ofMinSize(1).ofMaxSize(40);
  }

  @Provide
  Arbitrary<Integer> rows() {
    return Arbitraries.oneOf(
        Arbitraries.integers().between(1, 1_000), Arbitraries.of(1, 2, 32, 64, 1_024, 65_536));
  }
}
