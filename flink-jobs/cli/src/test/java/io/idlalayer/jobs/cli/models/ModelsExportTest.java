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

  private String repository(Path into, String... more) {
    return idla.printed(
        "models export app --repository", into, "--models-dir", models, List.of((Object[]) more));
  }

  @Test
  void export_toARepository_hasTheLayoutThatTritonReads() throws Exception {
    SortedMap<String, byte[]> files = publish();
    publish(files);
    Path into = folder.resolve("repository");
    assertThat(repository(into)).startsWith("app v2, verified, as ONNX with ");
    Path app = into.resolve("app");
    byte[] onnx = OnnxModel.of(new ModelArtifact(files), "app");
    assertThat(app.resolve("2/model.onnx")).hasBinaryContent(onnx);
    String config = Files.readString(app.resolve("config.pbtxt"));
    assertThat(config)
        .isEqualTo(
            """
            name: "app"
            platform: "onnxruntime_onnx"
            backend: "onnxruntime"
            max_batch_size: 0
            input [
              { name: "features", data_type: TYPE_FP64, dims: [ -1, 1 ] }
            ]
            output [
              { name: "probabilities", data_type: TYPE_FP32, dims: [ -1, 2 ] },
              { name: "class", data_type: TYPE_INT64, dims: [ -1 ] }
            ]
            version_policy: { specific: { versions: [ 2 ] } }
            parameters { key: "idlalayer" value: { string_value: "application app, partition 0" } }
            """);
    assertThat(repository(into)).contains("is already in ");
    assertThat(repository(into, "--version-number", "1")).contains("app v1");
    assertThat(Files.readString(app.resolve("config.pbtxt")))
        .as("the one that was exported last serves")
        .isEqualTo(config.replace("[ 2 ]", "[ 1 ]"));
    assertThat(repository(into)).contains("is already in ");
    assertThat(Files.readString(app.resolve("config.pbtxt"))).isEqualTo(config);
    try (Stream<Path> left = Files.list(app)) {
      assertThat(left.map(each -> each.getFileName().toString()))
          .containsExactlyInAnyOrder("1", "2", "config.pbtxt");
    }
    Files.write(app.resolve("1/model.onnx"), new byte[] {1});
    assertThat(
            idla.run(
                "models export app --version-number 1 --repository", into, "--models-dir", models))
        .isNotZero();
    assertThat(idla.err()).contains("is another model; name another repository");
    Files.writeString(app.resolve("config.pbtxt"), config.replace("partition 0", "partition 1"));
    assertThat(idla.run("models export app --repository", into, "--models-dir", models))
        .isNotZero();
    assertThat(idla.err()).contains("is not that of application app, partition 0");
  }

  @Test
  void export_toBothOrNeither_isRefused() throws Exception {
    publish();
    String message = "name either FILE or --repository FOLDER";
    idla.assertUsage(message, "models export app --models-dir", models);
    idla.assertUsage(
        message, "models export app x.onnx --repository", folder, "--models-dir", models);
  }
}
