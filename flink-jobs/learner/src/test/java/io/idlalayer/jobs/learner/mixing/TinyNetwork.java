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
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Files of a model whose parameters a test chooses. */
final class TinyNetwork {
  private static final String MODE = "MIXED_DATA_TYPES";

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
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.NETWORK_FILE, zip(parameters));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(SPEC).encode());
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(SPEC));
    return files;
  }

  private static byte[] zip(float[] parameters) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry(ModelArtifact.CONFIGURATION_ENTRY));
      zip.write("{}".getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
      zip.putNextEntry(new ZipEntry(ModelArtifact.COEFFICIENTS_ENTRY));
      DataOutputStream out = new DataOutputStream(zip);
      out.writeUTF(MODE);
      out.writeLong(8);
      out.writeUTF("LONG");
      for (long each : new long[] {2, 1, parameters.length, parameters.length, 1, 0, 1, 'c'}) {
        out.writeLong(each);
      }
      out.writeUTF(MODE);
      out.writeLong(parameters.length);
      out.writeUTF("FLOAT");
      for (float each : parameters) {
        out.writeFloat(each);
      }
      out.flush();
      zip.closeEntry();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }
}
