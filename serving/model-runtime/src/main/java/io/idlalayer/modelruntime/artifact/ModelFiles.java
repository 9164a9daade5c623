package io.idlalayer.modelruntime.artifact;

import java.io.IOException;

/**
 * The parsed files of a model that predicts: specification, scaler and network.
 *
 * @param network the network's file, as it is stored
 */
public record ModelFiles(ModelSpec spec, FeatureScaler scaler, byte[] network) {
  /**
   * Reads the files of a model and checks that they belong together.
   *
   * @param largestBytes limit of all files together
   * @throws MalformedModelException if a file is missing, or the files do not belong together
   * @throws IOException if a file is not what a trainer writes
   */
  public static ModelFiles read(ModelArtifact artifact, long largestBytes) throws IOException {
    if (artifact.bytes() > largestBytes) {
      throw new MalformedModelException(
          "the model's files have %d bytes, more than the %d that are allowed"
              .formatted(artifact.bytes(), largestBytes));
    }
    ModelSpec spec = ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE));
    FeatureScaler scaler = FeatureScaler.decode(artifact.file(ModelArtifact.SCALER_FILE));
    if (scaler.denseWidth() != spec.schema().denseWidth()) {
      throw new MalformedModelException(
          "scaler.json scales %d values, and spec.json names %d"
              .formatted(scaler.denseWidth(), spec.schema().denseWidth()));
    }
    return new ModelFiles(spec, scaler, artifact.file(ModelArtifact.NETWORK_FILE));
  }
}
