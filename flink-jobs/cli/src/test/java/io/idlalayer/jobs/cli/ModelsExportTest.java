package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
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
    SortedMap<String, byte[]> files = SmallModels.files("x", List.of("no", "yes"));
    publish(files);
    return files;
  }

  private void publish(SortedMap<String, byte[]> files) throws IOException {
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(SmallModels.draft("app", files));
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
