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
 * @param reason a readable sentence that gives the cause of the decision; if a hard limit was the
 *     cause, the sentence names the limit
 * @param charge the charge that the rule compared
 * @param predicted duration of the training, replayed samples included
 * @param basis the costs that the rule used
 * @param guarantee bound of the cost of the schedule, relative to the lowest possible cost
 */
public record Grounds(
    String rule,
    String reason,
    Charge charge,
    PredictedSeconds predicted,
    CostBasis basis,
    Guarantee guarantee) {

  /** Returns the grounds of a decision of the update controller. */
  public static Grounds of(Explanation why) {
    return new Grounds(
        why.rule(), why.reason(), why.charge(), why.predicted(), why.basis(), why.guarantee());
  }
}
