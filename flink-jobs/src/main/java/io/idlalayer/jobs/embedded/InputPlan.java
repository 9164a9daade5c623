package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.RecordReader;
import java.io.IOException;

/**
 * What a run feeds to one of its applications.
 *
 * @param name name of the input, told in the records' headers
 * @param source opens it from its beginning
 * @param limit most records
 * @param eventsPerSecond 0 for as fast as possible
 */
public record InputPlan(
    ApplicationSettings application,
    String name,
    Source source,
    long limit,
    double eventsPerSecond) {

  /** Opens an input. */
  @FunctionalInterface
  public interface Source {
    RecordReader open() throws IOException;
  }
}
