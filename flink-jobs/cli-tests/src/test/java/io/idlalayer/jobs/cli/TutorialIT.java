package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.testkit.NativeCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Types what a tutorial says, in its order. */
final class TutorialIT {
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final int SECONDS = 240;

  @TempDir Path folder;

  private record Typed(int exitCode, String printed) {}

  /** The blocks of a page that are marked as commands. */
  private static List<String> commands(String page) throws IOException {
    Matcher blocks = BLOCK.matcher(Files.readString(Path.of("../../docs/tutorials", page)));
    List<String> commands = new ArrayList<>();
    while (blocks.find()) {
      commands.add(blocks.group(1));
    }
    return commands;
  }

  private void launcher() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes =
        Stream.of(
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"))
                    .split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .reduce((one, other) -> one + File.pathSeparator + other)
            .orElseThrow();
    Path script =
        Files.writeString(
            folder.resolve("idla"),
            """
            #!/bin/sh
            exec '%s' %s -Xmx512m -Djava.io.tmpdir='%s' --add-modules jdk.incubator.vector -cp '%s' io.idlalayer.jobs.cli.Idla "$@"
            """
                .formatted(java, String.join(" ", NativeCode.options()), folder, classes));
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  private Typed type(String command) throws Exception {
    Path log = folder.resolve("printed");
    Process process =
        new ProcessBuilder("sh", "-e", "-c", command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
    assertThat(ended).as(command).isTrue();
    return new Typed(process.exitValue(), Files.readString(log));
  }

  @Test
  @Tag("stress")
  void csv_eachCommand_endsAsThePageSays() throws Exception {
    launcher();
    List<Typed> typed = new ArrayList<>();
    for (String command : commands("csv.md")) {
      typed.add(type(command));
    }
    String all = String.join("\n", typed.stream().map(Typed::printed).toList());
    assertThat(typed)
        .as(all)
        .extracting(Typed::exitCode)
        .containsExactly(0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0);
    assertThat(typed.get(1).printed()).contains("--label NAME", "spoiled: 2 values");
    assertThat(typed.get(4).printed())
        .contains("6,000 received = 6,000 trained as new", "repeating the last label");
    assertThat(typed.get(6).printed()).contains("2 of 3 events were refused", "continuing from");
    assertThat(typed.get(7).printed()).contains("'7,20' is not a number", "'maybe' is none of the");
    assertThat(typed.get(9).printed()).contains("6,004 received = 6,002 trained as new");
    assertThat(typed.get(10).printed()).contains("\"application\":\"fridge\"");
  }
}
