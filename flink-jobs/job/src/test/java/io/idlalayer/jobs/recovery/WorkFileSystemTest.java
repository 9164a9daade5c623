package io.idlalayer.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkFileSystemTest {
  @TempDir Path folder;

  @Test
  void create_untilItIsClosed_theFileHasNoName() throws Exception {
    WorkIdentity work = WorkIdentity.open(folder);
    Path metadata = folder.resolve("chk-1").resolve("_metadata");
    var address = new org.apache.flink.core.fs.Path(work.address(metadata));
    FSDataOutputStream out =
        address.getFileSystem().create(address, FileSystem.WriteMode.NO_OVERWRITE);
    out.write("whole".getBytes(StandardCharsets.UTF_8));
    assertThat(metadata)
        .as("a process that dies now leaves nothing that looks whole")
        .doesNotExist();
    out.close();
    assertThat(Files.readString(metadata)).isEqualTo("whole");
    try (var files = Files.list(metadata.getParent())) {
      assertThat(files).containsExactly(metadata);
    }
  }
}
