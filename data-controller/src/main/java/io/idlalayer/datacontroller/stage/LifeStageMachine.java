package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * Computes the next life stage of a sample from its stage and an event (Rang 2021, chapter 5.2.1).
 * A sample begins as Newborn. In the table, rows are the stages of a sample, and columns are the
 * events:
 *
 * <pre>
 *            | eval.  | eval.    | eval.   | quarantined, | aged    | label
 *            | mature | preserve | discard | passed over  |         | retracted
 *  ----------+--------+----------+---------+--------------+---------+----------
 *  NEWBORN   | MATURE | PRESERVE | DISCARD | DISCARD      | NEWBORN | NEWBORN
 *  MATURE    | MATURE | PRESERVE | DISCARD | refused      | DISCARD | NEWBORN
 *  PRESERVE  | MATURE | PRESERVE | DISCARD | refused      | MATURE  | NEWBORN
 *  DISCARD   | MATURE | PRESERVE | DISCARD | refused      | DISCARD | NEWBORN
 * </pre>
 *
 * If a content arrives again, it becomes a new sample, independent of the stage of the earlier
 * sample.
 *
 * <p>* Only a sample that was never trained can be quarantined, or passed over because the model
 * knows it already.
 */
public final class LifeStageMachine {
  private LifeStageMachine() {}

  /**
   * Returns the stage after an event.
   *
   * @throws IllegalStateException if the event cannot happen in that stage
   */
  public static LifeStage next(LifeStage stage, StageEvent event) {
    return switch (event) {
      case EVALUATED_MATURE -> LifeStage.MATURE;
      case EVALUATED_PRESERVE -> LifeStage.PRESERVE;
      case EVALUATED_DISCARD -> LifeStage.DISCARD;
      case QUARANTINED, PASSED_OVER -> {
        if (stage != LifeStage.NEWBORN) {
          throw new IllegalStateException(
              "a sample in stage %s cannot be %s"
                  .formatted(
                      stage, event == StageEvent.QUARANTINED ? "quarantined" : "passed over"));
        }
        yield LifeStage.DISCARD;
      }
      case AGED ->
          switch (stage) {
            case NEWBORN -> LifeStage.NEWBORN;
            case PRESERVE -> LifeStage.MATURE;
            case MATURE, DISCARD -> LifeStage.DISCARD;
          };
    };
  }
}
