package io.idlalayer.middleware.embedding.loops;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Test;

final class RowLoopsChoiceTest {
  /** Plain loops, except for what a test changes. */
  private static class OtherLoops implements RowLoops {
    private final RowLoops plain = new PlainRowLoops();

    @Override
    public String description() {
      return "others";
    }

    @Override
    public boolean prefersEqualIndexes(int count) {
      return false;
    }

    @Override
    public void add(float[] numbers, int from, float[] columns, int to, int count, float share) {
      plain.add(numbers, from, columns, to, count, share);
    }

    @Override
    public void descend(
        float[] weights, int at, float[] gradient, int from, int count, float rate) {
      plain.descend(weights, at, gradient, from, count, rate);
    }

    @Override
    public void adagrad(
        float[] weights,
        int at,
        float[] sums,
        int sumsAt,
        float[] gradient,
        int from,
        int count,
        float rate) {
      plain.adagrad(weights, at, sums, sumsAt, gradient, from, count, rate);
    }

    @Override
    public void adam(
        float[] weights,
        int at,
        float[] means,
        int meansAt,
        float[] spreads,
        int spreadsAt,
        float[] gradient,
        int from,
        int count,
        float rate) {
      plain.adam(weights, at, means, meansAt, spreads, spreadsAt, gradient, from, count, rate);
    }
  }

  /** Rounds once where plain loops round twice. */
  private static final class FusedLoops extends OtherLoops {
    @Override
    public void descend(
        float[] weights, int at, float[] gradient, int from, int count, float rate) {
      for (int i = 0; i < count; i++) {
        weights[at + i] = Math.fma(-rate, gradient[from + i], weights[at + i]);
      }
    }
  }

  /** Was compiled against another version of the API. */
  private static final class OutdatedLoops extends OtherLoops {
    @Override
    public void add(float[] numbers, int from, float[] columns, int to, int count, float share) {
      throw new NoSuchMethodError("mul");
    }
  }

  /** Changes a number behind the last one. */
  private static final class OverrunningLoops extends OtherLoops {
    @Override
    public void add(float[] numbers, int from, float[] columns, int to, int count, float share) {
      super.add(numbers, from, columns, to, count, share);
      columns[to + count] = 0;
    }
  }

  private static void assertPlain(RowLoopsChoice choice) {
    assertThat(choice.loops()).isInstanceOf(PlainRowLoops.class);
  }

  @Test
  void of_withoutTheModule_isPlainAndTriesNothing() {
    RowLoopsChoice choice =
        RowLoopsChoice.of(
            false,
            () -> {
              throw new AssertionError("called");
            });
    assertPlain(choice);
    assertThat(choice.failure()).isNull();
  }

  @Test
  void of_loopsWithTheSameBits_areChosen() {
    RowLoops same = new OtherLoops();
    RowLoopsChoice choice = RowLoopsChoice.of(true, () -> same);
    assertThat(choice.loops()).isSameAs(same);
    assertThat(choice.failure()).isNull();
  }

  @Test
  void of_vectorLoopsOfThisJvm_areChosen() {
    RowLoops vector = TestLoops.VECTOR.loops();
    assertThat(RowLoopsChoice.of(true, () -> vector)).isEqualTo(new RowLoopsChoice(vector, null));
  }

  @Test
  void of_otherBits_isPlainAndSaysSo() {
    RowLoopsChoice choice = RowLoopsChoice.of(true, FusedLoops::new);
    assertPlain(choice);
    assertThat(choice.failure()).contains("differently");
  }

  @Test
  void of_changedNeighbours_isPlainAndSaysSo() {
    RowLoopsChoice choice = RowLoopsChoice.of(true, OverrunningLoops::new);
    assertPlain(choice);
    assertThat(choice.failure()).contains("differently");
  }

  @Test
  void of_classThatDoesNotLink_isPlainAndSaysWhy() {
    RowLoopsChoice choice = RowLoopsChoice.of(true, OutdatedLoops::new);
    assertPlain(choice);
    assertThat(choice.failure()).isEqualTo("java.lang.NoSuchMethodError: mul");
  }

  @Test
  void of_classThatCannotBeMade_isPlainAndSaysTheCause() {
    RowLoopsChoice choice =
        RowLoopsChoice.of(
            true,
            () -> {
              throw new InvocationTargetException(new IllegalStateException("no registers"));
            });
    assertPlain(choice);
    assertThat(choice.failure()).isEqualTo("java.lang.IllegalStateException: no registers");
  }
}
