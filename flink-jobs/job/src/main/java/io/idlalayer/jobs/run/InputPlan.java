package io.idlalayer.jobs.run;

import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.settings.ApplicationSettings;

/**
 * What a run feeds to one of its applications.
 *
 * @param input what to send, and what tells it from other inputs
 * @param limit most records of it, those that were sent before included
 * @param eventsPerSecond 0 for as fast as possible
 */
public record InputPlan(
    ApplicationSettings application, InputSource input, long limit, double eventsPerSecond) {

  /** Feeds a generated input. */
  public InputPlan(
      ApplicationSettings application,
      String name,
      InputSource.Opener source,
      long limit,
      double eventsPerSecond) {
    this(application, InputSource.generated(name, source), limit, eventsPerSecond);
  }
}
