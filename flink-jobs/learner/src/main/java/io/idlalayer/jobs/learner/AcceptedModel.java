package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The model a learner continues from: accepted into state, and published or about to be.
 *
 * @param update its update, trained and maybe published
 * @param parentDigest digest of the parent version's manifest, "" for a first model
 * @param digest digest of its own manifest, "" until published
 * @param inputOffsets how far the input was read when the update fired
 * @param trainedNewSamples over the whole lineage, this update included
 * @param rowChanges since the last published version, as a {@link
 *     io.idlalayer.middleware.embedding.RowFile}; empty if the model has no tables
 * @param withheld whether it is not to be published, because it is worse than the version in
 *     service; the next update continues from it all the same
 */
record AcceptedModel(
    ModelArtifact artifact,
    UpdateRecord update,
    String parentDigest,
    String digest,
    SortedMap<String, Long> inputOffsets,
    long trainedNewSamples,
    byte[] rowChanges,
    boolean withheld) {
  private static final StateFormat FORMAT = StateFormat.first("accepted model");
  private static final StateFormat ARTIFACT_FORMAT = StateFormat.first("model artifact");

  boolean published() {
    return !digest.isEmpty();
  }

  /** The last published version of its lineage, 0 for none: its own, else its parent. */
  long publishedVersion() {
    UpdateRecord.Published published = update.published();
    return published == null ? training().parentVersion() : published.version();
  }

  /** How it was trained. */
  UpdateRecord.Training training() {
    return update.requireTraining();
  }

  /** Digest of the manifest of {@link #publishedVersion()}, "" for none. */
  String publishedDigest() {
    return published() ? digest : parentDigest;
  }

  /** Whether a version was published of it, or of another training of the same update. */
  boolean madeAs(ModelManifest manifest) {
    return manifest.counts().getOrDefault("updateNumber", -1L) == update.number()
        && manifest.counts().getOrDefault("trainedNewSamples", -1L) == trainedNewSamples
        && manifest.parentDigest().equals(parentDigest)
        && manifest.inputOffsets().equals(inputOffsets);
  }

  AcceptedModel published(long version, String newDigest, long publishedAtMillis) {
    UpdateRecord done = update.published(new UpdateRecord.Published(version, publishedAtMillis));
    return new AcceptedModel(
        artifact,
        done,
        parentDigest,
        newDigest,
        inputOffsets,
        trainedNewSamples,
        rowChanges,
        false);
  }

  /** The same after its version was deleted by somebody: to be published again. */
  AcceptedModel lost() {
    return new AcceptedModel(
        artifact,
        update.continuing(publishedVersion()),
        digest,
        "",
        inputOffsets,
        trainedNewSamples,
        rowChanges,
        false);
  }

  /** The same, not to be published. */
  AcceptedModel withhold() {
    return new AcceptedModel(
        artifact, update, parentDigest, digest, inputOffsets, trainedNewSamples, rowChanges, true);
  }

  /**
   * What a published version was made of, in place of this model: the next update continues it.
   *
   * @param noRowChanges that say that no row has changed since; empty without tables
   */
  AcceptedModel replacedBy(ServedVersion version, byte[] noRowChanges) {
    return new AcceptedModel(
        version.artifact(),
        update.continuing(version.version()),
        version.digest(),
        "",
        inputOffsets,
        trainedNewSamples,
        noRowChanges,
        true);
  }

  /** Everything but the files, which change only with the model. */
  byte[] snapshot() {
    StateWriter out =
        FORMAT
            .writer()
            .putBytes(1, UpdateRecordState.snapshot(update))
            .putText(2, parentDigest)
            .putText(3, digest)
            .putLong(4, trainedNewSamples)
            .putBoolean(5, withheld);
    return InputPositions.put(out, 6, inputOffsets).bytes();
  }

  byte[] artifactSnapshot() {
    StateWriter out =
        ARTIFACT_FORMAT
            .writer()
            .putTexts(1, List.copyOf(artifact.files().keySet()))
            .putList(2, List.copyOf(artifact.files().values()));
    return rowChanges.length == 0 ? out.bytes() : out.putBytes(3, rowChanges).bytes();
  }

  /**
   * Takes {@link #snapshot()} and {@link #artifactSnapshot()} back.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if they are no such snapshots
   */
  static AcceptedModel restore(byte[] snapshot, byte[] artifactSnapshot) {
    StateReader in = FORMAT.reader(snapshot);
    return new AcceptedModel(
        restoreArtifact(artifactSnapshot),
        UpdateRecordState.restore(in.getBytes(1)),
        in.getText(2),
        in.getText(3),
        InputPositions.offsets(in, 6),
        in.getLong(4),
        restoreRowChanges(artifactSnapshot),
        in.getBoolean(5));
  }

  private static byte[] restoreRowChanges(byte[] snapshot) {
    StateReader in = ARTIFACT_FORMAT.reader(snapshot);
    return in.has(3) ? in.getBytes(3) : new byte[0];
  }

  private static ModelArtifact restoreArtifact(byte[] snapshot) {
    StateReader in = ARTIFACT_FORMAT.reader(snapshot);
    List<String> names = in.getTexts(1);
    List<byte[]> contents = in.getList(2);
    if (names.size() != contents.size()) {
      throw in.refused("it has %d names and %d files".formatted(names.size(), contents.size()));
    }
    SortedMap<String, byte[]> files = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      files.put(names.get(i), contents.get(i));
    }
    return new ModelArtifact(files);
  }
}
