package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The network of an application whose file says little or nothing about it. */
final class NetworkDefaultsTest {
  private static final String CLASSES =
      """
      name: app
      input: {format: csv, columns: [a, b, y], features: [a, b], label: y, classes: 2}
      """;

  @TempDir Path folder;

  private ModelSpec model(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text).model();
  }

  private ModelSpec model(String from, String to) throws Exception {
    assertThat(CLASSES).contains(from);
    return model(CLASSES.replace(from, to));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model: {}                                  | 4 | 0.01",
        "history: {labels: 1}                       | 4 | 0.01",
        "history: {labels: 1}\\nmodel: {members: 1}  | 1 | 0.01",
        "model: {members: 2}                        | 2 | 0.01",
        "model: {members: 1}                        | 1 | 0.001",
        "model: {hidden: [16]}                      | 1 | 0.001",
        "model: {hidden: [16], members: 3}          | 3 | 0.01",
        "training: {engine: deeplearning4j}         | 1 | 0.001",
        "training: {learning-rate: 0.2}             | 4 | 0.2",
      })
  void read_classes_haveFourMembersUnlessTheFileDescribesTheNetwork(
      String added, int members, double learningRate) throws Exception {
    ModelSpec model = model(CLASSES + added.replace("\\n", "\n") + "\n");
    assertThat(model.plainMembers()).isEqualTo(members);
    assertThat(model.fit().learningRate()).isEqualTo(learningRate);
  }

  @Test
  void read_targetsOrIds_haveOneNetwork() throws Exception {
    ModelSpec targets = model("classes: 2", "task: regression");
    assertThat(targets.network()).isEqualTo(new ModelSpec.Network.Mlp(List.of(64, 32)));
    assertThat(targets.fit().learningRate()).isEqualTo(0.001);
    String tables = CLASSES.replace("features: [a, b]", "features: [a], ids: [b]");
    ModelSpec ids = model(tables + "embeddings: {dim: 4}\n");
    assertThat(ids.plainMembers()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"255, 4", "256, 1"})
  void read_manyInputs_haveOneNetwork(int buckets, int members) throws Exception {
    String features =
        String.format(Locale.ROOT, "features: [a], categorical: [{name: b, buckets: %d}]", buckets);
    assertThat(model("features: [a, b]", features).plainMembers()).isEqualTo(members);
  }
}
