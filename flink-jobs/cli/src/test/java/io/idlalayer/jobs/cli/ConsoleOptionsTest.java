package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.terminal.UsageException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Whether a run starts a console. */
final class ConsoleOptionsTest {
  private final @Nullable String before = System.getProperty(ConsoleProcess.LIB);

  @BeforeEach
  void install() {
    System.setProperty(ConsoleProcess.LIB, "console.jar");
  }

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(ConsoleProcess.LIB);
    } else {
      System.setProperty(ConsoleProcess.LIB, before);
    }
  }

  private static ConsoleOptions parsed(String... arguments) {
    return CommandLine.populateCommand(new ConsoleOptions(), arguments);
  }

  @Test
  void process_byDefault_isThereIfOneIsInstalled() {
    assertThat(parsed().process()).isNotNull();
    assertThat(parsed("--console-port", "0").process()).isNotNull();
    System.clearProperty(ConsoleProcess.LIB);
    assertThat(parsed().process()).isNull();
  }

  @Test
  void process_withoutConsole_isNone() {
    assertThat(parsed("--no-console").process()).isNull();
  }

  @Test
  void process_withoutConsoleOnAPort_isRefused() {
    assertThatThrownBy(() -> parsed("--no-console", "--console-port", "8095").process())
        .isInstanceOf(UsageException.class)
        .hasMessage("--no-console and --console-port contradict each other");
  }
}
