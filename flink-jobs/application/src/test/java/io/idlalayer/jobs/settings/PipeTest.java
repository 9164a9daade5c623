package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.file.RegularFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A named pipe in place of a file is refused; a program that opens it waits for a writer. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PipeTest {
  private static final String REFUSED = "is a pipe, a socket or a device";

  @TempDir Path folder;
  private Path pipe;

  @BeforeEach
  void makePipe() throws Exception {
    pipe = folder.resolve("a pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
  }

  private void refused(String text) throws Exception {
    Path application = Files.writeString(folder.resolve("application.yaml"), text);
    assertThatThrownBy(
            () -> ApplicationFileReader.read(application, name -> null, NetworkChecks.NONE))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(REFUSED)
        .hasMessageContaining(pipe.toString());
  }

  @Test
  void read_anApplicationFile_isRefused() {
    assertThatThrownBy(() -> ApplicationFileReader.read(pipe, name -> null, NetworkChecks.NONE))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(REFUSED)
        .hasMessageContaining(pipe.toString());
  }

  @Test
  void read_aSecret_isRefused() throws Exception {
    refused("name: ${file:" + pipe + "}\n");
  }

  @Test
  void read_aNetwork_isRefused() throws Exception {
    refused(
        """
        name: a
        input: {format: json, features: [x], label: {name: y, task: regression}}
        model: {type: dl4j-json, file: "%s"}
        """
            .formatted(pipe));
  }

  @Test
  void read_aSchema_isRefused() throws Exception {
    refused(
        """
        name: a
        input: {format: avro, schema-file: "%s", features: [x], label: {name: y, task: regression}}
        model: {type: mlp}
        """
            .formatted(pipe));
  }

  @Test
  void isOpenStream_ofAShell_isNoNamedPipe() {
    assertThat(RegularFile.isOpenStream(Path.of("/dev/stdin"))).isTrue();
    assertThat(RegularFile.isOpenStream(Path.of("/dev/fd/63"))).isTrue();
    assertThat(RegularFile.isOpenStream(pipe)).isFalse();
    assertThat(RegularFile.isOther(Path.of("/dev/zero"))).isTrue();
    assertThat(RegularFile.isOther(folder)).isFalse();
    assertThat(RegularFile.isOther(folder.resolve("gone"))).isFalse();
  }
}
