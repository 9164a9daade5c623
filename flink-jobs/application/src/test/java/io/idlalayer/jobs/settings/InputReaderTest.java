package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DefaultLabel;
import io.idlalayer.jobs.start.StartAt;
import io.idlalayer.middleware.sample.SampleSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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
            "input.labels.id: 'c' is the label too; each event needs an id of its own");
    assertThat(problems(FILE.formatted("") + "selection: {max-unlabeled: 0}\n"))
        .containsExactly(
            "selection.max-unlabeled: with 'input.labels' events wait for their labels: say more"
                + " than 0");
    assertThat(problems(FILE.formatted("").replace("  id: id\n", "")))
        .containsExactly(
            "input.labels: 'input.id' is missing: labels find their events by the field with their"
                + " id");
  }

  private StartAt start(String start) throws Exception {
    return ApplicationFiles.read(
            folder.resolve("app.yaml"),
            FILE.formatted("").replace("input:\n", "input:\n  start: %s\n".formatted(start)))
        .input()
        .start();
  }

  private static StartAt offsets(Map<String, Map<Integer, Long>> byTopic) {
    SortedMap<String, SortedMap<Integer, Long>> sorted = new TreeMap<>();
    byTopic.forEach((topic, offsets) -> sorted.put(topic, new TreeMap<>(offsets)));
    return new StartAt.Offsets(sorted);
  }

  @Test
  void start_wordTimeAndOffsets_areRead() throws Exception {
    assertThat(read("").input().start()).isEqualTo(StartAt.EARLIEST);
    assertThat(start("earliest")).isEqualTo(StartAt.EARLIEST);
    assertThat(start("latest")).isEqualTo(StartAt.LATEST);
    StartAt noon = new StartAt.Time(Instant.parse("2026-03-05T12:00:00Z"));
    assertThat(start("2026-03-05T12:00:00Z")).isEqualTo(noon);
    assertThat(start("2026-03-05T14:00:00+02:00")).isEqualTo(noon);
    assertThat(start("2026-03-05 12:00")).isEqualTo(noon);
    assertThat(start("1772712000000")).isEqualTo(noon);
    assertThat(start("{offsets: {0: 100, 1: 250}}"))
        .isEqualTo(offsets(Map.of("clicks-samples", Map.of(0, 100L, 1, 250L))));
    assertThat(start("{offsets: {clicks-samples-0: 100, 1: 250}}"))
        .isEqualTo(offsets(Map.of("clicks-samples", Map.of(0, 100L, 1, 250L))));
  }

  @Test
  void start_ofLabels_isTheOneOfEventsUnlessItIsOffsets() throws Exception {
    String noon = "2026-03-05T12:00:00Z";
    for (List<String> each :
        List.of(
            List.of(noon, "", noon),
            List.of("latest", "", "latest"),
            List.of("{offsets: {0: 1}}", "", "earliest"),
            List.of(noon, "start: earliest", "earliest"),
            List.of("latest", "start: {offsets: {0: 7}}", "offsets {clicks-labels-0: 7}"))) {
      ApplicationSettings settings =
          ApplicationFiles.read(
              folder.resolve("app.yaml"),
              FILE.formatted(each.get(1))
                  .replace("input:\n", "input:\n  start: %s\n".formatted(each.get(0))));
      assertThat(settings.ofLabels().input().start().text()).isEqualTo(each.get(2));
    }
  }

  @Test
  void start_thatCannotBe_isRefusedWithAllProblems() throws Exception {
    String text = FILE.formatted("start: newest");
    assertThat(problems(text.replace("input:\n", "input:\n  start: 100\n")))
        .containsExactlyInAnyOrder(
            "input.start: 100 would be a time before 2000; offsets are given by partition, such"
                + " as {offsets: {0: 100}}",
            "input.labels.start: 'newest' is neither earliest nor latest nor a time such as"
                + " 2026-03-05T10:00:00Z");
    assertThat(
            problems(
                FILE.formatted("start: {}")
                    .replace(
                        "input:\n",
                        "input:\n  start: {offsets: {a: 1, 0: -1, 1: 2, 01: 3}, at: 5}\n")))
        .containsExactlyInAnyOrder(
            "input.start.offsets.a: 'a' is not the number of a partition",
            "input.start.offsets.0: -1 is not an offset, a whole number from 0",
            "input.start.offsets.01: the partition is given twice",
            "input.start.at: unknown key",
            "input.labels.start.offsets: an offset for each partition is expected, such as {0: 100,"
                + " 1: 250}");
    assertThat(
            problems(
                FILE.formatted("")
                    + "kafka: {properties: {partition.discovery.interval.ms: \"-1\"}}\n"))
        .containsExactly(
            "kafka.properties.partition.discovery.interval.ms: must be 1 to 999999999 milliseconds;"
                + " without a search, added partitions would not be read");
  }

  private static String topics(String keys) {
    return FILE.formatted("").replace("input:\n", "input:\n  " + keys + "\n");
  }

  @Test
  void topics_several_areReadAlike() throws Exception {
    ApplicationSettings settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            topics("topics: [eu, us-1]\n  start: {offsets: {eu-0: 3, us-1-0: 4, us-1-1: 5}}"));
    assertThat(settings.input().topic()).isEqualTo("eu");
    assertThat(settings.input().eventTopics()).containsExactly("eu", "us-1");
    assertThat(settings.input().topics()).containsExactly("eu", "us-1", "clicks-labels");
    assertThat(settings.input().reads("us-1")).isTrue();
    assertThat(settings.input().reads("us")).isFalse();
    assertThat(settings.input().start())
        .isEqualTo(offsets(Map.of("eu", Map.of(0, 3L), "us-1", Map.of(0, 4L, 1, 5L))));
    assertThat(settings.ofTopic("us-1").input().eventTopics()).containsExactly("us-1");
    assertThat(settings.ofLabels().input().eventTopics()).containsExactly("clicks-labels");
    assertThatThrownBy(() -> settings.ofTopic("clicks-labels"))
        .hasMessage("events of clicks are not read from topic clicks-labels, but from eu, us-1");
    assertThat(
            ApplicationFiles.read(folder.resolve("app.yaml"), topics("topics: [eu]"))
                .input()
                .eventTopics())
        .containsExactly("eu");
  }

  @Test
  void topics_thatCannotBe_areRefused() throws Exception {
    assertThat(problems(topics("topics: [a, b, a, \"c d\"]\n  topic: e")))
        .containsExactlyInAnyOrder(
            "input.topics: 'topic' and 'topics' are given: leave out one of them",
            "input.topics: 'c d' is not a Kafka topic name",
            "input.topics: a topic is named twice");
    assertThat(problems(topics("topics: []")))
        .containsExactly("input.topics: names no topic: name one, or leave it out");
    assertThat(problems(topics("topics: [clicks-labels, clicks-models]")))
        .containsExactlyInAnyOrder(
            "input.topics: topic clicks-models is the topic of models of clicks, and the input"
                + " topic of clicks",
            "input.labels.topic: topic clicks-labels is the input topic of clicks, and the label"
                + " topic of clicks");
    assertThat(problems(topics("topics: [a, b]\n  start: {offsets: {0: 1, c-0: 2, a-0: 3}}")))
        .containsExactlyInAnyOrder(
            "input.start.offsets.0: a partition is named as in a-0; the topics are [a, b]",
            "input.start.offsets.c-0: a partition is named as in a-0; the topics are [a, b]");
  }

  @Test
  void topicPattern_beforeItsTopicsAreFound_hasNone() throws Exception {
    ApplicationSettings settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"), topics("topic-pattern: 'clicks-.*'\n  start: latest"));
    ApplicationSettings.Input input = settings.input();
    assertThat(input.eventTopics()).isEmpty();
    assertThat(input.topics()).containsExactly("clicks-labels");
    assertThatThrownBy(input::topic).isInstanceOf(IllegalStateException.class);
    assertThat(input.reads("clicks-eu")).isTrue();
    assertThat(input.takesEventsOf("clicks-labels")).isFalse();
    assertThat(input.takesEventsOf("my-clicks-eu")).isFalse();
    assertThat(settings.ofTopic("clicks-eu").input().topic()).isEqualTo("clicks-eu");
    assertThatThrownBy(() -> settings.ofTopic("other"))
        .hasMessage(
            "events of clicks are not read from topic other, but from topics that match clicks-.*");
    assertThatThrownBy(() -> settings.ofTopic("clicks-models"))
        .hasMessage("topic clicks-models is the topic of models of clicks");
    ApplicationSettings found = settings.withTopics(List.of("clicks-eu", "clicks-us"));
    assertThat(found.input().eventTopics()).containsExactly("clicks-eu", "clicks-us");
    assertThat(found.input().with(found.input().schema()).topicPattern()).isEqualTo("clicks-.*");
  }

  @Test
  void topicPattern_ofOtherTopicsThanBefore_isTheSameApplication() throws Exception {
    ApplicationSettings pattern =
        ApplicationFiles.read(
            folder.resolve("app.yaml"), topics("topic-pattern: 'clicks-(eu|us)'"));
    ApplicationSettings list =
        ApplicationFiles.read(folder.resolve("app.yaml"), topics("topics: [clicks-eu]"));
    SettingsIdentity of = SettingsIdentity.of(pattern.withTopics(List.of("clicks-us")));
    assertThat(of)
        .extracting(SettingsIdentity::json)
        .isEqualTo(
            SettingsIdentity.of(pattern.withTopics(List.of("clicks-eu", "clicks-us"))).json());
    assertThat(of.differences(SettingsIdentity.of(list))).isEmpty();
    assertThat(SettingsIdentity.of(list).differences(of)).isEmpty();
  }

  @Test
  void topicPattern_withoutEffectOrBroken_isRefused() throws Exception {
    assertThat(problems(topics("topic-pattern: 'a(b'\n  topics: [c]")))
        .containsExactlyInAnyOrder(
            "input.topic-pattern: 'topic' or 'topics' is given too: leave out the pattern or these",
            "input.topic-pattern: 'a(b' is not a regular expression: Unclosed group");
    assertThat(
            problems(
                topics(
                    "topic-pattern: a.*\n  control-records: input\n  start: {offsets: {a-0: 1}}")))
        .containsExactlyInAnyOrder(
            "input.control-records: 'input' needs 'topic' or 'topics', of which the first one takes"
                + " requests",
            "input.start.offsets: offsets can be given only for topics that 'topic' or 'topics' names; with a pattern, say earliest, latest or a time");
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
