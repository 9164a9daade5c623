package io.idlalayer.jobs.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClassArchiveTest {
  private static final int SECONDS = 60;

  @TempDir Path folder;

  private String log;
  private Path list;

  @BeforeEach
  void save() throws IOException {
    log = System.getProperty(LogFile.PROPERTY);
    System.clearProperty(LogFile.PROPERTY);
    LogFile.begin(null);
    list = Files.writeString(folder.resolve("app.jsa.1.classes"), "java/lang/Object");
  }

  @AfterEach
  void restore() {
    System.clearProperty(ClassArchive.LIST);
    System.clearProperty(ClassArchive.LAUNCHER);
    if (log == null) {
      System.clearProperty(LogFile.PROPERTY);
    } else {
      System.setProperty(LogFile.PROPERTY, log);
    }
  }

  @Test
  void save_firstRun_startsTheLauncherWithTheList() throws Exception {
    Path said = folder.resolve("said");
    Path launcher = folder.resolve("a launcher");
    Files.writeString(
        launcher, "mkfifo \"$0.ends\"; echo \"$@\" >'%s'; cat \"$0.ends\"".formatted(said));
    LogFile.in(folder);
    System.setProperty(ClassArchive.LIST, list.toString());
    System.setProperty(ClassArchive.LAUNCHER, launcher.toString());

    assertThat(ClassArchive.save()).hasValueSatisfying(text -> assertThat(text).contains("once"));

    // The launcher goes on until its pipe is opened: nothing waits for it.
    ProcessHandle process =
        ProcessHandle.current()
            .children()
            .filter(child -> child.info().commandLine().orElse("").contains(launcher.toString()))
            .findFirst()
            .orElseThrow();
    Path pipe = Path.of(launcher + ".ends");
    while (process.isAlive() && !(Files.exists(said) && Files.size(said) > 0)) {
      Thread.onSpinWait();
    }
    Files.writeString(pipe, "");
    process.onExit().get(SECONDS, TimeUnit.SECONDS);
    assertThat(said).hasContent("save-classes " + list);
  }

  @Test
  void save_commandThatStartedNoLibrary_deletesTheList() {
    System.setProperty(ClassArchive.LIST, list.toString());
    System.setProperty(ClassArchive.LAUNCHER, folder.resolve("none").toString());
    assertThat(ClassArchive.save()).isEmpty();
    assertThat(list).doesNotExist();
  }

  @Test
  void save_startThatListsNothing_isEmpty() {
    LogFile.in(folder);
    assertThat(ClassArchive.save()).isEmpty();
    assertThat(list).exists();
  }
}
