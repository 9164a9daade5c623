package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole run where the capital of i is no I, and one where digits are others: no broker started in
 * the first, and folders had other names in the second.
 */
final class LocaleIT {
  @TempDir Path folder;

  private static final String APPLICATION =
      """
      name: t
      input:
        format: csv
        columns: [id, x, label]
        features: [x]
        label: label
        id: id
        classes: ["0", "1"]
      model: {type: mlp, hidden: [4]}
      """;

  private void run(String name, List<String> options) throws Exception {
    Path file = Files.writeString(folder.resolve("app.yaml"), APPLICATION);
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      rows.append(i).append(',').append(i % 7 - 3).append(',').append(i % 2).append('\n');
    }
    Path input = Files.writeString(folder.resolve("in.csv"), rows);
    Path work = folder.resolve(name);
    Path report = folder.resolve(name + ".json");
    Path log = folder.resolve(name + ".log");
    Process process =
        ChildRun.start(
            log,
            options,
            "run",
            file.toString(),
            "--input",
            input.toString(),
            "--work-dir",
            work.toString(),
            "--report",
            report.toString(),
            "--no-console");
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(ChildRun.tail(log)).isZero();
    JsonNode told = new ObjectMapper().readTree(report.toFile());
    assertThat(told.findValuesAsText("received")).contains("200");
    assertThat(work.resolve("models/t/0/v0000000001")).isDirectory();
    assertThat(work.resolve("checkpoints/t/run-000001")).isDirectory();
    assertThat(Files.readString(log)).containsPattern("200 received|200 of 200|200");
  }

  /** Turkish has another lower case of I; the digits are those of Arabic. */
  @Test
  void run_inTurkishWithOtherDigits_hasTheNamesOfAll() throws Exception {
    run(
        "turkish",
        List.of(
            "-Duser.language=tr",
            "-Duser.country=TR",
            "-Duser.extensions=u-nu-arab",
            "-Duser.timezone=Asia/Kolkata",
            "-Dfile.encoding=US-ASCII"));
  }
}
