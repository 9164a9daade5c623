package io.idlalayer.jobs.learner.publish;

import java.util.SortedMap;

/**
 * The origin of a model, and the version that was published from it.
 *
 * @param parentDigest digest of the parent version's manifest, "" for a first model
 * @param digest digest of the manifest of the model's own version, "" until it is published
 * @param inputOffsets next input offsets when the update fired
 * @param trainedNewSamples number of new samples trained in the whole lineage, including this
 *     update
 */
public record Lineage(
    String parentDigest,
    String digest,
    SortedMap<String, Long> inputOffsets,
    long trainedNewSamples) {

  boolean published() {
    return !digest.isEmpty();
  }

  /**
   * Returns the digest of the last published version: the model's own, else its parent's; "" if
   * there is none.
   */
  public String publishedDigest() {
    return published() ? digest : parentDigest;
  }

  /** Returns this lineage with the digest of the version that was published from its model. */
  Lineage publishedAs(String newDigest) {
    return new Lineage(parentDigest, newDigest, inputOffsets, trainedNewSamples);
  }

  /** Returns the lineage of an unpublished model that continues from a version. */
  Lineage continuing(String versionDigest) {
    return new Lineage(versionDigest, "", inputOffsets, trainedNewSamples);
  }
}
