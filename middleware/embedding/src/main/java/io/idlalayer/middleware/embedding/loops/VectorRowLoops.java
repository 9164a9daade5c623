package io.idlalayer.middleware.embedding.loops;

import java.util.Locale;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Computes embedding rows with the JVM's Vector API: as many numbers at a time as a register holds,
 * the rest one by one. Rows are computed in place.
 *
 * <p>The API is an incubating module, which a process has only if it was started with {@code
 * --add-modules jdk.incubator.vector}. So no class refers to this one except {@link ProcessLoops},
 * by name, and the build compiles this class in a separate compiler execution.
 */
final class VectorRowLoops implements RowLoops {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();

  /**
   * Loops for the numbers that do not fill a register. Masks would work too, but are slow on
   * processors without support for them.
   */
  private static final PlainRowLoops REST = new PlainRowLoops();

  @Override
  public String description() {
    return String.format(Locale.ROOT, "the Vector API, %d numbers at a time", LANES);
  }

  @Override
  public boolean prefersEqualIndexes(int count) {
    return false;
  }

  @Override
  public void add(float[] numbers, int from, float[] columns, int to, int count, float share) {
    int i = 0;
    for (int end = SPECIES.loopBound(count); i < end; i += LANES) {
      FloatVector added = load(numbers, from + i).mul(share);
      load(columns, to + i).add(added).intoArray(columns, to + i);
    }
    REST.add(numbers, from + i, columns, to + i, count - i, share);
  }

  @Override
  public void descend(float[] weights, int at, float[] gradient, int from, int count, float rate) {
    int i = 0;
    for (int end = SPECIES.loopBound(count); i < end; i += LANES) {
      FloatVector change = load(gradient, from + i).mul(rate);
      load(weights, at + i).sub(change).intoArray(weights, at + i);
    }
    REST.descend(weights, at + i, gradient, from + i, count - i, rate);
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
    int i = 0;
    for (int end = SPECIES.loopBound(count); i < end; i += LANES) {
      FloatVector g = load(gradient, from + i);
      FloatVector sum = load(sums, sumsAt + i).add(g.mul(g));
      sum.intoArray(sums, sumsAt + i);
      FloatVector change = g.mul(rate).div(sum.sqrt().add(ADAGRAD_EPSILON));
      load(weights, at + i).sub(change).intoArray(weights, at + i);
    }
    REST.adagrad(weights, at + i, sums, sumsAt + i, gradient, from + i, count - i, rate);
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
    int i = 0;
    for (int end = SPECIES.loopBound(count); i < end; i += LANES) {
      FloatVector g = load(gradient, from + i);
      FloatVector mean =
          load(means, meansAt + i).mul((float) MEAN_DECAY).add(g.mul((float) (1 - MEAN_DECAY)));
      FloatVector spread =
          load(spreads, spreadsAt + i)
              .mul((float) SPREAD_DECAY)
              .add(g.mul((float) (1 - SPREAD_DECAY)).mul(g));
      mean.intoArray(means, meansAt + i);
      spread.intoArray(spreads, spreadsAt + i);
      FloatVector change = mean.mul(rate).div(spread.sqrt().add(ADAM_EPSILON));
      load(weights, at + i).sub(change).intoArray(weights, at + i);
    }
    REST.adam(
        weights,
        at + i,
        means,
        meansAt + i,
        spreads,
        spreadsAt + i,
        gradient,
        from + i,
        count - i,
        rate);
  }

  private static FloatVector load(float[] numbers, int at) {
    return FloatVector.fromArray(SPECIES, numbers, at);
  }
}
