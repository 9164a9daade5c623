package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class QualityExperimentIT {
  @TempDir Path folder;

  private int experiment(Path out, String... more) {
    String[] args = {
      "--data",
      "nowhere",
      "--streams",
      "recurring",
      "--policies",
      "fuzzy,newest_window,moa_no_change",
      "--batches",
      "256",
      "--budgets",
      "64",
      "--rows",
      "3000",
      "--seeds",
      "2",
      "--out",
      out.toString()
    };
    return new CommandLine(new QualityExperiment())
        .execute(
            java.util.stream.Stream.of(args, more)
                .flatMap(java.util.Arrays::stream)
                .toArray(String[]::new));
  }

  @Test
  void call_again_runsNothingTwiceAndTheReportHasEveryPolicy() throws Exception {
    Path out = folder.resolve("runs.csv");
    assertThat(experiment(out, "--part", "1/2")).isZero();
    assertThat(RunFile.read(out)).hasSize(3);
    assertThat(experiment(out)).isZero();
    List<String> lines = Files.readAllLines(out);
    assertThat(lines).hasSize(1 + 6);
    assertThat(experiment(out)).isZero();
    assertThat(Files.readAllLines(out)).isEqualTo(lines);

    Path report = folder.resolve("report.md");
    int code =
        new CommandLine(new QualityReport())
            .execute("--in", out.toString(), "--out", report.toString());
    assertThat(code).isZero();
    assertThat(Files.readString(report))
        .contains("**fuzzy**", "newest_window", "moa_no_change", "recurring@3000, 0 % flipped")
        .contains("| newest_window | ");
  }
}
