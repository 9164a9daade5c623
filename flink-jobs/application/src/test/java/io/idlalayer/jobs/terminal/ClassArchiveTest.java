package io.idlalayer.jobs.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClassArchiveTest {
  private String log;

  @BeforeEach
  void save() {
    log = System.getProperty(LogFile.PROPERTY);
    System.clearProperty(LogFile.PROPERTY);
    LogFile.begin(null);
  }

  @AfterEach
  void restore() {
    System.clearProperty(ClassArchive.PROPERTY);
    if (log == null) {
      System.clearProperty(LogFile.PROPERTY);
    } else {
      System.setProperty(LogFile.PROPERTY, log);
    }
  }

  @Test
  void notice_firstRun_saysWhyTheProcessGoesOn() {
    LogFile.in(Path.of("work"));
    assertThat(ClassArchive.notice()).isEmpty();
    System.setProperty(ClassArchive.PROPERTY, "true");
    assertThat(ClassArchive.notice()).hasValueSatisfying(said -> assertThat(said).contains("once"));
  }

  @Test
  void notice_commandThatStartedNothing_isEmpty() {
    System.setProperty(ClassArchive.PROPERTY, "true");
    assertThat(ClassArchive.notice()).isEmpty();
  }
}
