package io.idlalayer.jobs.inspection;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.findings.InputOutcome;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SampleInspectionTest {
  private static final String APPLICATION =
      """
      name: app
      input:
        format: csv
        columns: [a, b, site, user, y]
        features: [{name: a, missing: mean}, b]
        categorical: [{name: site, buckets: 16}]
        ids: [user]
        label: y
        classes: ["no", "yes"]
      model: {type: wide-and-deep, hidden: [4]}
      embeddings: {dim: 8, updater: adagrad}
      """;

  @TempDir Path folder;

  private SampleInspection inspect(String events, int rows) throws Exception {
    ApplicationSettings settings = settings();
    Path file = Files.writeString(folder.resolve("in.csv"), events);
    return SampleInspection.read(settings, InputSource.file(file, settings), rows);
  }

  private ApplicationSettings settings() throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), APPLICATION);
  }

  @Test
  void read_events_showsFeaturesClassesAndReasons() throws Exception {
    SampleInspection found =
        inspect("1.5,7,x,u1,no\n,7,y,u2,yes\nmuch,7,y,u2,no\n3,7,,u1,maybe\n2,7,x,,no\n", 100);
    String lines = String.join("\n", found.lines());
    assertThat(lines)
        .contains("5 events read: 3 decoded, 3 with a label, 2 refused")
        .contains("2 of 5 events will be refused (40.0 %)")
        .contains("a: 'much' is not a number")
        .contains("no class has the label 'maybe'")
        .containsPattern(
            "a +a number, scaled, missing: the mean +first: 1.5000; 1.5000 to 2; missing in 33.3 %")
        .containsPattern("b +a number, scaled +first: 7; always 7")
        .containsPattern("site +16 columns, one of them 1 +first: column \\d+; 2 different values")
        .containsPattern(
            "user +a vector of 8 of table user +first: a row; 2 different values; missing in 33.3 %")
        .containsPattern("'no' +66.67 %")
        .containsPattern("'yes' +33.33 %");
    assertThat(found.outcome()).isEqualTo(InputOutcome.LOSSES);
    List<String> claimed = ClaimedMemory.lines(settings(), found);
    // 8 of the vector and its 8 sums of squares, and the wide part and its sums for 2 classes.
    assertThat(String.join("\n", claimed))
        .contains("table user: rows of 80 bytes; the ids of these events take 2 rows, 160 bytes")
        .contains("memory that the settings allow each of 1 learner")
        .contains("selection.max-bytes")
        .contains("1.0 GiB of stored samples (an event takes");
  }

  @Test
  void read_rowsLimit_readsNoMore() throws Exception {
    SampleInspection found = inspect("1,7,x,u1,no\n2,8,y,u2,yes\nbad\n", 2);
    assertThat(found.lines()).contains("2 events read: 2 decoded, 2 with a label, 0 refused");
    assertThat(found.outcome()).isEqualTo(InputOutcome.LEARNED);
  }

  @Test
  void read_nothingReadable_isNothing() throws Exception {
    assertThat(inspect("bad\nworse\n", 10).outcome()).isEqualTo(InputOutcome.NOTHING);
    assertThat(inspect("", 10).outcome()).isEqualTo(InputOutcome.NOTHING);
  }
}
