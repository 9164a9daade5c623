package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.ScaleFolding;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.io.IOException;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what networks predict while the scale of their inputs becomes known, if they began with a
 * file: a network that was trained elsewhere takes numbers as they are. A network that begins fresh
 * knows nothing that a change of the scale could spoil.
 */
final class FollowedScale {
  private final ScaleFolding folding;

  FollowedScale(ModelSpec spec) {
    folding = new ScaleFolding(spec);
  }

  /**
   * Returns whether a network follows a change of its scaler.
   *
   * @param base model that it is of; null for a fresh one
   * @param scaler scaler of the model
   */
  boolean follows(@Nullable ModelArtifact base, FeatureScaler scaler)
      throws MalformedModelException {
    byte[] file = base == null ? null : base.files().get(ModelArtifact.START_FILE);
    return file != null && ModelStart.decode(file).follows(scaler);
  }

  /** Returns the file of a network that predicts the same under another scaler. */
  byte[] fold(byte[] file, FeatureScaler from, FeatureScaler to) throws IOException {
    return folding.fold(file, from, to);
  }

  /** Adds to the files of a model where the lineage of its base began. */
  static void keepStart(@Nullable ModelArtifact base, SortedMap<String, byte[]> files) {
    byte[] file = base == null ? null : base.files().get(ModelArtifact.START_FILE);
    if (file != null) {
      files.put(ModelArtifact.START_FILE, file);
    }
  }
}
