package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.stage.ContributionScorer;
import io.idlalayer.datacontroller.stage.FittedScorer;
import io.idlalayer.datacontroller.stage.FixedClassifier;
import io.idlalayer.datacontroller.stage.QuantileClassifier;
import io.idlalayer.datacontroller.stage.RuleScorer;
import io.idlalayer.datacontroller.stage.StageClassifier;
import io.idlalayer.datacontroller.stage.StageScorer;
import io.idlalayer.middleware.fuzzy.FclException;

/** What makes stages of facts: a scorer, and borders that fit its scores. */
record Staging(StageScorer scorer, StageClassifier classifier) {
  /**
   * The staging of the settings.
   *
   * @throws FclException if it goes by rules and the rules are wrong
   */
  static Staging of(DataSettings.Staging settings) throws FclException {
    return switch (settings.score()) {
      case CONTRIBUTION -> new Staging(new ContributionScorer(), new QuantileClassifier());
      case FITTED -> new Staging(new FittedScorer(), new QuantileClassifier());
      case RULES ->
          new Staging(
              new RuleScorer(settings.engine(), settings.rulesName(), settings.rules()),
              new FixedClassifier());
    };
  }
}
