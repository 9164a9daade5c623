package io.idlalayer.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options of the console that would do nothing are refused before anything is served. */
final class ServerOptionsTest {
  @TempDir Path folder;

  private void assertUsage(String message, String options) throws IOException {
    Path recording = Files.writeString(folder.resolve("recording.jsonl"), "");
    ConsoleLine line = new ConsoleLine();
    assertThat(line.run(new ConsoleMain(), "--port 0 --recording", recording, options))
        .as(options)
        .isEqualTo(2);
    assertThat(line.said()).contains(message);
  }

  @Test
  void certificates_optionsWithoutEffect_areRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "secret");
    String keys = "--key-store " + file;
    String both = keys + " --key-store-password-file " + file;
    assertUsage(
        "--client-certificates-password-file needs --client-certificates FILE",
        both + " --client-certificates-password-file " + file);
    for (String alone :
        List.of(
            "--key-store-password-file",
            "--client-certificates",
            "--client-certificates-password-file")) {
      assertUsage("need --key-store FILE", alone + " " + file);
    }
    assertUsage("--key-store-password-file FILE is missing", keys);
    assertUsage("give either --insecure or --key-store FILE", "--insecure " + both);
  }
}
