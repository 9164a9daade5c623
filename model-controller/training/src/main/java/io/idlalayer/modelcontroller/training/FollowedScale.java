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
 * Keeps the predictions of a network unchanged while the scale of its inputs is being learned, if
 * the network began with a starting network from a file. The starting network was trained by
 * another program, on unscaled numbers. A new network needs no such correction, because it has
 * learned nothing yet.
 */
final class FollowedScale {
  private final ScaleFolding folding;

  FollowedScale(ModelSpec spec) {
    folding = new ScaleFolding(spec);
  }

  /**
   * Returns whether a network follows a change of its scaler.
   *
   * @param base model of the network; null for a new network
   * @param scaler scaler of the model
   */
  boolean follows(@Nullable ModelArtifact base, FeatureScaler scaler)
      throws MalformedModelException {
    byte[] file = base == null ? null : base.files().get(ModelArtifact.START_FILE);
    return file != null && ModelStart.decode(file).follows(scaler);
  }

  /** Returns the file of a network that makes the same predictions with another scaler. */
  byte[] fold(byte[] file, FeatureScaler from, FeatureScaler to) throws IOException {
    return folding.fold(file, from, to);
  }

  /**
   * Copies the file that describes the start of the base model's lineage to the files of a model.
   */
  static void keepStart(@Nullable ModelArtifact base, SortedMap<String, byte[]> files) {
    byte[] file = base == null ? null : base.files().get(ModelArtifact.START_FILE);
    if (file != null) {
      files.put(ModelArtifact.START_FILE, file);
    }
  }
}
