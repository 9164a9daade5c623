package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeLimitTest {
  private static final String APPLICATION =
      """
      name: app
      input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
      training: {time-limit: %s}
      """;

  @TempDir Path folder;

  private double seconds(String limit) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), APPLICATION.formatted(limit))
        .model()
        .fit()
        .timeLimitSeconds();
  }

  @Test
  void timeLimit_isADurationAndHalfAnHourByDefault() throws Exception {
    assertThat(seconds("90s")).isEqualTo(90);
    assertThat(seconds("2h")).isEqualTo(7_200);
    assertThat(seconds("")).isEqualTo(1_800);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0s", "500ms", "8d", "30"})
  void timeLimit_outOfRangeOrNoDuration_isRefused(String limit) {
    assertThatThrownBy(() -> seconds(limit))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("training.time-limit");
  }
}
