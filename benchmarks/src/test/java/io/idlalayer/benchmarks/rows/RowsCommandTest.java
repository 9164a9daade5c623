package io.idlalayer.benchmarks.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.rows.CriteoEvents.Format;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Options and output of {@code idla bench rows}; numbers do not matter. */
final class RowsCommandTest {
  private static String run(int expected, String... options) {
    StringWriter text = new StringWriter();
    int code = line(text).execute(options);
    assertThat(code).as(text.toString()).isEqualTo(expected);
    return text.toString();
  }

  private static CommandLine line(StringWriter text) {
    CommandLine line = new CommandLine(new RowsCommand());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line.setOut(new PrintWriter(text)).setErr(new PrintWriter(text));
  }

  @Test
  void call_dram_printsTheQuotientOfRates() {
    String text =
        run(
            0,
            "--part=dram",
            "--rows=2000",
            "--batch=16",
            "--accesses=3",
            "--repeats=1",
            "--seconds=0.05");
    assertThat(text)
        .contains("| RowTables, all in DRAM |", "| float[], index = id |")
        .contains("- all in DRAM / float[]: ");
  }

  @Test
  void call_lookupsAndTraining_printsBars(@TempDir Path folder) throws IOException {
    StringWriter printed = new StringWriter();
    // Bars may be met or missed.
    int code =
        line(printed)
            .execute(
                "--part=lookups,training",
                "--rows=500",
                "--cache=0.2",
                "--batch=16",
                "--accesses=3",
                "--repeats=1",
                "--seconds=0.02",
                "--slow=" + folder.resolve("slow"));
    String text = printed.toString();
    assertThat(code).as(text).isBetween(0, 1);
    assertThat(text)
        .contains("| RowTables, simple |", "| Caffeine + MultiGet |", "RowTables, all in DRAM")
        .contains("- frequency / Caffeine + get", "- bytes of a row in DRAM / payload");
    try (var left = Files.list(folder.resolve("slow"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void call_wrongOption_saysWhich() {
    assertThat(run(2, "--cache=2")).contains("--cache");
    assertThat(run(2, "--rows=3")).contains("--rows");
    assertThat(run(2, "--zipf=-1")).contains("--zipf");
    assertThat(run(2, "--rows=1000000000", "--dim=16")).contains("--dim");
  }

  @Test
  void write_gzippedTsv_hasColumnsOfCriteo(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("clicks.tsv.gz");
    run(0, "--write=" + file, "--events=500", "--rows=5000");
    List<String> lines;
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      lines = in.lines().toList();
    }
    assertThat(lines).hasSize(500).allMatch(line -> line.split("\t").length == 1 + 13 + 26);
    long clicks = lines.stream().filter(line -> line.startsWith("1\t")).count();
    assertThat(clicks).isBetween(50L, 300L);
  }

  @Test
  void next_sameSeed_sameEvents() {
    CriteoEvents one = new CriteoEvents(1_000, 1.05, 50, 3);
    CriteoEvents same = new CriteoEvents(1_000, 1.05, 50, 3);
    for (int i = 0; i < 50; i++) {
      assertThat(one.next(Format.JSON)).isEqualTo(same.next(Format.JSON)).startsWith("{\"label\":");
    }
    assertThat(one.size(0)).isEqualTo(3);
    assertThat(one.size(CriteoEvents.FEATURES - 1)).isEqualTo(1_000);
  }
}
