package io.idlalayer.jobs.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

final class FailureTextTest {
  @Test
  void of_failuresOfTheOperatingSystem_areWholeSentences() {
    assertThat(FailureText.of(new FileSystemException("/w/a", null, "No space left on device")))
        .isEqualTo(
            "/w/a cannot be used: no space is left on its device; make room there, then run the same command again");
    assertThat(FailureText.of(new AccessDeniedException("/w/report.json")))
        .startsWith("/w/report.json cannot be used: the operating system does not allow it; give ");
  }

  @Test
  void of_ownWords_keepsThemAndAddsWhatToDoOnce() {
    IOException full = new IOException("/w/a: No space left on device");
    assertThat(FailureText.of(new IOException("the report cannot be written", full)))
        .isEqualTo(
            "the report cannot be written (/w/a cannot be used: no space is left on its device; make room there, then run the same command again)");
    assertThat(FailureText.of(new IOException("it is full; make room there", full)))
        .isEqualTo("it is full; make room there");
    assertThat(FailureText.of(new IOException("another"))).isEqualTo("another");
    assertThat(FailureText.of(new IllegalStateException())).endsWith("IllegalStateException");
  }
}
