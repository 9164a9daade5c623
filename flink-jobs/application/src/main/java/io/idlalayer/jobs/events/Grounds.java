package io.idlalayer.jobs.events;

import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Guarantee;

/**
 * The decision of an update rule, and its grounds.
 *
 * @param rule name of the rule, as in the application file
 * @param reason a readable sentence that says what decided; it names the hard limit if one did
 * @param charge what the rule weighed
 * @param predicted duration of the training, replayed samples included
 * @param basis the costs that the rule weighed with
 * @param guarantee how near the schedule is to the best possible one
 */
public record Grounds(
    String rule,
    String reason,
    Charge charge,
    PredictedSeconds predicted,
    CostBasis basis,
    Guarantee guarantee) {

  /** What a decision of the update controller rests on. */
  public static Grounds of(Explanation why) {
    return new Grounds(
        why.rule(), why.reason(), why.charge(), why.predicted(), why.basis(), why.guarantee());
  }
}
