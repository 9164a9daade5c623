package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A target or feature whose unit, level, sign or activity changes is followed within 1,000 samples
 * by a learner with default settings: every sample trains, none is quarantined, no training is
 * dropped, and the model is about as good as one that has seen the new level only.
 */
final class ScaleChangesPropertyTest {
  /**
   * How much larger than that of the model that begins at the change the error may be, in
   * deviations of the targets. A model that has learned the opposite is 2 deviations away.
   */
  private static final double MORE_ERROR = 2.5;

  /** Largest such difference of the shares of wrong classes, if the feature keeps its sign. */
  private static final double MORE_WRONG = 0.3;

  /** Number of first values of one update from which a column takes its first scale. */
  private static final int FIRST = 1_024;

  private static final double[] RATES = {60, 200, 1_000, 10_000, 1e6};

  @Provide
  Arbitrary<ScaleChange> changes() {
    return Combinators.combine(
            Arbitraries.of(
                ScaleChange.Subject.TARGET,
                ScaleChange.Subject.TARGET,
                ScaleChange.Subject.FEATURE_OF_REGRESSION,
                ScaleChange.Subject.FEATURE_OF_CLASSES),
            Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.just(ScaleChange.Kind.UNIT)),
                Tuple.of(1, Arbitraries.of(ScaleChange.Kind.values()))),
            Arbitraries.doubles().between(-9, 9).withSpecialValue(3).withSpecialValue(-3),
            Arbitraries.integers().between(0, 4),
            Arbitraries.doubles().between(-1, 6),
            Arbitraries.integers().between(0, 3),
            Arbitraries.of(64, 100, 300, 600, 1_500, 4_000),
            Arbitraries.of(0, 0, 0, 2_000))
        .as(ScaleChangesPropertyTest::change)
        .flatMap(change -> Arbitraries.longs().map(change::withSeed));
  }

  /**
   * @param sign 0 for a change of the sign
   * @param levels 0 and 1 for a level above and below, else there is none
   */
  private static ScaleChange change(
      ScaleChange.Subject subject,
      ScaleChange.Kind kind,
      double exponent,
      int sign,
      double levelExponent,
      int levels,
      int age,
      int gradual) {
    double factor = (sign == 0 ? -1 : 1) * Math.pow(10, exponent);
    double level = Math.pow(10, levelExponent);
    // A single-precision number has no room for both.
    boolean visible = Math.abs(factor) > 1e-5 * level;
    // A level that moves slowly is only followed by forgetting, as a trend or a season is.
    boolean followed = gradual == 0;
    double offset = levels > 1 || !visible || !followed ? 0 : levels == 0 ? level : -level;
    return new ScaleChange(subject, kind, factor, offset, age, gradual, 0);
  }

  @Provide
  Arbitrary<Double> rates() {
    return Arbitraries.of(RATES[0], RATES[1], RATES[2], RATES[3], RATES[4]);
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void arrive_aScaleThatChanges_isFollowedWithin1000Samples(
      @ForAll("changes") ScaleChange change, @ForAll("rates") double perSecond) throws Exception {
    boolean regression = change.subject().regression();
    List<Sample> unseen = change.unseen();
    List<Sample> stream = change.stream();
    ScaleChangeRun run = ScaleChangeRun.of(regression, stream, perSecond, unseen);
    assertThat(run.dropped()).isEmpty();
    assertThat(run.quarantined()).isZero();
    assertThat(run.trained()).isEqualTo(stream.size());
    if (change.age() < FIRST && perSecond > 10_000) {
      // One update begins with both levels, which no earlier value tells apart.
      return;
    }
    ScaleChangeRun begun = ScaleChangeRun.of(regression, change.newLevelOnly(), perSecond, unseen);
    if (regression) {
      assertThat(run.error()).isLessThan(begun.error() + MORE_ERROR);
    } else if (change.factor() > 0) {
      assertThat(run.error()).isLessThan(begun.error() + MORE_WRONG);
    }
  }

  /** References beside the network know the older targets. */
  @Test
  void arrive_targetWhoseUnitChangesGradually_isFollowedByTheReferences() throws Exception {
    ScaleChange change =
        new ScaleChange(
            ScaleChange.Subject.TARGET, ScaleChange.Kind.UNIT, 0.00178, 1.3, 600, 2_000, -33_440);
    List<Sample> unseen = change.unseen();
    ScaleChangeRun run = ScaleChangeRun.of(true, change.stream(), 10_000, unseen);
    assertThat(run.error())
        .isLessThan(
            ScaleChangeRun.of(true, change.newLevelOnly(), 10_000, unseen).error() + MORE_ERROR);
  }

  /** From kilometres to femtometres, and beyond. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-30, 1e-18, 1e-15, 1e15, 1e25})
  void arrive_targetOrFeatureInAUnitFarFromOne_isFollowed(double factor) throws Exception {
    for (ScaleChange.Subject subject :
        List.of(ScaleChange.Subject.TARGET, ScaleChange.Subject.FEATURE_OF_REGRESSION)) {
      ScaleChange change = new ScaleChange(subject, ScaleChange.Kind.UNIT, factor, 0, 600, 0, 36);
      List<Sample> stream = change.stream();
      ScaleChangeRun run = ScaleChangeRun.of(true, stream, 1_000, change.unseen());
      assertThat(run.dropped()).isEmpty();
      assertThat(run.quarantined()).isZero();
      assertThat(run.trained()).isEqualTo(stream.size());
      assertThat(run.error()).as(subject.toString()).isLessThan(MORE_ERROR);
    }
  }

  /** Case 36: a target in other units from the 601st sample on, at every rate. */
  @ParameterizedTest
  @ValueSource(doubles = {60, 100, 200, 400, 1_000, 10_000, 1e6})
  void arrive_targetTimes1000_trainsAll1200(double perSecond) throws Exception {
    ScaleChange change =
        new ScaleChange(ScaleChange.Subject.TARGET, ScaleChange.Kind.UNIT, 1_000, 0, 600, 0, 36);
    List<Sample> stream = change.stream().subList(0, 1_200);
    // At high rates there are a few updates only, and how far they lead depends on the network that
    // they begin with.
    int[] widths = {12, 14, 16, 18, 20};
    double errors = 0;
    for (int hidden : widths) {
      ScaleChangeRun run = ScaleChangeRun.of(true, stream, perSecond, change.unseen(), hidden);
      assertThat(run.dropped()).isEmpty();
      assertThat(run.quarantined()).isZero();
      assertThat(run.trained()).isEqualTo(1_200);
      errors += run.error();
    }
    assertThat(errors / widths.length).isLessThan(1);
  }
}
