package io.idlalayer.modelruntime.artifact;

import java.io.IOException;
import java.util.Locale;

/**
 * The parsed files of a model that predicts: specification, scaler and network.
 *
 * @param network the network's file, as it is stored
 */
public record ModelFiles(ModelSpec spec, FeatureScaler scaler, byte[] network) {
  /** Bytes of memory that the scaler of a column takes. */
  private static final int COLUMN_BYTES = 512;

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
          String.format(
              Locale.ROOT,
              "the model's files have %d bytes, more than the %d that are allowed",
              artifact.bytes(),
              largestBytes));
    }
    ModelSpec spec = ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE));
    checkWidths(spec, largestBytes);
    FeatureScaler scaler = FeatureScaler.decode(artifact.file(ModelArtifact.SCALER_FILE));
    if (scaler.denseWidth() != spec.schema().denseWidth()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "scaler.json scales %d values, and spec.json names %d",
              scaler.denseWidth(),
              spec.schema().denseWidth()));
    }
    if (scaler.contextWidth() != spec.schema().contextWidth()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "scaler.json scales contexts of %d values, and spec.json asks for %d",
              scaler.contextWidth(),
              spec.schema().contextWidth()));
    }
    if (scaler.bins() != spec.bins()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "scaler.json has %d bins for each value, and spec.json asks for %d",
              scaler.bins(),
              spec.bins()));
    }
    return new ModelFiles(spec, scaler, artifact.file(ModelArtifact.NETWORK_FILE));
  }

  /**
   * Refuses a specification whose columns or rows would take more memory than a model may: a few
   * bytes of JSON can name any width.
   */
  private static void checkWidths(ModelSpec spec, long largestBytes)
      throws MalformedModelException {
    long columns = (long) spec.schema().denseWidth() + spec.schema().contextWidth();
    if (columns > largestBytes / COLUMN_BYTES || spec.inputWidth() > largestBytes / Float.BYTES) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "spec.json has %d numbers and %d columns, more than a model of %d bytes can have",
              columns,
              spec.inputWidth(),
              largestBytes));
    }
    for (ModelSpec.Table table : spec.embeddings().tables()) {
      if (spec.rowWeights(table) > largestBytes / Float.BYTES) {
        throw new MalformedModelException(
            String.format(
                Locale.ROOT,
                "spec.json has rows of %d numbers in table %s, more than a model of %d bytes can"
                    + " have",
                spec.rowWeights(table),
                table.name(),
                largestBytes));
      }
    }
  }
}
