package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * Computes the next life stage of a sample from its stage and an event (Rang 2021, chapter 5.2.1).
 * A sample enters as Newborn; rows are the stage it is in, columns what happens:
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
 * A content that arrives again enters as a new sample, whatever the stage of the earlier one.
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
