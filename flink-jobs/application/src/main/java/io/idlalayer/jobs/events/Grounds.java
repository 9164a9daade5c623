package io.idlalayer.jobs.events;

import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.update.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.UpdateDecision.Guarantee;

/**
 * What an update rule says, and what that rests on.
 *
 * @param rule as in the application file
 * @param reason a sentence for people: what decided, including a hard limit if one did
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
