package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class EvictionExperimentTest {
  @TempDir private Path folder;

  @Test
  void report_ofTwoSeeds_pairsThemAndKeepsScoresApart() throws Exception {
    Path runs = folder.resolve("runs.csv");
    Files.writeString(
        runs,
        """
        stream,flips,duplicates,policy,max_samples,eviction,score,seed,accuracy,updates,trained_rows,stored
        elec,0.2,0.0,fuzzy,500,STAGES,FITTED,1,0.70,1,1,1
        elec,0.2,0.0,fuzzy,500,STAGES,FITTED,2,0.72,1,1,1
        elec,0.2,0.0,fuzzy,500,OLDEST,FITTED,1,0.80,1,1,1
        elec,0.2,0.0,fuzzy,500,OLDEST,FITTED,2,0.82,1,1,1
        elec,0.2,0.0,fuzzy,500,OLDEST,RULES,1,0.90,1,1,1
        elec,0.2,0.0,fuzzy,500,RANDOM,RULES,1,0.60,1,1,1
        """);
    Path report = folder.resolve("report.md");
    int rc =
        new CommandLine(new EvictionExperiment())
            .execute("--out", runs.toString(), "--report", report.toString());
    assertThat(rc).isZero();
    assertThat(Files.readString(report))
        .contains(
            "| elec | 20 | 0 | fuzzy | 500 | 71.00 | NaN | 90.00 | 81.00 | 60.00 | -10.00 ± 0.00")
        .contains("| - | -30.00 | 1 |");
  }
}
