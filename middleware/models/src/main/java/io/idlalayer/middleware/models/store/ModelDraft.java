package io.idlalayer.middleware.models.store;

import java.util.SortedMap;

/**
 * A trained model about to be published: everything of the manifest that the store does not fill in
 * by itself (version, time, file digests).
 *
 * @param minimumVersion the version given is at least this, and above every version on disk
 * @param files contents by file name
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
    SortedMap<String, byte[]> files) {}
