package io.idlalayer.modelruntime.artifact;

import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The parsed files of a model that predicts: specification, scaler, network and mixture.
 *
 * @param network the network's file, as it is stored
 * @param mixture the experts that are averaged; null if the network is the only one
 */
public record ModelFiles(
    ModelSpec spec, FeatureScaler scaler, byte[] network, @Nullable ServedMixture mixture) {
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
    boolean target = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
    if (scaler.target().logLink() != (target && spec.loss().logLink())) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "scaler.json %s of the target, and spec.json has the loss %s",
              scaler.target().logLink() ? "takes logarithms" : "takes no logarithms",
              spec.loss().kind()));
    }
    return new ModelFiles(
        spec, scaler, artifact.file(ModelArtifact.NETWORK_FILE), mixture(artifact, spec, scaler));
  }

  /** Returns the mixture of a model; null if it has none. */
  private static @Nullable ServedMixture mixture(
      ModelArtifact artifact, ModelSpec spec, FeatureScaler scaler) throws MalformedModelException {
    byte[] file = artifact.files().get(ModelArtifact.MIXTURE_FILE);
    if (file == null) {
      return null;
    }
    ServedMixture mixture = ServedMixture.decode(file, spec);
    boolean target = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
    return target ? mixture.limited(scaler) : mixture;
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
