package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.recovery.ScratchFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a demo deletes of earlier ones. */
final class DemoFoldersTest {
  @TempDir Path temporary;

  private Path left(String name) throws Exception {
    Path folder = temporary.resolve(name);
    ScratchFolder.open(folder, "an earlier demo").close();
    Files.createDirectories(folder.resolve("kafka"));
    Files.writeString(folder.resolve("kafka").resolve("events.log"), "left");
    return folder;
  }

  @Test
  void sweep_endedDemos_areDeletedAndNothingElseIs() throws Exception {
    Path ended = left("idla-demo-1");
    Path runs = temporary.resolve("idla-demo-2");
    Path unmarked = Files.createDirectory(temporary.resolve("idla-demo-3"));
    Files.writeString(unmarked.resolve("photo"), "theirs");
    Path otherName = left("payroll-1");
    Path elsewhere = left("linked");
    Path link = Files.createSymbolicLink(temporary.resolve("idla-demo-4"), elsewhere);
    Path file = Files.writeString(temporary.resolve("idla-demo-5"), "a file");
    try (ScratchFolder held = ScratchFolder.open(runs, "a demo that runs")) {
      Files.writeString(held.path().resolve("live"), "state");
      DemoCommand.sweep(temporary);
      assertThat(runs.resolve("live")).hasContent("state");
    }
    assertThat(ended).doesNotExist();
    assertThat(unmarked.resolve("photo")).hasContent("theirs");
    assertThat(otherName.resolve("kafka").resolve("events.log")).exists();
    assertThat(link).isSymbolicLink();
    assertThat(elsewhere.resolve("kafka").resolve("events.log")).exists();
    assertThat(file).hasContent("a file");

    DemoCommand.sweep(temporary);
    assertThat(runs).as("its process has ended").doesNotExist();
  }
}
