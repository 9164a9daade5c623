package io.idlalayer.modelcontroller.mixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExpertMixtureTest {
  private static final List<String> EXPERTS = List.of(ExpertScores.NETWORK, ExpertScores.PRIOR);
  private static final Label CLASSES = new Label("y", Task.CLASSIFICATION, List.of("no", "yes"));
  private static final Label TARGET = new Label("y", Task.REGRESSION, List.of());

  private static ScoredBatch scored(double label, double[] predicted, double[] losses) {
    return scored(EXPERTS, label, predicted, losses);
  }

  private static ScoredBatch scored(
      List<String> experts, double label, double[] predicted, double[] losses) {
    float[] each = new float[losses.length];
    for (int i = 0; i < each.length; i++) {
      each[i] = (float) losses[i];
    }
    ScoringBatch batch =
        new ScoringBatch(
            new long[] {1},
            List.of(Sample.of(new double[] {0}, label)),
            new double[] {Double.NaN},
            new double[] {Double.NaN});
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
    ExpertMixture mixture = new ExpertMixture(EXPERTS, CLASSES);
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
    ExpertMixture mixture = new ExpertMixture(EXPERTS, CLASSES);
    mixture.scored(
        scored(List.of("network", "other"), 0, new double[] {1, 0}, new double[] {1.5, 0.3}));
    assertThat(mixture.weights()).containsExactly(0.5, 0.5);
    assertThat(mixture.qualities()).isEmpty();
  }

  @Test
  void scored_lossIsNotANumber_changesNothing() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, CLASSES);
    mixture.scored(scored(0, new double[] {1, 0}, new double[] {Double.NaN, 0.3}));
    assertThat(mixture.weights()).containsExactly(0.5, 0.5);
  }

  @Test
  void prior_classesArrive_isTheirFrequencies() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, CLASSES);
    for (int i = 0; i < 1_000; i++) {
      mixture.label(i % 10 == 0 ? 1 : 0, 1);
    }
    assertThat(mixture.prior()[1]).isCloseTo(0.1, within(0.01));
  }

  @Test
  void prior_noTargetScored_isUnknown() {
    assertThat(new ExpertMixture(EXPERTS, TARGET).prior()).isEmpty();
  }

  @Test
  void prior_targetsScored_isTheirMean() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, TARGET);
    for (int i = 0; i < 1_000; i++) {
      mixture.scored(target(i % 2 == 0 ? 3 : 5, 100, 4));
    }
    assertThat(mixture.prior()[0]).isCloseTo(4, within(0.01));
  }

  @Test
  void scored_targetsOfNetworkWorseThanMean_priorGetsTheWeight() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, TARGET);
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
    ExpertMixture mixture = new ExpertMixture(EXPERTS, TARGET);
    for (int i = 0; i < 1_000; i++) {
      double label = i % 2 == 0 ? 3 : 5;
      mixture.scored(target(label, label, 4));
    }
    assertThat(mixture.weights()[0]).isGreaterThan(0.99);
  }

  @Test
  void restore_snapshot_continuesAlike() {
    for (Label label : List.of(CLASSES, TARGET)) {
      ExpertMixture mixture = new ExpertMixture(EXPERTS, label);
      mixture.label(1, 1);
      mixture.scored(scored(1, new double[] {0, 1}, new double[] {0.5, 0.25}));
      ExpertMixture other = new ExpertMixture(EXPERTS, label);
      other.restore(mixture.snapshot());
      assertThat(other.snapshot()).isEqualTo(mixture.snapshot());
      assertThat(other.weights()).isEqualTo(mixture.weights());
      assertThat(other.qualities()).isEqualTo(mixture.qualities());
    }
  }

  @Test
  void restore_otherExperts_keepsThePriorOnly() {
    ExpertMixture mixture = new ExpertMixture(EXPERTS, CLASSES);
    mixture.label(1, 1);
    mixture.scored(scored(1, new double[] {0, 1}, new double[] {0.5, 0.25}));
    ExpertMixture other = new ExpertMixture(List.of("network", "prior", "no-change"), CLASSES);
    other.restore(mixture.snapshot());
    assertThat(other.weights()).containsOnly(1.0 / 3);
    assertThat(other.prior()).isEqualTo(mixture.prior());
  }
}
