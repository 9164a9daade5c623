package io.idlalayer.jobs.settings;

import io.idlalayer.middleware.sample.ContentHash;

/**
 * The name of one application partition, and so of its learner.
 *
 * <p>Its Flink key is {@link #text()} and a salt, such as {@code clicks/3~112}. Flink assigns a key
 * to a subtask by the hash of the key. With only a few keys, some subtasks would get none. {@code
 * LearnerPlacement} chooses the salt so that the partitions of an application are evenly
 * distributed over the key groups.
 */
public record LearnerKey(String application, int partition) {
  private static final char SEPARATOR = '/';
  private static final char SALT = '~';

  /** Returns application and partition as readable text: {@code clicks/3}. */
  public String text() {
    return application + SEPARATOR + partition;
  }

  /** Returns {@link #text()} followed by a salt, which is not part of the learner's name. */
  public String salted(int salt) {
    return text() + SALT + salt;
  }

  /** Parses a Flink key or {@link #text()}. */
  public static LearnerKey parse(String text) {
    int at = text.lastIndexOf(SEPARATOR);
    int end = text.indexOf(SALT, at);
    String partition = text.substring(at + 1, end < 0 ? text.length() : end);
    return new LearnerKey(text.substring(0, at), Integer.parseInt(partition));
  }

  /**
   * Returns the partition of a sample. A sample with an id is assigned by its id, so that a late
   * label gets to the partition of its event. Other samples are assigned by their content, so that
   * equal samples get to one partition.
   */
  public static int partitionOf(String id, ContentHash hash, int partitions) {
    if (partitions == 1) {
      return 0;
    }
    return Math.floorMod(id.isEmpty() ? Long.hashCode(hash.low()) : id.hashCode(), partitions);
  }
}
