package io.idlalayer.jobs.learner.publish;

import java.util.SortedMap;

/**
 * Where a model comes from, and which version it has become.
 *
 * @param parentDigest digest of the parent version's manifest, "" for a first model
 * @param digest digest of its own manifest, "" until published
 * @param inputOffsets how far the input was read when the update fired
 * @param trainedNewSamples over the whole lineage, this update included
 */
public record Lineage(
    String parentDigest,
    String digest,
    SortedMap<String, Long> inputOffsets,
    long trainedNewSamples) {

  boolean published() {
    return !digest.isEmpty();
  }

  /** Digest of the last version that was published: its own, else its parent's; "" for none. */
  public String publishedDigest() {
    return published() ? digest : parentDigest;
  }

  /** Its version is published. */
  Lineage publishedAs(String newDigest) {
    return new Lineage(parentDigest, newDigest, inputOffsets, trainedNewSamples);
  }

  /** It is made of another version, and not published itself. */
  Lineage continuing(String versionDigest) {
    return new Lineage(versionDigest, "", inputOffsets, trainedNewSamples);
  }
}
