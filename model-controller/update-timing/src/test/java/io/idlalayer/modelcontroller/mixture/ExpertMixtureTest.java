package io.idlalayer.modelcontroller.mixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.UnseenClass;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExpertMixtureTest {
  private static final List<String> EXPERTS = List.of("network", "prior");
  private static final List<String> IN_CONTEXT = List.of("network", "prior", "no-change");
  private static final SampleSchema CLASSES =
      schema(new Label("y", Task.CLASSIFICATION, List.of("no", "yes")));
  private static final SampleSchema TARGET = schema(new Label("y", Task.REGRESSION, List.of()));

  private static SampleSchema schema(Label label) {
    return new SampleSchema(
            List.of(), List.of(new SampleSchema.DenseFeature("x", 1, 1)), List.of(), label, null)
        .with(new SampleSchema.History(null, 1, false, 1));
  }

  private static ExpertMixture mixture(SampleSchema schema) {
    return new ExpertMixture(EXPERTS, List.of(), schema);
  }

  private static Sample sample(double label) {
    return Sample.of(new double[] {0}, label);
  }

  private static Sample after(double... context) {
    return sample(1).withContext(new KeyContext(7, 1, context));
  }

  private static ScoredBatch scored(double label, double[] predicted, double[] losses) {
    return scored(EXPERTS, label, predicted, losses);
  }

  private static ScoredBatch scored(
      List<String> experts, double label, double[] predicted, double[] losses) {
    return scored(experts, sample(label), predicted, losses);
  }

  private static ScoredBatch scored(
      List<String> experts, Sample sample, double[] predicted, double[] losses) {
    float[] each = new float[losses.length];
    for (int i = 0; i < each.length; i++) {
      each[i] = (float) losses[i];
    }
    ScoringBatch batch =
        new ScoringBatch(
            new long[] {1}, List.of(sample), new double[] {Double.NaN}, new double[] {Double.NaN});
    return ScoredBatch.of(batch, new float[] {each[0]}, new double[] {predicted[0]})
        .by(new ExpertScores(experts, predicted, each));
  }

  private static ScoredBatch target(double label, double network, double prior) {
    return scored(
        label,
        new double[] {network, prior},
        new double[] {(network - label) * (network - label), (prior - label) * (prior - label)});
  }

  @Test
  void scored_networkWorseThanFrequencies_priorGetsTheWeight() {
    ExpertMixture mixture = mixture(CLASSES);
    for (int i = 0; i < 1_000; i++) {
      mixture.scored(scored(0, new double[] {1, 0}, new double[] {1.5, 0.3}));
    }
    assertThat(mixture.weights()[1]).isGreaterThan(0.99);
    assertThat(mixture.qualities().get(0).accuracy()).isZero();
    assertThat(mixture.qualities().get(1).accuracy()).isOne();
    assertThat(mixture.qualities().get(1).meanLoss()).isCloseTo(0.3, within(1e-6));
  }

  @Test
  void scored_otherExpertsThanOwn_changesNothing() {
    ExpertMixture mixture = mixture(CLASSES);
    mixture.scored(
        scored(List.of("network", "other"), 0, new double[] {1, 0}, new double[] {1.5, 0.3}));
    assertThat(mixture.weights()).containsExactly(0.5, 0.5);
    assertThat(mixture.qualities()).isEmpty();
  }

  @Test
  void scored_lossIsNotANumber_changesNothing() {
    ExpertMixture mixture = mixture(CLASSES);
    mixture.scored(scored(0, new double[] {1, 0}, new double[] {Double.NaN, 0.3}));
    assertThat(mixture.weights()).containsExactly(0.5, 0.5);
  }

  @Test
  void prior_classesArrive_isTheirFrequencies() {
    ExpertMixture mixture = mixture(CLASSES);
    for (int i = 0; i < 1_000; i++) {
      mixture.label(sample(i % 10 == 0 ? 1 : 0));
    }
    assertThat(mixture.prior()[1]).isCloseTo(0.1, within(0.01));
  }

  @Test
  void restore_otherClasses_countsThoseThatStay() {
    ExpertMixture mixture = mixture(CLASSES);
    for (int i = 0; i < 20_000; i++) {
      mixture.label(i % 10 == 0 ? after(1, 0) : sample(0));
    }
    SampleSchema more = schema(new Label("y", Task.CLASSIFICATION, List.of("yes", "new", "no")));
    ExpertMixture grown = mixture(more);
    grown.restore(mixture.snapshot(), new ColumnMap(2, 1, ColumnMap.ADDED, 0));
    assertThat(grown.prior()[0]).isCloseTo(mixture.prior()[1], within(1e-4));
    assertThat(grown.prior()[2]).isCloseTo(mixture.prior()[0], within(1e-4));
    assertThat(grown.prior()[1]).isCloseTo(UnseenClass.probability(3), within(1e-5));
    assertThat(grown.repeats())
        .containsExactly(mixture.repeats()[1], UnseenClass.REPEATS, mixture.repeats()[0]);
    assertThat(grown.weights()).isEqualTo(mixture.weights());

    ExpertMixture back = mixture(CLASSES);
    back.restore(grown.snapshot(), new ColumnMap(3, 2, 0));
    assertThat(back.prior()).isEqualTo(mixture.prior());
    assertThat(back.snapshot()).isEqualTo(mixture.snapshot());
  }

  @Test
  void prior_noTargetScored_isUnknown() {
    assertThat(mixture(TARGET).prior()).isEmpty();
  }

  @Test
  void prior_targetsScored_isTheirMean() {
    ExpertMixture mixture = mixture(TARGET);
    for (int i = 0; i < 1_000; i++) {
      mixture.scored(target(i % 2 == 0 ? 3 : 5, 100, 4));
    }
    assertThat(mixture.prior()[0]).isCloseTo(4, within(0.01));
  }

  @Test
  void scored_targetsOfNetworkWorseThanMean_priorGetsTheWeight() {
    ExpertMixture mixture = mixture(TARGET);
    for (int i = 0; i < 1_000; i++) {
      double label = i % 2 == 0 ? 3 : 5;
      mixture.scored(target(label, 8 - label, 4));
    }
    assertThat(mixture.weights()[1]).isGreaterThan(0.99);
    assertThat(mixture.qualities().get(0).meanAbsoluteError()).isCloseTo(2, within(1e-6));
    assertThat(mixture.qualities().get(1).meanAbsoluteError()).isCloseTo(1, within(1e-6));
  }

  @Test
  void scored_networkPredictsExactly_getsTheWeight() {
    ExpertMixture mixture = mixture(TARGET);
    for (int i = 0; i < 1_000; i++) {
      double label = i % 2 == 0 ? 3 : 5;
      mixture.scored(target(label, label, 4));
    }
    assertThat(mixture.weights()[0]).isGreaterThan(0.99);
  }

  /** Squares of numbers of 32 bits are all alike beyond 1e30, and 0 below 1e-45. */
  @Test
  void scored_targetsOfAnyUnit_haveTheSameWeights() {
    double[] expected = {};
    for (double unit : new double[] {1, 0x1p100, 0x1p-100}) {
      ExpertMixture mixture = mixture(TARGET);
      for (int i = 0; i < 1_000; i++) {
        double label = unit * (i % 2 == 0 ? 3 : 5);
        double network = label + unit / 4;
        double loss = (network - label) * (network - label);
        double prior = 4 * unit;
        double[] losses = {Math.min(1e30, loss), Math.min(1e30, (prior - label) * (prior - label))};
        mixture.scored(scored(label, new double[] {network, prior}, losses));
      }
      expected = expected.length == 0 ? mixture.weights() : expected;
      assertThat(mixture.weights()).as("unit %s", unit).isEqualTo(expected);
      assertThat(mixture.weights()[0]).isGreaterThan(0.99);
    }
  }

  @Test
  void scored_targetsWhoseSquaresOverflow_haveFiniteWeightsAndQualities() {
    ExpertMixture mixture = mixture(TARGET);
    for (int i = 0; i < 100; i++) {
      mixture.scored(scored(1e300, new double[] {-1e300, 1e299}, new double[] {1e30, 1e30}));
    }
    for (ExpertQuality each : mixture.qualities()) {
      assertThat(each.weight()).isBetween(0.0, 1.0);
      assertThat(each.meanLoss()).isFinite();
      assertThat(each.meanAbsoluteError()).isFinite();
    }
  }

  /** Weights say how samples count against each other, not how fast anything is learned. */
  @Test
  void scored_weightsOfAnyUnit_learnAlike() {
    for (SampleSchema schema : List.of(CLASSES, TARGET)) {
      ExpertMixture expected = null;
      for (double unit : new double[] {1, 1e-4, 1e-300, 500, 3e38}) {
        ExpertMixture mixture = mixture(schema);
        for (int i = 0; i < 1_000; i++) {
          int label = i % 3 == 0 ? 1 : 0;
          Sample sample = after(1 - label, label).withLabel(label).withWeight(unit);
          mixture.label(sample);
          double off = label == 1 ? 0.75 : 0.25;
          mixture.scored(
              scored(
                  EXPERTS,
                  sample,
                  new double[] {label + off, label + 0.3},
                  new double[] {off * off, 0.09}));
        }
        expected = expected == null ? mixture : expected;
        assertThat(mixture.weights()).containsExactly(expected.weights(), within(1e-6));
        assertThat(mixture.prior()).containsExactly(expected.prior(), within(1e-6));
        if (mixture.repeats() != null) {
          assertThat(mixture.repeats()).containsExactly(expected.repeats(), within(1e-6));
        }
        assertThat(mixture.qualities().get(0).samples() / unit).isCloseTo(1_000, within(1e-6));
      }
    }
  }

  @Test
  void scored_oneHugeWeight_doesNotStopLearning() {
    ExpertMixture mixture = mixture(CLASSES);
    for (int i = 0; i < 2_000; i++) {
      Sample sample = sample(0).withWeight(i == 500 ? 3e38 : 1);
      mixture.label(sample);
      double network = i < 1_000 ? 0.1 : 1.5;
      mixture.scored(
          scored(EXPERTS, sample, new double[] {0, 1}, new double[] {network, 1.6 - network}));
      if (i == 999) {
        assertThat(mixture.weights()[0]).isGreaterThan(0.99);
      }
    }
    assertThat(mixture.weights()[1]).isGreaterThan(0.99);
  }

  @Test
  void restore_snapshot_continuesAlike() {
    for (SampleSchema schema : List.of(CLASSES, TARGET)) {
      ExpertMixture mixture = mixture(schema);
      mixture.label(sample(1));
      mixture.scored(scored(1, new double[] {0, 1}, new double[] {0.5, 0.25}));
      ExpertMixture other = mixture(schema);
      other.restore(mixture.snapshot());
      assertThat(other.snapshot()).isEqualTo(mixture.snapshot());
      assertThat(other.weights()).isEqualTo(mixture.weights());
      assertThat(other.qualities()).isEqualTo(mixture.qualities());
    }
  }

  @Test
  void restore_otherExperts_keepsThePriorOnly() {
    ExpertMixture mixture = mixture(CLASSES);
    mixture.label(sample(1));
    mixture.scored(scored(1, new double[] {0, 1}, new double[] {0.5, 0.25}));
    ExpertMixture other = new ExpertMixture(IN_CONTEXT, List.of(), CLASSES);
    other.restore(mixture.snapshot());
    assertThat(other.weights()).containsOnly(1.0 / 3);
    assertThat(other.prior()).isEqualTo(mixture.prior());
  }

  @Test
  void scored_inContextAndWithout_eachListHasWeightsOfItsOwn() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    ScoredBatch inContext =
        scored(IN_CONTEXT, 0, new double[] {0, 1, 1}, new double[] {0.1, 1.5, 2});
    ScoredBatch without = scored(EXPERTS, 0, new double[] {1, 0}, new double[] {1.5, 0.1});
    for (int i = 0; i < 1_000; i++) {
      mixture.scored(inContext.besideWithoutContext(without));
    }
    assertThat(mixture.weightsInContext()[0]).isGreaterThan(0.99);
    assertThat(mixture.weights()[0]).isLessThan(0.01);
    assertThat(mixture.qualities()).hasSize(3);
    assertThat(mixture.qualities().get(0).accuracy()).isOne();
  }

  @Test
  void scored_noChangeBestInContextOnly_networkServesWithoutIt() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    ScoredBatch inContext =
        scored(IN_CONTEXT, 1, new double[] {0, 0, 1}, new double[] {0.9, 0.8, 0.05});
    ScoredBatch without = scored(EXPERTS, 1, new double[] {0, 0}, new double[] {0.7, 0.8});
    for (int i = 0; i < 3_000; i++) {
      mixture.scored(inContext.besideWithoutContext(without));
    }
    assertThat(mixture.weightsInContext()[2]).isGreaterThan(0.99);
    assertThat(mixture.weights()[0]).isGreaterThan(0.9);
  }

  @Test
  void label_classesOfAKeyThatRepeat_areKnownByClass() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    for (int i = 0; i < 500; i++) {
      mixture.label(after(0, 1));
      mixture.label(after(1, 0));
    }
    // After 1 always 1, after 0 never 0.
    assertThat(mixture.repeats()[1]).isGreaterThan(0.99);
    assertThat(mixture.repeats()[0]).isLessThan(0.01);
  }

  @Test
  void label_noLastLabelKnown_changesNoRepetition() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    mixture.label(after(0, 0));
    mixture.label(sample(1));
    assertThat(mixture.repeats()).containsOnly(0.5);
  }

  @Test
  void qualities_targetBeyondTheTrainedRange_errorAndLossCountItAlike() {
    ExpertMixture mixture = mixture(TARGET);
    mixture.scored(
        scored(1e12, new double[] {10, 20}, new double[] {90 * 90, 80 * 80})
            .counting(new double[] {100}));
    for (ExpertQuality each : mixture.qualities()) {
      assertThat(each.meanAbsoluteError()).isCloseTo(Math.sqrt(each.meanLoss()), within(1e-6));
    }
  }

  @Test
  void restore_snapshotInContext_continuesAlike() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    mixture.label(after(0, 1));
    mixture.scored(
        scored(IN_CONTEXT, 0, new double[] {0, 1, 1}, new double[] {0.1, 1.5, 2})
            .besideWithoutContext(
                scored(EXPERTS, 0, new double[] {1, 0}, new double[] {1.5, 0.1})));
    ExpertMixture other = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    other.restore(mixture.snapshot());
    assertThat(other.snapshot()).isEqualTo(mixture.snapshot());
    assertThat(other.weightsInContext()).isEqualTo(mixture.weightsInContext());
    assertThat(other.weights()).isEqualTo(mixture.weights());
    assertThat(other.repeats()).isEqualTo(mixture.repeats());
  }

  @Test
  void restore_snapshotWithoutHistory_keepsWhatWasJudgedWithoutContext() {
    ExpertMixture mixture = mixture(CLASSES);
    mixture.scored(scored(1, new double[] {0, 1}, new double[] {0.5, 0.25}));
    ExpertMixture other = new ExpertMixture(EXPERTS, IN_CONTEXT, CLASSES);
    other.restore(mixture.snapshot());
    assertThat(other.weights()).isEqualTo(mixture.weights());
    assertThat(other.weightsInContext()).containsOnly(1.0 / 3);
  }
}
