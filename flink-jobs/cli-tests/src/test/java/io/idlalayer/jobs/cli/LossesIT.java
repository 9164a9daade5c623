package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose input is not learned whole: what they say, how they end, and their dead letters. */
final class LossesIT {
  private final IdlaRun idla = new IdlaRun();

  @TempDir Path folder;

  private Path application() throws Exception {
    return Files.writeString(
        folder.resolve("app.yaml"),
        """
        name: onek
        input: {format: csv, header: true, columns: [x, y, label], features: [x, y], label: label, classes: 3}
        model: {type: mlp, hidden: [4]}
        update: {rule: count, count: 100}
        """);
  }

  private Path rows(String name, String delimiter) throws Exception {
    List<String> rows = new ArrayList<>(List.of(String.join(delimiter, "x", "y", "label")));
    for (int i = 0; i < 90; i++) {
      rows.add(
          String.join(delimiter, i + ".5", String.format(Locale.ROOT, "-%d", i), "" + (1 + i % 3)));
    }
    return Files.write(folder.resolve(name), rows);
  }

  private int run(Path input, String... more) throws Exception {
    return idla.run(
        "run",
        application(),
        "--input",
        input,
        "--work-dir",
        folder.resolve("work"),
        "--no-console",
        "--report",
        folder.resolve("report.json"),
        List.of(more));
  }

  /** The class 3 of 0, 1 and 2 never fits: a third is lost. Then all rows of a file are refused. */
  @Test
  void run_inputsThatAreNotLearnedWhole_saysWhyAndEndsWithOtherCodes() throws Exception {
    Path third = rows("in.csv", ",");
    assertThat(run(third)).as(() -> idla.out() + idla.err()).isEqualTo(3);
    assertThat(idla.out())
        .contains(
            "onek: 30 of 90 events were refused (33.3 %); 'idla letters' prints them",
            "onek: 30 x label: '3' is none of the 3 classes: '0', '1', '2'; first in in.csv#3, line"
                + " 4 (onek-samples-0, offset 2): 2.5,-2,3",
            "onek: no class has the label '3' (30 events)",
            "onek: class '0' never came in 60 labels",
            "onek: learned with losses: 30 of 90 events were refused (--allow-malformed is 0 %);"
                + " exit code 3");
    assertThat(
            new ObjectMapper()
                .readTree(folder.resolve("report.json").toFile())
                .at("/survey/refused")
                .asLong())
        .isEqualTo(30);

    assertThat(run(third, "--allow-malformed", "40%")).as("nothing new, and allowed").isZero();
    assertThat(run(third, "--allow-malformed", "0.2")).as("nothing new, not allowed").isEqualTo(3);

    Files.writeString(folder.resolve("none.csv"), "x,y,label\n" + "1;2;0\n".repeat(3) + "2;3;1\n");
    assertThat(run(folder.resolve("none.csv"), "--allow-malformed", "100%")).isEqualTo(4);
    assertThat(idla.out())
        .contains(
            "4 x row: 1 field where 3 are expected; input.delimiter is ',', and with ';' there are"
                + " 3; first in none.csv#1, line 2",
            "onek: nothing learned: all 4 events were refused; exit code 4");

    Files.writeString(folder.resolve("header.csv"), "x,y,label\n");
    assertThat(run(folder.resolve("header.csv"))).as("an input without a record").isEqualTo(4);
    assertThat(idla.out())
        .contains(
            "header.csv holds no records", "onek: nothing learned: no event came; exit code 4")
        .doesNotContain("were refused");

    lettersOfTheWorkDirectory();
  }

  private void lettersOfTheWorkDirectory() throws Exception {
    Path work = folder.resolve("work");
    List<String> lines =
        idla.printed("letters", application(), "--work-dir", work).lines().toList();
    assertThat(lines).hasSize(34);
    assertThat(lines.get(0))
        .isEqualTo(
            "onek-samples-0-2\tin.csv#3, line 4\tlabel: '3' is none of the 3 classes: '0', '1',"
                + " '2'\t2.5,-2,3");
    assertThat(idla.printed("letters", application(), "--work-dir", work, "--limit", "2").lines())
        .hasSize(2)
        .allMatch(line -> line.contains("\tnone.csv#"));
    assertThat(idla.err()).contains("the newest 2 of 34");
    assertThat(idla.printed("letters", application(), "--work-dir", work, "--reasons").lines())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("30\tlabel: '3' is none of the 3 classes");
  }
}
