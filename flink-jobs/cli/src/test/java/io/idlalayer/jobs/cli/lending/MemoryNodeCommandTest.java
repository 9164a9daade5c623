package io.idlalayer.jobs.cli.lending;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class MemoryNodeCommandTest {
  @TempDir Path folder;

  private final IdlaRun idla = new IdlaRun();

  @Test
  void options_thatCannotBeUsed_areRefusedInWords() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");
    Path weak = Files.writeString(folder.resolve("weak"), "hunter2\n");
    List<String> node = List.of("memory-node", "--lend");
    List<String> with = List.of("--token-file", token.toString());
    idla.assertUsage("--lend: 'many' is not a size", node, List.of("many"), with);
    idla.assertUsage("1,048,576 bytes to lend", node, List.of("1MiB"), with);
    idla.assertUsage("clear text", node, List.of("16MiB", "--host", "0.0.0.0"), with);
    idla.assertUsage("--port must be 0 to 65535", node, List.of("16MiB", "--port", "-1"), with);
    idla.assertUsage(
        "at least 16 are needed", node, List.of("16MiB", "--token-file", weak.toString()));
    idla.assertUsage("there is no file", node, List.of("16MiB", "--token-file", folder + "/none"));
    idla.assertUsage("go together", node, List.of("16MiB", "--key-store", "keys.p12"), with);
    idla.assertUsage(
        "--announced-host needs --topic", node, List.of("16MiB", "--announced-host", "h"), with);
    idla.assertUsage(
        "--topic and --bootstrap-servers go together",
        node,
        List.of("16MiB", "--topic", "lenders"),
        with);
    idla.assertUsage(
        "--topic and --bootstrap-servers go together",
        node,
        List.of("16MiB", "--bootstrap-servers", "localhost:1"),
        with);
  }

  @Test
  @Timeout(60)
  void kafkaProperties_thatAreAPipe_areRefusedWithoutReading() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");
    idla.assertUsage(
        "is a pipe, a socket or a device",
        List.of("memory-node", "--lend", "16MiB", "--token-file", token.toString()),
        List.of("--topic", "t", "--bootstrap-servers", "localhost:1"),
        List.of("--kafka-properties", pipe.toString()));
  }

  @Test
  void lend_moreThanTheProcessGets_saysWhatToRaise() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");
    idla.assertUsage(
        "MaxDirectMemorySize",
        List.of("memory-node", "--port", "0", "--lend", "1024TiB", "--token-file"),
        List.of(token.toString()));
  }
}
