package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.modelcontroller.training.ModelArtifact;
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
 * @param update its update; {@code version} and {@code publishedAtMillis} are 0 until published
 * @param parentDigest digest of the parent version's manifest, "" for a first model
 * @param digest digest of its own manifest, "" until published
 * @param inputOffsets how far the input was read when the update fired
 * @param trainedNewSamples over the whole lineage, this update included
 */
record AcceptedModel(
    ModelArtifact artifact,
    UpdateView update,
    String parentDigest,
    String digest,
    SortedMap<String, Long> inputOffsets,
    long trainedNewSamples) {
  private static final byte VERSION = 3;
  private static final byte WITHOUT_BASIS = 1;
  private static final byte WITHOUT_TENSORS = 2;
  private static final byte ARTIFACT_VERSION = 1;

  boolean published() {
    return !digest.isEmpty();
  }

  AcceptedModel published(long version, String newDigest, long publishedAtMillis) {
    UpdateView done = update.published(version, publishedAtMillis);
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
      out.writeLong(update.number());
      out.writeLong(update.version());
      out.writeLong(update.parentVersion());
      out.writeLong(update.firedAtMillis());
      out.writeUTF(update.rule());
      out.writeUTF(update.reason());
      out.writeDouble(update.regretSampleSeconds());
      out.writeDouble(update.thresholdSampleSeconds());
      out.writeInt(update.newSamples());
      out.writeInt(update.replayedSamples());
      out.writeDouble(update.trainSeconds());
      out.writeDouble(update.predictedTrainSeconds());
      out.writeDouble(update.meanLossBefore());
      out.writeDouble(update.meanLossAfter());
      out.writeLong(update.publishedAtMillis());
      out.writeUTF(parentDigest);
      out.writeUTF(digest);
      out.writeInt(inputOffsets.size());
      for (var offset : inputOffsets.entrySet()) {
        out.writeUTF(offset.getKey());
        out.writeLong(offset.getValue());
      }
      out.writeLong(trainedNewSamples);
      writeBasis(out, update.basis());
      TensorUseState.write(out, update.tensors());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static void writeBasis(DataOutputStream out, UpdateView.Basis basis) throws IOException {
    out.writeDouble(basis.certifiedRatio());
    out.writeDouble(basis.predictedTrainSecondsLow());
    out.writeDouble(basis.predictedTrainSecondsHigh());
    out.writeDouble(basis.secondsPerSample());
    out.writeDouble(basis.fixedSeconds());
    out.writeDouble(basis.weight());
    out.writeDouble(basis.urgency());
  }

  private static UpdateView.Basis readBasis(DataInputStream in) throws IOException {
    return new UpdateView.Basis(
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble());
  }

  static AcceptedModel decode(byte[] head, byte[] artifact) {
    ModelArtifact files = decodeArtifact(artifact);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(head))) {
      byte version = StateVersions.require("model", WITHOUT_BASIS, VERSION, in.readByte());
      UpdateView update =
          new UpdateView(
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readUTF(),
              in.readUTF(),
              in.readDouble(),
              in.readDouble(),
              in.readInt(),
              in.readInt(),
              in.readDouble(),
              in.readDouble(),
              in.readDouble(),
              in.readDouble(),
              in.readLong(),
              UpdateView.Basis.UNKNOWN,
              null);
      String parentDigest = in.readUTF();
      String digest = in.readUTF();
      SortedMap<String, Long> offsets = new TreeMap<>();
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        offsets.put(in.readUTF(), in.readLong());
      }
      long trained = in.readLong();
      UpdateView whole = version == WITHOUT_BASIS ? update : update.with(readBasis(in));
      if (version > WITHOUT_TENSORS) {
        whole = whole.with(TensorUseState.read(in));
      }
      return new AcceptedModel(files, whole, parentDigest, digest, offsets, trained);
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
