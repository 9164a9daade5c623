package io.idlalayer.datacontroller.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StageScorerTest {
  private static final String RULES = DataSettings.Staging.defaults().rules();

  private static double[] facts(double contribution, double loss, double frequency, double noise) {
    double[] facts = new double[SampleFact.COUNT];
    facts[SampleFact.CONTRIBUTION.at()] = contribution;
    facts[SampleFact.LOSS.at()] = loss;
    facts[SampleFact.FREQUENCY.at()] = frequency;
    facts[SampleFact.NOISE.at()] = noise;
    return facts;
  }

  private static RuleScorer rules(String source) throws FclException {
    return new RuleScorer(FuzzyEngines.Kind.BUILT_IN, "stages.fcl", source);
  }

  @Test
  void shippedRules_sayWhatTheyReadAs() throws FclException {
    RuleScorer scorer = rules(RULES);
    FixedClassifier stages = new FixedClassifier();
    var newborn = io.idlalayer.middleware.sample.LifeStage.NEWBORN;

    assertThat(stages.classify(newborn, (float) scorer.score(facts(0.95, 0.5, 1, 0))))
        .isEqualTo(StageEvent.EVALUATED_PRESERVE);
    assertThat(scorer.strengths()[0]).isEqualTo(1);
    assertThat(stages.classify(newborn, (float) scorer.score(facts(0.5, 0.9, 1, 0))))
        .isEqualTo(StageEvent.EVALUATED_MATURE);
    assertThat(stages.classify(newborn, (float) scorer.score(facts(0.1, 0.1, 1, 0))))
        .isEqualTo(StageEvent.EVALUATED_DISCARD);
    assertThat(stages.classify(newborn, (float) scorer.score(facts(0.1, 0.9, 1, 0))))
        .isEqualTo(StageEvent.EVALUATED_MATURE);
    assertThat(stages.classify(newborn, (float) scorer.score(facts(0.95, 0.9, 1, 3))))
        .isEqualTo(StageEvent.EVALUATED_DISCARD);
    assertThat(scorer.rules()).hasSize(7).first().asString().contains("life IS preserve");
  }

  @Test
  void frequency_decidesTheStageAlone() {
    FrequencyScorer scorer = new FrequencyScorer();
    FixedClassifier stages = new FixedClassifier();
    for (var stage : io.idlalayer.middleware.sample.LifeStage.values()) {
      for (double[] once : new double[][] {facts(1, 1, 1, 0), facts(0, 0, 1, 3)}) {
        assertThat(stages.classify(stage, (float) scorer.score(once)))
            .isEqualTo(StageEvent.EVALUATED_MATURE);
      }
      for (double[] again : new double[][] {facts(1, 1, 2, 0), facts(0, 0, 1_000, 3)}) {
        assertThat(stages.classify(stage, (float) scorer.score(again)))
            .isEqualTo(StageEvent.EVALUATED_PRESERVE);
      }
    }
  }

  @Test
  void foreignRules_areRefusedWithAllThatIsWrong() {
    assertThatThrownBy(() -> rules(RULES.replace("noise", "colour").replace("life", "death")))
        .isInstanceOf(FclException.class)
        .hasMessageContaining(
            "stages.fcl: input 'colour' is not known of a sample; known are"
                + " contribution, loss, frequency, trainings, noise, stage, worth")
        .hasMessageContaining("stages.fcl: there is no output 'life'");
  }

  private static double[] mean(double frequency, double worth, double stage) {
    double[] facts = new double[SampleFact.COUNT];
    facts[SampleFact.FREQUENCY.at()] = frequency;
    facts[SampleFact.WORTH.at()] = worth;
    facts[SampleFact.STAGE.at()] = stage;
    return facts;
  }

  @Test
  void fittedModel_isTrustedOnlyWhenItPredicts() {
    FittedScorer predicts = new FittedScorer();
    FittedScorer guesses = new FittedScorer();
    SplittableRandom random = new SplittableRandom(3);
    for (int update = 0; update < 120; update++) {
      double worth = random.nextDouble();
      double[] mean = mean(1 + random.nextInt(3), worth, 0.5);
      predicts.observe(mean);
      predicts.quality(2 * worth - 1 + 0.01 * random.nextDouble());
      guesses.observe(mean);
      guesses.quality(random.nextDouble() < 0.02 ? 1 : 0);
    }
    predicts.observe(mean(1, 0.5, 0.5));
    guesses.observe(mean(1, 0.5, 0.5));

    assertThat(predicts.trusted()).isTrue();
    double[] good = mean(1, 0.9, 0.5);
    double[] poor = mean(1, 0.1, 0.5);
    good[SampleFact.CONTRIBUTION.at()] = 0.3;
    poor[SampleFact.CONTRIBUTION.at()] = 0.7;
    assertThat(predicts.score(good)).isGreaterThan(predicts.score(poor));
    assertThat(predicts.score(mean(1, 0.5, 0.5))).isCloseTo(0, within(1e-9));
    assertThat(guesses.trusted()).isFalse();
    assertThat(guesses.score(good)).isCloseTo(0.3, within(1e-9));
    assertThat(predicts.rules()).isNotEmpty();
  }

  @Test
  void fittedModel_goesOnAfterASnapshot() {
    FittedScorer scorer = new FittedScorer();
    SplittableRandom random = new SplittableRandom(4);
    for (int update = 0; update < 80; update++) {
      scorer.observe(mean(1, random.nextDouble(), 0.5));
      if (update < 79) {
        scorer.quality(random.nextDouble());
      }
    }
    FittedScorer restored = new FittedScorer();
    restored.restore(scorer.snapshot());
    for (int update = 0; update < 40; update++) {
      double quality = random.nextDouble();
      scorer.quality(quality);
      restored.quality(quality);
      double[] facts = mean(2, random.nextDouble(), 0.3);
      scorer.observe(facts);
      restored.observe(facts);
      assertThat(restored.score(facts(0.4, 1, 2, 0))).isEqualTo(scorer.score(facts(0.4, 1, 2, 0)));
    }
    assertThat(restored.snapshot()).isEqualTo(scorer.snapshot());
    byte[] later = scorer.snapshot();
    later[1 + later[0]] = 9;
    assertThatThrownBy(() -> restored.restore(later)).hasMessageContaining("version 9");
  }

  @Test
  void scoring_allocatesNothing() throws FclException {
    FittedScorer fitted = new FittedScorer();
    SplittableRandom random = new SplittableRandom(5);
    for (int update = 0; update < 100; update++) {
      double worth = random.nextDouble();
      fitted.observe(mean(1, worth, 0.5));
      fitted.quality(worth);
    }
    double[] facts = facts(0.4, 0.6, 2, 1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (StageScorer scorer :
        new StageScorer[] {fitted, rules(RULES), new ContributionScorer(), new FrequencyScorer()}) {
      double sum = 0;
      for (int i = 0; i < 1000; i++) {
        sum += scorer.score(facts);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        sum += scorer.score(facts);
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
      assertThat(sum).isFinite();
    }
  }
}
