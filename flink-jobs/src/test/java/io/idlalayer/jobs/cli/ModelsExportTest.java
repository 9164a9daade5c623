package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.ModelNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Versions as ONNX files. */
final class ModelsExportTest {
  @TempDir Path models;
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private SortedMap<String, byte[]> publish() throws IOException {
    SampleSchema schema =
        new SampleSchema(
            List.of("x", "label"),
            List.of(SampleSchema.DenseFeature.of("x")),
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
            null);
    ModelSpec spec =
        new ModelSpec(
            schema,
            new ModelSpec.Network.Mlp(List.of(3)),
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0),
            true);
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(1, true, false).encode());
    try (ModelNetwork network = NetworkFactory.create(spec, 1)) {
      files.put(ModelArtifact.NETWORK_FILE, network.encode());
    }
    publish(files);
    return files;
  }

  private void publish(SortedMap<String, byte[]> files) throws IOException {
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(
            new ModelDraft(
                "app",
                0,
                1,
                0,
                "",
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                files));
  }

  private int export(Path file) {
    CommandLine line = Idla.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(
        "models", "export", "app", file.toString(), "--models-dir", models.toString());
  }

  @Test
  void export_version_writesItOnce() throws Exception {
    SortedMap<String, byte[]> files = publish();
    Path file = folder.resolve("app.onnx");
    assertThat(export(file)).as(err.toString()).isZero();
    assertThat(file).hasBinaryContent(OnnxModel.of(new ModelArtifact(files), "app"));
    assertThat(out.toString()).startsWith("app v1, verified, as ONNX with ");
    assertThat(export(file)).isNotZero();
    assertThat(err.toString()).contains("exists; name a new file");
  }

  @Test
  void export_damagedModel_saysWhatIsWrongAndLeavesNoFile() throws Exception {
    SortedMap<String, byte[]> files = publish();
    files.put(ModelArtifact.NETWORK_FILE, new byte[] {1, 2, 3});
    publish(files);
    assertThat(export(folder.resolve("app.onnx"))).isNotZero();
    assertThat(err.toString()).contains("cannot be written as ONNX: ").contains("model.zip");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }
}
