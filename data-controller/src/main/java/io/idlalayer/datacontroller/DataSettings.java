package io.idlalayer.datacontroller;

import java.io.Serializable;

/**
 * Settings of a data controller.
 *
 * @param contribution how a contribution is measured
 * @param ratios shares of the trained stages that replay
 * @param replayBudget most replayed samples of one update, 0 for none
 * @param maxSamples most stored samples
 * @param maxBytes most stored payload bytes
 * @param maxUnlabeled most samples that may wait for a label; the oldest goes first
 */
public record DataSettings(
    ContributionMode contribution,
    Ratios ratios,
    int replayBudget,
    int maxSamples,
    long maxBytes,
    int maxUnlabeled)
    implements Serializable {

  /** How a contribution is measured (specs, iDlaLayer 1.2 point 3). */
  public enum ContributionMode {
    /** Smoothed prequential loss minus the loss after the update, not below 0. */
    GAIN,
    /** The loss after the update: the paper's literal reading. */
    LOSS
  }

  /** Fractions of Mature, Preserve and Discard samples that train again (beta, gamma, delta). */
  public record Ratios(double mature, double preserve, double discard) implements Serializable {}

  /** The defaults of the design. */
  public static DataSettings defaults() {
    return new DataSettings(
        ContributionMode.GAIN, new Ratios(0.5, 1.0, 0.0), 4096, 1_000_000, 1L << 30, 100_000);
  }
}
