package io.idlalayer.jobs.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SubmittedJobsTest {
  @TempDir Path work;

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1]", "null", "{\"format\": 99}"})
  void list_fileThatIsDamaged_isRefusedWithItsPath(String text) throws Exception {
    Path file = Files.createDirectories(work.resolve("cluster/jobs")).resolve("clicks.json");
    Files.writeString(file, text);
    assertThatThrownBy(() -> new SubmittedJobs(work).list())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageNotContaining("Source");
  }
}
