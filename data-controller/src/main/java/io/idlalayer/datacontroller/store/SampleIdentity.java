package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;

/**
 * The identity of a sample: the hashes of its content and event id, with its size and label.
 *
 * @param contentHash hash of its features and label
 * @param idHash 64-bit hash of the event's own id, 0 when it has none; late labels are joined by it
 * @param payloadBytes size of the encoded sample
 * @param label label of the sample; NaN while the sample has no label, or has only a label
 * @param labelOnly whether it has nothing but a label, which waits for the features of its event
 * @param weightless whether its weight is 0, so that it is not trained
 * @param source where its label came from, or how it was lost
 */
public record SampleIdentity(
    ContentHash contentHash,
    long idHash,
    int payloadBytes,
    float label,
    boolean labelOnly,
    boolean weightless,
    LabelSource source) {
  /** Creates the identity of a sample whose label, if it has one, came with an event. */
  public SampleIdentity(
      ContentHash contentHash,
      long idHash,
      int payloadBytes,
      float label,
      boolean labelOnly,
      boolean weightless) {
    this(contentHash, idHash, payloadBytes, label, labelOnly, weightless, LabelSource.EVENT);
  }

  /** Creates the identity of a sample with features. */
  public SampleIdentity(ContentHash contentHash, long idHash, int payloadBytes, float label) {
    this(contentHash, idHash, payloadBytes, label, false, false);
  }

  /** Creates the identity of a sample with features and a weight. */
  public static SampleIdentity of(
      ContentHash contentHash, long idHash, int payloadBytes, Sample sample) {
    return new SampleIdentity(
        contentHash, idHash, payloadBytes, (float) sample.label(), false, sample.weight() == 0);
  }

  /** Creates the identity of a label that waits for the features of its event. */
  public static SampleIdentity ofLabel(ContentHash contentHash, long idHash, int payloadBytes) {
    return new SampleIdentity(contentHash, idHash, payloadBytes, Float.NaN, true, false);
  }

  /** Returns whether the sample has features and a label, so that it can be trained. */
  public boolean labeled() {
    return !Float.isNaN(label);
  }

  /** Returns this identity with another source of its label. */
  public SampleIdentity with(LabelSource other) {
    return new SampleIdentity(
        contentHash, idHash, payloadBytes, label, labelOnly, weightless, other);
  }

  /**
   * Returns the identity of the sample after its label was taken back. The old hash belongs to the
   * labelled content, so it is replaced by a hash that no content has.
   */
  SampleIdentity retracted() {
    return new SampleIdentity(contentHash.complement(), idHash, payloadBytes, Float.NaN)
        .with(LabelSource.WITHDRAWN);
  }
}
