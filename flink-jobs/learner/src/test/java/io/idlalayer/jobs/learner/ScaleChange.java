package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A stream of samples of which one column changes its unit, level, sign or activity. The feature x
 * decides the target, 3 x + 1 in the units of the level, or the class; y is noise.
 *
 * @param subject the column that changes
 * @param kind what it does before and after
 * @param factor unit after the change
 * @param offset level after the change, added to its values
 * @param age number of samples before the change
 * @param gradual number of samples over which it changes; 0 at once
 */
record ScaleChange(
    Subject subject, Kind kind, double factor, double offset, int age, int gradual, long seed) {
  /** What changes. */
  enum Subject {
    TARGET,
    FEATURE_OF_REGRESSION,
    FEATURE_OF_CLASSES;

    boolean regression() {
      return this != FEATURE_OF_CLASSES;
    }
  }

  /** What the column is before and after. */
  enum Kind {
    UNIT(1, 1),
    FROM_CONSTANT(0, 1),
    TO_CONSTANT(1, 0),
    FROM_SPARSE(0.2, 1),
    TO_SPARSE(1, 0.2),
    SPARSE(0.2, 0.2);

    /** Share of the values that are not constant. */
    final double activeBefore;

    final double activeAfter;

    Kind(double activeBefore, double activeAfter) {
      this.activeBefore = activeBefore;
      this.activeAfter = activeAfter;
    }
  }

  ScaleChange withSeed(long other) {
    return new ScaleChange(subject, kind, factor, offset, age, gradual, other);
  }

  int lengthUntilFollowed() {
    return age + gradual + 1_000;
  }

  /** The stream up to a thousand samples after the change. */
  List<Sample> stream() {
    return samples(0, lengthUntilFollowed(), new SplittableRandom(seed));
  }

  /** The last thousand samples of the stream, as if nothing had been before. */
  List<Sample> newLevelOnly() {
    List<Sample> all = stream();
    return all.subList(all.size() - 1_000, all.size());
  }

  /** Other samples of the new level. */
  List<Sample> unseen() {
    int from = lengthUntilFollowed();
    return samples(from, from + 500, new SplittableRandom(~seed));
  }

  private List<Sample> samples(int from, int to, SplittableRandom random) {
    List<Sample> samples = new ArrayList<>();
    for (int i = from; i < to; i++) {
      samples.add(sample(i, random));
    }
    return samples;
  }

  private Sample sample(int at, SplittableRandom random) {
    double x = 2 * random.nextDouble() - 1;
    double y = 2 * random.nextGaussian();
    boolean after = at >= age;
    double active = after ? kind.activeAfter : kind.activeBefore;
    double part =
        gradual == 0 ? (after ? 1 : 0) : Math.max(0, Math.min(1, (at - age) / (double) gradual));
    double unit = Math.signum(factor) * Math.pow(Math.abs(factor), part);
    double level = part * offset;
    boolean acts = random.nextDouble() < active;
    double raw = subject == Subject.TARGET ? 3 * x + 1 : 3 * x;
    double changed = (acts ? raw : 0) * (factor < 0 && part < 0.5 ? -unit : unit) + level;
    // An inactive feature says nothing, so that nothing can be learned of the target then.
    double target = subject == Subject.TARGET ? changed : 3 * x + 1;
    double feature = subject == Subject.TARGET ? x : changed;
    double label = subject.regression() ? target : x > 0 ? 1 : 0;
    return Sample.of(new double[] {(float) feature, (float) y}, (float) label);
  }
}
