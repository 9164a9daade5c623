package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 */
record AcceptedModel(
    ModelArtifact artifact,
    UpdateRecord update,
    String parentDigest,
    String digest,
    SortedMap<String, Long> inputOffsets,
    long trainedNewSamples) {
  private static final byte VERSION = 1;
  private static final byte ARTIFACT_VERSION = 1;

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

  AcceptedModel published(long version, String newDigest, long publishedAtMillis) {
    UpdateRecord done = update.published(new UpdateRecord.Published(version, publishedAtMillis));
    return new AcceptedModel(
        artifact, done, parentDigest, newDigest, inputOffsets, trainedNewSamples);
  }

  byte[] encodeArtifact() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) artifact.bytes() + 256);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(ARTIFACT_VERSION);
      out.writeInt(artifact.files().size());
      for (var file : artifact.files().entrySet()) {
        out.writeUTF(file.getKey());
        out.writeInt(file.getValue().length);
        out.write(file.getValue());
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  byte[] encodeHead() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      UpdateRecords.write(out, update);
      out.writeUTF(parentDigest);
      out.writeUTF(digest);
      out.writeInt(inputOffsets.size());
      for (var offset : inputOffsets.entrySet()) {
        out.writeUTF(offset.getKey());
        out.writeLong(offset.getValue());
      }
      out.writeLong(trainedNewSamples);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  static AcceptedModel decode(byte[] head, byte[] artifact) {
    ModelArtifact files = decodeArtifact(artifact);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(head))) {
      StateVersions.require("model", VERSION, in.readByte());
      UpdateRecord update = UpdateRecords.read(in);
      String parentDigest = in.readUTF();
      String digest = in.readUTF();
      SortedMap<String, Long> offsets = new TreeMap<>();
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        offsets.put(in.readUTF(), in.readLong());
      }
      return new AcceptedModel(files, update, parentDigest, digest, offsets, in.readLong());
    } catch (IOException truncated) {
      throw new UncheckedIOException("model state is truncated", truncated);
    }
  }

  private static ModelArtifact decodeArtifact(byte[] encoded) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      StateVersions.require("model artifact", ARTIFACT_VERSION, in.readByte());
      SortedMap<String, byte[]> files = new TreeMap<>();
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        String name = in.readUTF();
        files.put(name, in.readNBytes(in.readInt()));
      }
      return new ModelArtifact(files);
    } catch (IOException truncated) {
      throw new UncheckedIOException("model artifact state is truncated", truncated);
    }
  }
}
