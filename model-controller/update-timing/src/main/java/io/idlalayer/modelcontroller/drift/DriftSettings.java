package io.idlalayer.modelcontroller.drift;

import java.io.Serializable;

/**
 * Whether lost quality makes updates more urgent.
 *
 * @param secondsPerLoss the exchange rate: while the loss is 1 above its level before a drift (one
 *     nat, or one label unit), a sample's second of waiting counts as this many seconds more; at
 *     least 0
 */
public record DriftSettings(Detector detector, double secondsPerLoss) implements Serializable {
  /** The detector that watches the prequential loss. */
  public enum Detector {
    OFF,
    ADWIN,
    PAGE_HINKLEY
  }

  public DriftSettings {
    if (!(secondsPerLoss >= 0 && secondsPerLoss < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "secondsPerLoss is %s; it must be at least 0 and finite".formatted(secondsPerLoss));
    }
  }

  /** Off, until a benchmark shows a gain. */
  public static DriftSettings defaults() {
    return new DriftSettings(Detector.OFF, 5);
  }
}
