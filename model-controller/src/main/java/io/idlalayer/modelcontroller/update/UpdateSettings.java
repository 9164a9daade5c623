package io.idlalayer.modelcontroller.update;

import java.io.Serializable;

/**
 * Settings of an update controller.
 *
 * @param weight w: how many samples waiting one second outweigh one second of training, above 0
 * @param zeta threshold factor of {@code dla}, above 0
 * @param omega threshold factor of {@code area}, above 0
 * @param periodSeconds period of {@code periodic}
 * @param count batch size of {@code count}
 * @param maxBatch most new samples of one update, a hard limit that guards memory
 * @param maxWaitSeconds longest wait of a sample before an update fires whatever the rule says; 0
 *     for no limit
 */
public record UpdateSettings(
    RuleName rule,
    double weight,
    double zeta,
    double omega,
    double periodSeconds,
    int count,
    int maxBatch,
    double maxWaitSeconds)
    implements Serializable {

  /** The shipped rules. */
  public enum RuleName {
    DLA,
    AREA,
    PERIODIC,
    COUNT,
    CONTINUOUS;

    /** The name used in the application file. */
    public String key() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** The defaults: {@code area} with w = 10 (update-timing section 7). */
  public static UpdateSettings defaults() {
    return new UpdateSettings(RuleName.AREA, 10, 1, 1, 30, 1000, 16_384, 0);
  }
}
