package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Files of a model whose parameters a test chooses. */
final class TinyNetwork {
  private static final String MODE = "MIXED_DATA_TYPES";
  private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

  static final ModelSpec SPEC =
      new ModelSpec(
          new SampleSchema(
              List.of(),
              List.of(SampleSchema.DenseFeature.of("x")),
              List.of(),
              new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("a", "b")),
              null),
          new ModelSpec.Network.Mlp(List.of(4)),
          new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0),
          true);

  private TinyNetwork() {}

  static SortedMap<String, byte[]> files(float... parameters) {
    return files(parameters, new float[0]);
  }

  /**
   * Returns the files of a model.
   *
   * @param state updater state; empty for none
   */
  static SortedMap<String, byte[]> files(float[] parameters, float[] state) {
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.NETWORK_FILE, zip(parameters, state));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(SPEC).encode());
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(SPEC));
    return files;
  }

  private static byte[] zip(float[] parameters, float[] state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(entry(ModelArtifact.CONFIGURATION_ENTRY));
      zip.write("{}".getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
      put(zip, ModelArtifact.COEFFICIENTS_ENTRY, parameters);
      if (state.length > 0) {
        put(zip, ModelArtifact.UPDATER_STATE_ENTRY, state);
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  /** Returns an entry whose bytes do not depend on the time, as the product writes them. */
  private static ZipEntry entry(String name) {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(ENTRY_TIME);
    return entry;
  }

  private static void put(ZipOutputStream zip, String entry, float[] values) throws IOException {
    zip.putNextEntry(entry(entry));
    DataOutputStream out = new DataOutputStream(zip);
    out.writeUTF(MODE);
    out.writeLong(8);
    out.writeUTF("LONG");
    for (long each : new long[] {2, 1, values.length, values.length, 1, 0, 1, 'c'}) {
      out.writeLong(each);
    }
    out.writeUTF(MODE);
    out.writeLong(values.length);
    out.writeUTF("FLOAT");
    for (float each : values) {
      out.writeFloat(each);
    }
    out.flush();
    zip.closeEntry();
  }
}
