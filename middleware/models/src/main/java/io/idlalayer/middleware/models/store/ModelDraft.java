package io.idlalayer.middleware.models.store;

import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A trained model about to be published: everything of the manifest that the store does not fill in
 * by itself (version, time, file digests).
 *
 * @param minimumVersion the version given is at least this, and above every version on disk
 * @param files contents by file name
 * @param copied files of any size by the name that they get; copied while the version is published,
 *     they must not change meanwhile
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

  /** Without files that are copied. */
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
