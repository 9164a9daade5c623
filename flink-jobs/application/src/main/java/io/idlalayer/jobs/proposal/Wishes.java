package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import org.jspecify.annotations.Nullable;

/**
 * The facts about an input that a user has given, so that they are not guessed.
 *
 * @param name name of the application; null to use the name of the input
 * @param label name of the label
 * @param task the task for the label: to predict classes or a number
 * @param header whether a file of CSV begins with the names of its columns
 * @param encoding name of the encoding
 * @param rows number of events to read
 */
public record Wishes(
    @Nullable String name,
    @Nullable String label,
    @Nullable Task task,
    @Nullable Boolean header,
    @Nullable String encoding,
    int rows) {
  /** Least number of events for a proposal. */
  public static final int LEAST_ROWS = 20;
}
