package io.idlalayer.jobs.run;

import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.settings.ApplicationSettings;

/**
 * The input that a run feeds to one of its applications.
 *
 * @param input the input, and its identity
 * @param limit most records of the input, including those that were sent before
 * @param eventsPerSecond rate limit; 0 for none
 */
public record InputPlan(
    ApplicationSettings application, InputSource input, long limit, double eventsPerSecond) {

  /** Creates the plan of a generated input. */
  public InputPlan(
      ApplicationSettings application,
      String name,
      InputSource.Opener source,
      long limit,
      double eventsPerSecond) {
    this(application, InputSource.generated(name, source), limit, eventsPerSecond);
  }
}
