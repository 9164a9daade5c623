package io.idlalayer.jobs.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SmallTextFileTest {
  @TempDir Path folder;

  @Test
  void read_upToTheBound_isTheTextAndBeyondItRefused() throws IOException {
    Path file = folder.resolve("rules.fcl");
    Files.writeString(file, "ü".repeat(SmallTextFile.MOST_BYTES / 2));
    assertThat(SmallTextFile.read(file)).hasSize(SmallTextFile.MOST_BYTES / 2);
    Files.writeString(file, "a".repeat(SmallTextFile.MOST_BYTES + 1));
    assertThatThrownBy(() -> SmallTextFile.read(file))
        .hasMessage(file + " has more than 1,048,576 bytes");
  }

  @Test
  void read_whatIsNoTextFile_isRefused() throws Exception {
    Path file = Files.write(folder.resolve("bytes"), new byte[] {'a', (byte) 0xff});
    assertThatThrownBy(() -> SmallTextFile.read(file)).hasMessage(file + " is not UTF-8 text");
    assertThatThrownBy(() -> SmallTextFile.read(folder)).hasMessageContaining("not a regular file");
    assertThatThrownBy(() -> SmallTextFile.read(folder.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void read_aPipeWithoutWriter_doesNotWait() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> SmallTextFile.read(pipe)).hasMessage(pipe + " is not a regular file");
  }
}
