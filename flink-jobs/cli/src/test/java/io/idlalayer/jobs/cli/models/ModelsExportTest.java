package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions as ONNX files. */
final class ModelsExportTest {
  @TempDir Path models;
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();

  private SortedMap<String, byte[]> publish() throws IOException {
    SortedMap<String, byte[]> files = SmallModels.files("x", List.of("no", "yes"));
    publish(files);
    return files;
  }

  private void publish(SortedMap<String, byte[]> files) throws IOException {
    new ModelStore(models, InstantSource.system()).claim("app", 0).publish(Drafts.of("app", files));
  }

  private int export(Path file) {
    return idla.run("models export app", file, "--models-dir", models);
  }

  @Test
  void export_version_writesItOnce() throws Exception {
    SortedMap<String, byte[]> files = publish();
    Path file = folder.resolve("app.onnx");
    assertThat(export(file)).as(idla.err()).isZero();
    assertThat(file).hasBinaryContent(OnnxModel.of(new ModelArtifact(files), "app"));
    assertThat(idla.out()).startsWith("app v1, verified, as ONNX with ");
    assertThat(export(file)).isNotZero();
    assertThat(idla.err()).contains("exists; name a new file");
  }

  @Test
  void export_damagedModel_saysWhatIsWrongAndLeavesNoFile() throws Exception {
    SortedMap<String, byte[]> files = publish();
    files.put(ModelArtifact.NETWORK_FILE, new byte[] {1, 2, 3});
    publish(files);
    assertThat(export(folder.resolve("app.onnx"))).isNotZero();
    assertThat(idla.err()).contains("cannot be written as ONNX: ").contains("model.zip");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }
}
