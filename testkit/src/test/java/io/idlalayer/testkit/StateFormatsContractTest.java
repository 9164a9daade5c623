package io.idlalayer.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.testkit.StateFormatsContract.PinnedState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes of released versions must be read, whatever this build writes. */
final class StateFormatsContractTest {
  @TempDir Path folder;

  /** A state in two versions; it is written in the second. */
  private static final PinnedState STATE =
      new PinnedState(
          "counts",
          () -> new byte[] {2, 7},
          bytes -> {
            if (bytes[0] != 1 && bytes[0] != 2) {
              throw new IllegalArgumentException("version " + bytes[0]);
            }
            return new byte[] {2, bytes[1]};
          });

  private void released(String version, String line) throws IOException {
    Files.writeString(
        folder.resolve("state-formats-%s.properties".formatted(version)),
        "# Bytes of state, in hexadecimal.\n" + line + "\n");
  }

  private void check() throws IOException {
    StateFormatsContract.assertReleasedAreRead(folder, List.of(STATE));
  }

  @Test
  void released_inAnOlderFormat_isRead() throws Exception {
    check();
    released("0.1.0", "counts=0107");
    released("0.2.0", "counts=0207");
    check();
  }

  @Test
  void released_thatIsNotReadAnyMore_failsByNameAndVersion() throws Exception {
    released("0.2.0", "counts=0207");
    released("0.1.0", "counts=0007");
    assertThatThrownBy(this::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("'counts'")
        .hasMessageContaining("state-formats-0.1.0.properties")
        .hasRootCauseMessage("version 0");
  }

  @Test
  void released_withoutAnExampleAnyMore_fails() throws Exception {
    released("0.1.0", "gone=0107");
    assertThatThrownBy(this::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("'gone'");
  }

  @Test
  void thisBuildsFile_isNoRelease() throws Exception {
    Files.writeString(folder.resolve("state-formats.properties"), "counts=0007\n");
    check();
  }
}
