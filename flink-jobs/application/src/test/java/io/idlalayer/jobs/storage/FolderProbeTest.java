package io.idlalayer.jobs.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FolderProbeTest {
  private static final Path FOLDER = Path.of("/w/checkpoints");

  @TempDir Path folder;

  /** A file system that refuses to write. */
  private record FaultyDisk(@Nullable String reason, long freeBytes) implements FolderProbe.Disk {
    @Override
    public void tryOut(Path where) throws IOException {
      if (reason != null) {
        throw new FileSystemException(where + "/.probe-1", null, reason);
      }
    }

    @Override
    public long freeBytes(Path where) {
      return freeBytes;
    }
  }

  private static @Nullable StorageFault look(@Nullable String reason, long freeBytes) {
    return new FolderProbe(new FaultyDisk(reason, freeBytes)).look(List.of(FOLDER)).orElse(null);
  }

  @Test
  void look_foldersThatCannotBeWritten_namesFolderAndCause() {
    assertThat(look("Operation not permitted", 1L << 30))
        .isEqualTo(new StorageFault(StorageCause.REFUSED, FOLDER, "Operation not permitted"));
    assertThat(look("No space left on device", 0))
        .isEqualTo(new StorageFault(StorageCause.FULL, FOLDER, "No space left on device"));
  }

  @Test
  void look_aFewBytesLeft_isFullInAnyLanguage() {
    assertThat(look(null, 12 << 10))
        .isEqualTo(new StorageFault(StorageCause.FULL, FOLDER, "12 KiB left"));
    assertThat(look("Auf dem Gerät ist kein Speicherplatz mehr verfügbar", 0))
        .isEqualTo(new StorageFault(StorageCause.FULL, FOLDER, "0 KiB left"));
    assertThat(look(null, 1L << 30)).isNull();
  }

  @Test
  void look_realFolders_leavesNothingAndFindsWhatIsGone() throws IOException {
    FolderProbe probe = new FolderProbe();
    assertThat(probe.look(List.of(folder))).isEmpty();
    assertThat(folder).isEmptyDirectory();
    Path file = Files.writeString(folder.resolve("file"), "in its place");
    assertThat(probe.look(List.of(folder, file)))
        .hasValueSatisfying(
            fault -> {
              assertThat(fault.cause()).isEqualTo(StorageCause.GONE);
              assertThat(fault.place()).isEqualTo(file);
            });
    assertThat(probe.look(List.of(folder.resolve("none"))))
        .hasValueSatisfying(fault -> assertThat(fault.cause()).isEqualTo(StorageCause.GONE));
  }
}
