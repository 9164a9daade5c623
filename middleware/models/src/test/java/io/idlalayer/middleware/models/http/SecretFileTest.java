package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tokens, passwords and key stores in files that are not as expected. */
@Timeout(60)
final class SecretFileTest {
  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("secret"), text);
  }

  @Test
  void firstLine_ofAnyLineEnd_isReadWithoutIt() throws Exception {
    assertThat(SecretFile.firstLine(file("pass wörd\nmore\n"))).isEqualTo("pass wörd");
    assertThat(SecretFile.firstLine(file("pass\r\n"))).isEqualTo("pass");
    assertThat(SecretFile.firstLine(file("pass"))).isEqualTo("pass");
    assertThat(SecretFile.firstLine(file(""))).isEmpty();
    assertThat(SecretFile.firstLine(file("short\n" + "x".repeat(100_000)))).isEqualTo("short");
  }

  @Test
  void firstLine_tooLong_isRefusedWithoutItsText() throws Exception {
    Path file = file("x".repeat(SecretFile.MOST_BYTES + 1));
    assertThatThrownBy(() -> SecretFile.firstLine(file))
        .hasMessage(file + " holds no password: its first line has more than 4096 bytes");
  }

  @Test
  void open_missingFileOrFolder_saysSo() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> SecretFile.open(missing))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(missing.toString());
    assertThatThrownBy(() -> SecretFile.firstLine(folder))
        .isInstanceOf(IOException.class)
        .hasMessage(folder + " is a folder: name a file");
  }

  /** A read would wait for a writer. */
  @Test
  void read_pipeWithoutWriter_isRefusedAtOnce() throws Exception {
    Path pipe = folder.resolve("pipe");
    assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    String refusal = pipe + " is a pipe, a device or a socket: name a file";
    assertThatThrownBy(() -> SecretFile.firstLine(pipe)).hasMessage(refusal);
    assertThatThrownBy(() -> BearerToken.read(pipe)).hasMessage(refusal);
    Path password = file("secret\n");
    assertThatThrownBy(() -> ServerKeys.read(password, pipe)).hasMessage(refusal);
    assertThatThrownBy(() -> ServerKeys.read(pipe, password)).hasMessage(refusal);
  }

  /** A read would not end. */
  @Test
  void read_deviceWithoutEnd_isRefusedAtOnce() {
    Path device = Path.of("/dev/zero");
    assumeThat(Files.exists(device)).isTrue();
    assertThatThrownBy(() -> BearerToken.read(device)).hasMessageContaining("a device");
    assertThatThrownBy(() -> SecretFile.firstLine(device)).hasMessageContaining("a device");
  }
}
