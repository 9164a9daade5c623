package io.idlalayer.datacontroller.stage;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.fuzzy.fcl.FclException;

/** Assigns stages by facts: a scorer, and borders that suit its scores. */
public record StageAssignment(StageScorer scorer, StageClassifier classifier) {
  /**
   * Returns the staging of the settings.
   *
   * @throws FclException if it goes by rules and the rules are wrong
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
