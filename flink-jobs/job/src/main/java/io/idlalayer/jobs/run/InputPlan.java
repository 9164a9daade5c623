package io.idlalayer.jobs.run;

import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.settings.ApplicationSettings;
import org.jspecify.annotations.Nullable;

/**
 * The input that a run feeds to one of its applications.
 *
 * @param input the input with its identity
 * @param labels labels that are sent to the application's topic of labels before the input; null if
 *     there are none
 * @param limit largest number of records of the input, including the records that earlier runs have
 *     sent
 * @param eventsPerSecond rate limit; 0 for none
 */
public record InputPlan(
    ApplicationSettings application,
    InputSource input,
    @Nullable InputSource labels,
    long limit,
    double eventsPerSecond) {
  /** Creates the plan of an input without labels of its own. */
  public InputPlan(
      ApplicationSettings application, InputSource input, long limit, double eventsPerSecond) {
    this(application, input, null, limit, eventsPerSecond);
  }

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
