package io.idlalayer.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ScratchFolderTest {
  @TempDir Path folder;

  @Test
  void open_afterAKilledProcess_deletesWhatItLeft() throws Exception {
    Path scratch = folder.resolve("scratch");
    try (ScratchFolder first = ScratchFolder.open(scratch, "first")) {
      Files.createDirectories(first.path().resolve("job_1/db"));
    }
    try (ScratchFolder second = ScratchFolder.open(scratch, "second")) {
      assertThat(Durable.children(second.path()))
          .containsExactly(scratch.resolve(ScratchFolder.MARKER));
    }
  }

  @Test
  void open_foldersOfOthersBesideIt_areNotTouched() throws Exception {
    Path foreign = Files.createDirectories(folder.resolve("job_payroll"));
    Files.writeString(foreign.resolve("salaries"), "secret");
    try (ScratchFolder ours = ScratchFolder.open(folder.resolve("idla-demo-w1"), "a run")) {
      assertThat(ours.path()).isDirectory();
    }
    assertThat(foreign.resolve("salaries")).hasContent("secret");
  }

  @Test
  void open_aFolderWithFilesAndNoMark_isRefused() throws Exception {
    Files.writeString(folder.resolve("job_1"), "somebody's");
    assertThatThrownBy(() -> ScratchFolder.open(folder, "a run"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has files but not the marker");
    assertThat(folder.resolve("job_1")).hasContent("somebody's");
  }

  @Test
  void open_aFolderInUse_isRefusedAndUnharmed() throws Exception {
    Path scratch = folder.resolve("scratch");
    try (ScratchFolder first = ScratchFolder.open(scratch, "the first run")) {
      Files.writeString(first.path().resolve("live"), "state");
      assertThatThrownBy(() -> ScratchFolder.open(scratch, "another"))
          .hasMessageContaining("is in use by process " + ProcessHandle.current().pid());
      assertThat(ScratchFolder.sweep(scratch)).isFalse();
      assertThat(scratch.resolve("live")).hasContent("state");
    }
    assertThat(ScratchFolder.sweep(scratch)).isTrue();
    assertThat(scratch).doesNotExist();
  }

  @Test
  void sweep_aFolderWithoutMark_isLeftAlone() throws Exception {
    Files.writeString(folder.resolve("file"), "somebody's");
    assertThat(ScratchFolder.sweep(folder)).isFalse();
    assertThat(folder.resolve("file")).exists();
  }
}
