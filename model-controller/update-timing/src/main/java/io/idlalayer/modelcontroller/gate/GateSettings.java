package io.idlalayer.modelcontroller.gate;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the release gate, which keeps worse models out of service.
 *
 * @param action action for a new model before it is published
 * @param afterPublishing action if the version in service turns out to be worse
 * @param metric the metric that is compared
 * @param margin difference by which a model is allowed to be worse, in units of the metric's
 *     {@linkplain Metric#difference difference}: at least 0, below 1
 * @param samples number of samples on which a model is compared before it is released, at least 1
 * @param waitSeconds longest time that a model waits for these samples, at least 0 and finite
 * @param continueFrom the model that the update after a refusal or a rollback starts from
 * @param trustedFile path of a file of events whose labels are known to be right; if there is such
 *     a file, models are compared on its events instead of the arriving samples; null if there is
 *     none
 */
public record GateSettings(
    Action action,
    AfterPublishing afterPublishing,
    Metric metric,
    double margin,
    int samples,
    double waitSeconds,
    ContinueFrom continueFrom,
    @Nullable String trustedFile)
    implements Serializable {

  /** The action for a new model before it is published. */
  public enum Action {
    /**
     * Holds the model until enough samples are compared, and does not publish it if it is worse.
     */
    HOLD,
    /**
     * Publishes the model at once. If a comparison then shows that the model is worse, an event
     * reports it.
     */
    WARN,
    /** Publishes the model at once and compares nothing. */
    OFF
  }

  /** The action if a published model turns out worse than the version that it replaced. */
  public enum AfterPublishing {
    /** The previous version is put in service again. */
    ROLL_BACK,
    /** An event reports that the version is worse, and the version stays in service. */
    WARN,
    /** The version in service is not compared with the previous version. */
    OFF
  }

  /** The model that the next update starts from. */
  public enum ContinueFrom {
    /** The newest model, even if it is worse: new samples can improve it. */
    NEWEST,
    /**
     * The model in service: samples that made a newer model worse are forgotten with that model.
     */
    IN_SERVICE
  }

  public GateSettings {
    if (!(margin >= 0 && margin < 1)) {
      throw new IllegalArgumentException("margin is %s; it must be in [0, 1)".formatted(margin));
    }
    if (samples < 1) {
      throw new IllegalArgumentException("samples is %d; it must be at least 1".formatted(samples));
    }
    if (!(waitSeconds >= 0 && waitSeconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "waitSeconds is %s; it must be at least 0 and finite".formatted(waitSeconds));
    }
  }

  /** Returns settings that switch the gate off: no models are compared. */
  public static GateSettings off(Metric metric) {
    return new GateSettings(
        Action.OFF, AfterPublishing.OFF, metric, 0.01, 100, 10, ContinueFrom.NEWEST, null);
  }

  /** Returns whether these settings demand any comparison of models. */
  public boolean compares() {
    return action != Action.OFF || afterPublishing != AfterPublishing.OFF;
  }
}
