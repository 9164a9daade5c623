package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.InputPositions;
import io.idlalayer.jobs.learner.state.UpdateRecordState;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelruntime.artifact.ModelArtifact;

/**
 * The model of the last accepted update, from which a learner continues. The model is part of the
 * state. It is published, or will be.
 *
 * @param update the record of the model's update, with its training and, if it happened, its
 *     publication
 * @param rowChanges row changes since the last published version, as a {@link
 *     io.idlalayer.middleware.embedding.file.RowFile}; empty if the model has no tables
 * @param withheld whether the model must not be published because it is worse than the version in
 *     service; the next update continues from the model nevertheless
 */
public record AcceptedModel(
    UpdateRecord update,
    ModelArtifact artifact,
    Lineage lineage,
    byte[] rowChanges,
    boolean withheld) {
  private static final StateFormat FORMAT = StateFormat.first("accepted model");

  public boolean published() {
    return lineage.published();
  }

  /**
   * Returns the last published version of the model's lineage: the model's own version, or else its
   * parent; 0 if there is none.
   */
  public long publishedVersion() {
    UpdateRecord.Published published = update.published();
    return published == null ? training().parentVersion() : published.version();
  }

  /** Returns the record of the training that made this model. */
  UpdateRecord.Training training() {
    return update.requireTraining();
  }

  /**
   * Returns the model of the same updates, trained again from an older model.
   *
   * @param trained files of the model
   * @param version last published version of the older model's lineage; 0 if there is none
   * @param digest digest of this version; "" if there is none
   */
  public AcceptedModel trainedAgain(ModelArtifact trained, long version, String digest) {
    return new AcceptedModel(
        update.continuing(version), trained, lineage.continuing(digest), new byte[0], false);
  }

  /**
   * Returns whether a version was published from this model, or from another training of the update
   * that made this model.
   */
  public boolean madeAs(ModelManifest manifest) {
    return manifest.counts().getOrDefault("updateNumber", -1L) == update.number()
        && manifest.counts().getOrDefault("trainedNewSamples", -1L) == lineage.trainedNewSamples()
        && manifest.parentDigest().equals(lineage.parentDigest())
        && manifest.inputOffsets().equals(lineage.inputOffsets());
  }

  public AcceptedModel published(long version, String digest, long publishedAtMillis) {
    UpdateRecord done = update.published(new UpdateRecord.Published(version, publishedAtMillis));
    return new AcceptedModel(done, artifact, lineage.publishedAs(digest), rowChanges, false);
  }

  /** Returns this model marked to be published again, after another party deleted its version. */
  AcceptedModel lost() {
    return new AcceptedModel(
        update.continuing(publishedVersion()),
        artifact,
        lineage.continuing(lineage.digest()),
        rowChanges,
        false);
  }

  /** Returns this model without row changes, so that the next version has all rows. */
  public AcceptedModel withoutRowChanges() {
    return new AcceptedModel(update, artifact, lineage, new byte[0], withheld);
  }

  /** Returns this model with other files, which were made from its own. */
  public AcceptedModel with(ModelArtifact other) {
    return new AcceptedModel(update, other, lineage, rowChanges, withheld);
  }

  /** Returns this model marked as not to be published. */
  AcceptedModel withhold() {
    return new AcceptedModel(update, artifact, lineage, rowChanges, true);
  }

  /**
   * Returns the model of a published version, from which the next update continues instead of this
   * model.
   *
   * @param noRowChanges row changes without any row; empty without tables
   */
  AcceptedModel replacedBy(ServedVersion version, byte[] noRowChanges) {
    return new AcceptedModel(
        update.continuing(version.version()),
        version.artifact(),
        lineage.continuing(version.digest()),
        noRowChanges,
        true);
  }

  /** Returns the encoded state of this model except its files, which change only with the model. */
  public byte[] snapshot() {
    StateWriter out =
        FORMAT
            .writer()
            .putBytes(1, UpdateRecordState.snapshot(update))
            .putText(2, lineage.parentDigest())
            .putText(3, lineage.digest())
            .putLong(4, lineage.trainedNewSamples())
            .putBoolean(5, withheld);
    return InputPositions.put(out, 6, lineage.inputOffsets()).bytes();
  }

  public byte[] artifactSnapshot() {
    StateWriter out = ArtifactState.writer(artifact);
    return rowChanges.length == 0 ? out.bytes() : out.putBytes(3, rowChanges).bytes();
  }

  /**
   * Decodes a model from its {@link #snapshot()} and its {@link #artifactSnapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not snapshots
   *     of this class
   */
  public static AcceptedModel restore(byte[] snapshot, byte[] artifactSnapshot) {
    StateReader in = FORMAT.reader(snapshot);
    return new AcceptedModel(
        UpdateRecordState.restore(in.getBytes(1)),
        ArtifactState.restore(artifactSnapshot),
        new Lineage(in.getText(2), in.getText(3), InputPositions.offsets(in, 6), in.getLong(4)),
        restoreRowChanges(artifactSnapshot),
        in.getBoolean(5));
  }

  private static byte[] restoreRowChanges(byte[] snapshot) {
    StateReader in = ArtifactState.reader(snapshot);
    return in.has(3) ? in.getBytes(3) : new byte[0];
  }
}
