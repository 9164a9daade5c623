package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.api.StageCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileTest {
  private static final Contender.Fitting FITTING = new Contender.Fitting(16, 2, 0.005);

  @TempDir Path folder;

  static RunFile.Run run(String policy, int batch, long seed, double accuracy, double seconds) {
    double[] parts = new double[Tally.PARTS];
    Arrays.fill(parts, accuracy);
    parts[3] = Double.NaN;
    return new RunFile.Run(
        new RunKey("elec", 0.1, 0.5, policy, "count", batch, 64, FITTING, seed),
        new RunOutcome(
            100,
            50,
            new Tally.Quality(accuracy, accuracy - 0.1, 0.5, 0.75, parts),
            new RunCosts(seconds, 2 * seconds, 0.25, 7, 123, 23),
            1,
            new ReplayProfile(0.5, 0.25, 12.5, 0.125),
            List.of(new StageCounts(1, 2, 3, 4), new StageCounts(5, 6, 7, 8))));
  }

  @Test
  void read_whatWasAppended_isTheSame() throws IOException {
    Path file = folder.resolve("runs.csv");
    RunFile.Run first = run("fuzzy", 250, 1, 0.75, 1.5);
    RunFile.Run second = run("loss", 1_000, 2, 0.5, 0.5);
    RunFile.append(file, first);
    RunFile.append(file, second);
    List<RunFile.Run> read = RunFile.read(file);
    assertThat(read)
        .usingRecursiveComparison()
        .withComparatorForType(Double::compare, Double.class)
        .isEqualTo(List.of(first, second));
    assertThat(read.get(0).key()).isEqualTo(first.key());
  }

  @Test
  void read_aLineThatWasNotFinished_isPassedOverAndTheNextOneKept() throws IOException {
    Path file = folder.resolve("runs.csv");
    RunFile.append(file, run("fuzzy", 250, 1, 0.75, 1.5));
    RunFile.append(file, run("fuzzy", 250, 2, 0.75, 1.5));
    String text = Files.readString(file);
    Files.writeString(file, text.substring(0, text.length() - 20));
    assertThat(RunFile.read(file)).hasSize(1);
    RunFile.append(file, run("fuzzy", 250, 3, 0.75, 1.5));
    assertThat(RunFile.read(file)).extracting(run -> run.key().seed()).containsExactly(1L, 3L);
  }

  @Test
  void read_aForeignLine_namesIt() throws IOException {
    Path file = folder.resolve("runs.csv");
    RunFile.append(file, run("fuzzy", 250, 1, 0.75, 1.5));
    Files.writeString(file, Files.readString(file) + "a,b,c\n");
    assertThatThrownBy(() -> RunFile.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 3");
  }

  @Test
  void read_noFile_holdsNoRun() throws IOException {
    assertThat(RunFile.read(folder.resolve("none.csv"))).isEmpty();
  }
}
