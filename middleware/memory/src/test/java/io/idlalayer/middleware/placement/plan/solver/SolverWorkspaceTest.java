package io.idlalayer.middleware.placement.plan.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SolverWorkspaceTest {
  @TempDir Path temporary;

  private Path left(Duration age) throws IOException {
    Path folder = Files.createTempDirectory(temporary, "idla-solver-");
    Files.createFile(folder.resolve("lock"));
    Files.createDirectories(folder.resolve("natives"));
    Files.writeString(folder.resolve("natives").resolve("library"), "unpacked");
    Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(age)));
    return folder;
  }

  @Test
  void create_folderOfAKilledProcess_isDeleted() throws Exception {
    Path old = left(Duration.ofHours(1));
    Path young = left(Duration.ofSeconds(5));
    Path other = Files.createDirectory(temporary.resolve("other"));
    try (SolverWorkspace workspace = SolverWorkspace.create(temporary)) {
      assertThat(old).doesNotExist();
      assertThat(young).exists();
      assertThat(other).exists();
      assertThat(workspace.folder()).isDirectory();
      assertThat(Files.getPosixFilePermissions(workspace.folder())).hasSize(3);
    }
  }

  @Test
  void create_folderInUse_stays() throws Exception {
    try (SolverWorkspace used = SolverWorkspace.create(temporary)) {
      FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
      Files.setLastModifiedTime(used.folder(), longAgo);
      try (SolverWorkspace workspace = SolverWorkspace.create(temporary)) {
        assertThat(used.folder()).exists().isNotEqualTo(workspace.folder());
      }
    }
    assertThat(temporary).isEmptyDirectory();
  }
}
