package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DefaultLabel;
import io.idlalayer.middleware.sample.SampleSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics of labels and secrets in files, as they are written in an application file. */
final class InputReaderTest {
  private static final String FILE =
      """
      name: clicks
      input:
        format: csv
        columns: [id, price]
        features: [price]
        id: id
        label: clicked
        classes: ["no", "yes"]
        labels: {%s}
      """;

  @TempDir Path folder;

  private ApplicationSettings read(String labels) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), FILE.formatted(labels));
  }

  private List<String> problems(String text) throws Exception {
    return ApplicationFiles.problems(folder.resolve("app.yaml"), text, Map.of());
  }

  @Test
  void labels_withoutKeys_haveDefaults() throws Exception {
    ApplicationSettings settings = read("");
    assertThat(settings.input().topics()).containsExactly("clicks-samples", "clicks-labels");
    ApplicationSettings.Input labels = settings.input().ofLabels();
    assertThat(labels.format()).isEqualTo(ApplicationSettings.Format.JSON);
    assertThat(labels.schema().id()).isEqualTo("id");
    assertThat(labels.schema().label().name()).isEqualTo("clicked");
    assertThat(labels.schema().dense()).isEmpty();
    assertThat(settings.data().defaultLabel()).isEqualTo(DefaultLabel.NONE);
  }

  @Test
  void labels_inCsvWithADefault_areRead() throws Exception {
    ApplicationSettings settings =
        read(
            "topic: c, format: csv, header: true, delimiter: ;, columns: [at, click, out],"
                + " id: click, label: out, default: \"yes\", after: 30m");
    ApplicationSettings.Input labels = settings.ofLabels().input();
    assertThat(labels.topic()).isEqualTo("c");
    assertThat(labels.header()).isTrue();
    assertThat(labels.text().delimiter()).isEqualTo(";");
    assertThat(labels.schema().columns()).containsExactly("at", "click", "out");
    assertThat(settings.data().defaultLabel()).isEqualTo(new DefaultLabel(1, 1_800_000));
  }

  @Test
  void labels_ofCounts_areCountsToo() throws Exception {
    String text =
        FILE.formatted("default: 0, after: 1h")
            .replace("classes: [\"no\", \"yes\"]", "task: regression");
    ApplicationSettings settings =
        ApplicationFiles.read(folder.resolve("app.yaml"), text + "training: {loss: poisson}\n");
    assertThat(settings.input().ofLabels().schema().label().targets())
        .isEqualTo(SampleSchema.Targets.NOT_NEGATIVE);
    assertThat(problems(text.replace("default: 0", "default: -1") + "training: {loss: poisson}\n"))
        .containsExactly(
            "input.labels.default: is below 0; with 'training.loss: poisson' a target is at least"
                + " 0");
  }

  @Test
  void labels_thatCannotBe_areRefusedKeyByKey() throws Exception {
    assertThat(
            problems(
                FILE.formatted(
                    "topic: clicks-samples, format: binary, header: true, columns: [a],"
                        + " default: maybe, after: 0s, within: 1h")))
        .containsExactlyInAnyOrder(
            "input.labels.topic: topic clicks-samples is the input topic of clicks, and the label"
                + " topic of clicks",
            "input.labels.format: labels are in format json, csv, avro or protobuf",
            "input.labels.header: only csv files have a header line",
            "input.labels.columns: only labels in format csv have columns",
            "input.labels.default: 'maybe' is none of the classes",
            "input.labels.after: is above 0s",
            "input.labels.within: unknown key");
    assertThat(problems(FILE.formatted("default: \"no\"")))
        .singleElement()
        .asString()
        .startsWith("input.labels.default: 'default' and 'after' belong together");
    assertThat(problems(FILE.formatted("format: csv, columns: [a, b], id: c, label: c")))
        .containsExactlyInAnyOrder(
            "input.labels.id: 'c' is none of the columns",
            "input.labels.label: 'c' is none of the columns",
            "input.labels.id: 'c' is the label too; an id is of one event");
    assertThat(problems(FILE.formatted("") + "selection: {max-unlabeled: 0}\n"))
        .containsExactly(
            "selection.max-unlabeled: with 'input.labels' events wait for their labels: say more"
                + " than 0");
    assertThat(problems(FILE.formatted("").replace("  id: id\n", "")))
        .containsExactly(
            "input.labels: 'input.id' is missing: labels find their events by the field with their"
                + " id");
  }

  @Test
  void topics_ofTwoApplications_differ() throws Exception {
    ApplicationSettings first = read("topic: shared");
    ApplicationSettings second =
        ApplicationFiles.read(
            folder.resolve("other.yaml"),
            FILE.formatted("topic: shared").replace("name: clicks", "name: others"));
    assertThatThrownBy(() -> ApplicationSet.check(List.of(first, second)))
        .hasMessageContaining("two applications read topic shared");
  }

  @Test
  void secrets_inFiles_loseTheirLineEndAndAreNeverShown() throws Exception {
    Files.writeString(folder.resolve("password"), "hunter2\r\n");
    Files.writeString(folder.resolve("lines"), "a\n\n");
    ApplicationSettings settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            FILE.formatted("")
                + "kafka: {properties: {a: \"pass=${file:password};\", b: \"${file:"
                + folder.resolve("lines")
                + "}\"}}\n");
    assertThat(settings.kafka().properties())
        .containsEntry("a", "pass=hunter2;")
        .containsEntry("b", "a\n");
    List<String> refused = problems(FILE.formatted("") + "seed: \"${file:password}\"\n");
    assertThat(refused)
        .containsExactly("seed: the value of ${file:password} is not a whole number");
  }

  @Test
  void secrets_thatCannotBeRead_areNamed() throws Exception {
    Path hidden = Files.writeString(folder.resolve("hidden"), "x");
    Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("---------"));
    Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xC3, 0x28});
    Files.write(folder.resolve("large"), new byte[(64 << 10) + 1]);
    String file =
        FILE.formatted("")
            + "kafka: {properties: {a: \"${file:none}\", b: \"${file:}\", c: \"${file:bytes}\","
            + " d: \"${file:large}\", e: \"${file:.}\", f: \"${file:hidden}\"}}\n";
    List<String> problems =
        Files.isReadable(hidden)
            ? problems(file.replace(", f: \"${file:hidden}\"", ""))
            : problems(file);
    assertThat(problems)
        .contains(
            "kafka.properties.a: file " + folder.resolve("none") + " does not exist",
            "kafka.properties.b: ${file:} names no file",
            "kafka.properties.c: file bytes is not UTF-8 text",
            "kafka.properties.d: file " + folder.resolve("large") + " is larger than 64 KiB",
            "kafka.properties.e: file " + folder + " is a directory");
    if (!Files.isReadable(hidden)) {
      assertThat(problems)
          .contains(
              "kafka.properties.f: file " + hidden + " cannot be read: this user may not read it");
    }
  }
}
