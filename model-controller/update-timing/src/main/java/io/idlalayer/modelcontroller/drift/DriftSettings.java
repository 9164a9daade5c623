package io.idlalayer.modelcontroller.drift;

import java.io.Serializable;

/**
 * The settings for drift: which detector watches the loss, and how much more urgent updates become
 * while the loss is above its earlier level.
 *
 * @param secondsPerLoss the exchange rate: while the loss is 1 above its level before a drift (one
 *     nat, or one label unit), a sample's second of waiting counts as this many seconds more; at
 *     least 0
 */
public record DriftSettings(Detector detector, double secondsPerLoss) implements Serializable {
  /** The algorithm that detects drift in the prequential loss. */
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

  /** Returns the defaults: no drift detection, because no benchmark has shown a gain yet. */
  public static DriftSettings defaults() {
    return new DriftSettings(Detector.OFF, 5);
  }
}
