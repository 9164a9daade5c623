package io.idlalayer.datacontroller.stage;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.fuzzy.fcl.FclException;

/**
 * A scorer, which computes scores from facts, and a classifier for these scores, which assigns
 * stages.
 */
public record StageAssignment(StageScorer scorer, StageClassifier classifier) {
  /**
   * Creates the scorer and the classifier that the settings name.
   *
   * @throws FclException if the score comes from rules and the rules are wrong
   */
  public static StageAssignment of(DataSettings.Staging settings) throws FclException {
    return switch (settings.score()) {
      case CONTRIBUTION -> new StageAssignment(new ContributionScorer(), new QuantileClassifier());
      case FITTED -> new StageAssignment(new FittedScorer(), new QuantileClassifier());
      case RULES ->
          new StageAssignment(
              new RuleScorer(settings.engine(), settings.rulesName(), settings.rules()),
              new FixedClassifier());
      case FREQUENCY -> new StageAssignment(new FrequencyScorer(), new FixedClassifier());
    };
  }
}
