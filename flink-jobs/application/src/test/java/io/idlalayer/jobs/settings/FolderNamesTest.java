package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class FolderNamesTest {
  @Test
  void path_ofBytesThatAreNoText_namesTheLanguageSettings() {
    assertThatThrownBy(() -> FolderNames.path("j\ufffd\ufffdrgen"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'j\\ufffd\\ufffdrgen' has characters that the language settings")
        .hasMessageEndingWith("set LC_ALL=C.UTF-8");
  }

  @Test
  void path_ofAnImpossibleName_isRefused() {
    assertThatThrownBy(() -> FolderNames.path("a\0b")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void path_ofAnyOtherText_isThatPath() {
    assertThat(FolderNames.path("a/b c")).isEqualTo(Path.of("a/b c"));
  }
}
