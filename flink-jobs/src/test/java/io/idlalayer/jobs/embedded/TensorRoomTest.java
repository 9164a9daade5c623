package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TensorRoomTest {
  @TempDir Path folder;

  private List<ApplicationSettings> application(String tensors) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 2
        input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
        memory: {hot-bytes: 1MiB, tensors: {%s}}
        """
            .formatted(tensors));
    return List.of(ApplicationFileReader.read(file, variable -> null));
  }

  @Test
  void whatFitsIsAccepted_andItsDirectoryIsMade() throws Exception {
    Path tensors = folder.resolve("a/b");
    assertThatCode(() -> TensorRoom.check(application("fast-bytes: 1MiB"), tensors))
        .doesNotThrowAnyException();
    assertThat(tensors).isDirectory();
  }

  @Test
  void withoutPlacedTensorsNothingIsTouched() throws Exception {
    TensorRoom.check(application("fast-bytes: 0, slow-bytes:"), folder.resolve("none"));
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @Test
  void everyLearnerCounts_andTheMessageSaysWhatToSet() throws Exception {
    List<ApplicationSettings> both = application("fast-bytes: 100MiB");
    assertThat(TensorRoom.fast(both, 330L << 20)).isEmpty();
    assertThat(TensorRoom.fast(both, 329L << 20))
        .singleElement()
        .asString()
        .contains("209,715,200 bytes", "2,097,152", "-XX:MaxDirectMemorySize=331m");
  }

  @Test
  void allProblemsComeAtOnce() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    List<ApplicationSettings> both =
        application("fast-bytes: 1TiB, slow-directory: %s/x".formatted(file));
    assertThatThrownBy(() -> TensorRoom.check(both, folder))
        .hasMessageContaining("memory.tensors.fast-bytes")
        .hasMessageContaining("memory.tensors.slow-directory " + file + "/x cannot be used");
    List<ApplicationSettings> huge = application("fast-bytes: 1MiB, slow-bytes: 1000TiB");
    assertThatThrownBy(() -> TensorRoom.check(huge, folder))
        .hasMessageContaining("memory.tensors.slow-bytes")
        .hasMessageContaining("has room for");
  }
}
