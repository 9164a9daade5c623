package io.idlalayer.jobs.source;

import io.idlalayer.middleware.sample.ContentHash;

/**
 * The Flink key of one application partition. A string, because its hash is specified and so the
 * key group of a learner never changes between Java versions.
 */
public record LearnerKey(String application, int partition) {
  private static final char SEPARATOR = '/';

  /** The text used as Flink key. */
  public String text() {
    return application + SEPARATOR + partition;
  }

  /** Reads {@link #text()} back. */
  public static LearnerKey parse(String text) {
    int at = text.lastIndexOf(SEPARATOR);
    return new LearnerKey(text.substring(0, at), Integer.parseInt(text.substring(at + 1)));
  }

  /**
   * The partition of a sample: by its own id when it has one, so that a late label meets its
   * sample; else by content, so that equal samples meet.
   */
  static int partitionOf(String id, ContentHash hash, int partitions) {
    if (partitions == 1) {
      return 0;
    }
    return Math.floorMod(id.isEmpty() ? Long.hashCode(hash.low()) : id.hashCode(), partitions);
  }
}
