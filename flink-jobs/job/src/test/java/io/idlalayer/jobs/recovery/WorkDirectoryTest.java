package io.idlalayer.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkDirectoryTest {
  @TempDir Path folder;

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void open_newFolder_isPrivate() throws Exception {
    Path work = folder.resolve("a/work");
    try (WorkDirectory made = WorkDirectory.open(work)) {
      assertThat(permissions(work)).isEqualTo("rwx------");
      assertThat(made.warning()).isNull();
    }
  }

  @Test
  void open_oursThatOthersMayRead_isClosed() throws Exception {
    Path work = folder.resolve("work");
    WorkDirectory.open(work).close();
    Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (WorkDirectory again = WorkDirectory.open(work)) {
      assertThat(again.warning()).contains("is private now");
      assertThat(permissions(work)).isEqualTo("rwx------");
    }
  }

  @Test
  void open_aFolderWithOtherFiles_isWarnedOfAndLeft() throws Exception {
    Path work = Files.createDirectory(folder.resolve("shared"));
    Files.writeString(work.resolve("theirs"), "x");
    Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (WorkDirectory opened = WorkDirectory.open(work)) {
      assertThat(opened.warning()).contains("chmod 700");
      assertThat(permissions(work)).isEqualTo("rwxr-xr-x");
    }
  }

  @Test
  void open_namesThatKafkaFlinkOrRocksDbCannotOpen_areRefusedBeforeAnythingIsMade() {
    assertRefused("a,b", "has a ',', which Kafka and Flink take for the end of a folder's name");
    assertRefused("a:b", "has a ':', which Kafka and Flink take for the end of a folder's name");
    assertRefused("\u20ac\ud83d\ude00", "has a character outside the basic plane of Unicode");
    assertRefused("a\nb", "has a control character, which RocksDB cannot open");
  }

  private void assertRefused(String name, String reason) {
    Path work = folder.resolve(name);
    assertThatThrownBy(() -> WorkDirectory.open(work))
        .isInstanceOf(java.io.IOException.class)
        .hasMessageStartingWith("the work directory '")
        .hasMessageContaining(reason)
        .hasMessageEndingWith("; choose another with --work-dir");
    assertThat(work).doesNotExist();
  }

  @Test
  void open_spacesUmlautsAndOtherSigns_areNames() throws Exception {
    for (String name : java.util.List.of("a b", "j\u00f6rg", "100%", "a;b", "#1", "[x]")) {
      WorkDirectory.open(folder.resolve(name)).close();
    }
  }
}
