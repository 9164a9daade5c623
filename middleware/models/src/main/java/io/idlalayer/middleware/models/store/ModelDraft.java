package io.idlalayer.middleware.models.store;

import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A trained model to be published: its files, and its manifest except version, time and digests of
 * files, which the publisher fills in.
 *
 * @param minimumVersion lower bound of the version's number; the number is also above every version
 *     in the store
 * @param files contents by file name
 * @param copied files of any size, by the name that they get in the version. They are copied while
 *     the version is published, and must not change meanwhile
 */
public record ModelDraft(
    String application,
    int partition,
    long minimumVersion,
    long parentVersion,
    String parentDigest,
    SortedMap<String, Long> inputOffsets,
    SortedMap<String, Long> counts,
    SortedMap<String, Double> metrics,
    SortedMap<String, String> attributes,
    SortedMap<String, byte[]> files,
    SortedMap<String, Path> copied) {

  /** Creates a draft without large files that are copied from disk. */
  public ModelDraft(
      String application,
      int partition,
      long minimumVersion,
      long parentVersion,
      String parentDigest,
      SortedMap<String, Long> inputOffsets,
      SortedMap<String, Long> counts,
      SortedMap<String, Double> metrics,
      SortedMap<String, String> attributes,
      SortedMap<String, byte[]> files) {
    this(
        application,
        partition,
        minimumVersion,
        parentVersion,
        parentDigest,
        inputOffsets,
        counts,
        metrics,
        attributes,
        files,
        new TreeMap<>());
  }
}
