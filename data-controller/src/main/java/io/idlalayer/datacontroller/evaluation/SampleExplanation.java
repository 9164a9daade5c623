package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.datacontroller.stage.SampleFact;
import io.idlalayer.datacontroller.stage.StageScorer;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Explains why a sample has its stage.
 *
 * @param score score that decided the stage at the last evaluation
 * @param scoreNow score that follows from the present facts
 * @param facts facts from which the score is computed, by name
 * @param strengths how strongly each rule fires on these facts; empty if there are no rules
 * @param loss last known loss; NaN when never measured
 * @param seenInUpdate number of the last update that trained on the sample; 0 if there is none
 */
public record SampleExplanation(
    long sampleId,
    LifeStage stage,
    boolean labeled,
    float score,
    double scoreNow,
    Map<String, Double> facts,
    Map<String, Double> strengths,
    float loss,
    int evaluations,
    int seenInUpdate) {

  /**
   * @param ranked whether samples are ranked; if not, their ranks are left out of the facts
   */
  static SampleExplanation of(
      long sampleId, SampleMetadata sample, StageScorer scorer, boolean ranked) {
    double[] values = SampleEvaluator.facts(sample);
    double now = scorer.score(values);
    Map<String, Double> facts = new LinkedHashMap<>();
    for (SampleFact fact : SampleFact.values()) {
      if (ranked || !fact.rank()) {
        facts.put(fact.key(), values[fact.at()]);
      }
    }
    Map<String, Double> strengths = new LinkedHashMap<>();
    for (int i = 0; i < scorer.rules().size(); i++) {
      strengths.put(scorer.rules().get(i), scorer.strengths()[i]);
    }
    return new SampleExplanation(
        sampleId,
        sample.stage(),
        sample.labeled(),
        sample.measures().score(),
        now,
        facts,
        strengths,
        sample.measures().loss(),
        sample.lifecycle().evaluations(),
        sample.lifecycle().seenInUpdate());
  }
}
