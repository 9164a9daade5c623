package io.idlalayer.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Options of the console that would do nothing are refused before anything is served. */
final class ServerOptionsTest {
  @TempDir Path folder;

  private void assertUsage(String message, String... options) throws IOException {
    Path recording = Files.writeString(folder.resolve("recording.jsonl"), "");
    StringWriter said = new StringWriter();
    CommandLine line = Terminal.commandLine(new ConsoleMain());
    line.setOut(new PrintWriter(said, true));
    line.setErr(new PrintWriter(said, true));
    String[] arguments = new String[4 + options.length];
    arguments[0] = "--recording";
    arguments[1] = recording.toString();
    arguments[2] = "--port";
    arguments[3] = "0";
    System.arraycopy(options, 0, arguments, 4, options.length);
    assertThat(line.execute(arguments)).as(said.toString()).isEqualTo(2);
    assertThat(said.toString()).contains(message);
  }

  @Test
  void certificates_optionsWithoutEffect_areRefused() throws IOException {
    String file = Files.writeString(folder.resolve("file"), "secret").toString();
    assertUsage(
        "--client-certificates-password-file needs --client-certificates FILE",
        "--key-store",
        file,
        "--key-store-password-file",
        file,
        "--client-certificates-password-file",
        file);
    for (String alone :
        new String[] {
          "--key-store-password-file",
          "--client-certificates",
          "--client-certificates-password-file"
        }) {
      assertUsage("need --key-store FILE", alone, file);
    }
    assertUsage("--key-store-password-file FILE is missing", "--key-store", file);
    assertUsage(
        "give either --insecure or --key-store FILE",
        "--insecure",
        "--key-store",
        file,
        "--key-store-password-file",
        file);
  }
}
