package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SurveyedInputTest {
  @TempDir Path folder;

  private final List<Surveyed> early = new ArrayList<>();

  private SurveyedInput input(String format, String... lines) throws Exception {
    ApplicationSettings application =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: t
            input: {%s, features: [x], label: y, classes: 2, max-event-bytes: 1024}
            model: {type: mlp, hidden: [4]}
            """
                .formatted(format));
    Path file = Files.write(folder.resolve("in.txt"), List.of(lines));
    return new SurveyedInput(application, InputSource.file(file, application), 2, early::add);
  }

  @Test
  void source_readToItsEnd_hasTheRecordsAndWhatIsOddInThem() throws Exception {
    SurveyedInput input =
        input(
            "format: csv, header: true, columns: [x, y]",
            "x,y",
            "1,0",
            "",
            "a,1",
            "2," + "1".repeat(1_100));
    List<String> records = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      records.clear();
      try (RecordReader reader = input.source().opener().open()) {
        while (reader.next()) {
          records.add(new String(reader.record(), StandardCharsets.UTF_8));
        }
      }
    }
    assertThat(records).hasSize(3).startsWith("1,0", "a,1");
    Surveyed found = input.surveyed();
    assertThat(found.events()).as("of the last opening").isEqualTo(3);
    assertThat(found.refusals())
        .extracting(
            Surveyed.RefusedKind::reason,
            Surveyed.RefusedKind::origin,
            Surveyed.RefusedKind::offset)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("x: 'a' is not a number", "in.txt#2, line 4", -1L),
            org.assertj.core.groups.Tuple.tuple(
                "event: 1102 bytes; at most 1024", "in.txt#3, line 5", -1L));
    assertThat(early).hasSize(1);
    assertThat(early.get(0).events()).isEqualTo(2);
  }

  @Test
  void source_labelsThatComeAlone_areNotRefused() throws Exception {
    SurveyedInput input =
        input("format: json, id: id", "{\"id\": \"a\", \"x\": 1}", "{\"id\": \"a\", \"y\": 1}");
    try (RecordReader reader = input.source().opener().open()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isTrue();
    }
    Surveyed found = input.surveyed();
    assertThat(found.refused()).isZero();
    assertThat(found.withFeatures()).isEqualTo(1);
    assertThat(found.labelsOnly()).isEqualTo(1);
  }

  @Test
  void source_ofJson_findsNamesThatAreNotDeclared() throws Exception {
    SurveyedInput input = input("format: json", "{\"X\": 1, \"y\": 1}");
    try (RecordReader reader = input.source().opener().open()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.place()).isEqualTo("line 1");
    }
    assertThat(input.surveyed().undeclared()).containsExactly(new Surveyed.NameCount("X", 1));
  }
}
