package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clicks whose labels come by id on a topic of their own, with a default for those that do not. */
final class LabelsRunIT {
  private static final String FILE =
      """
      name: clicks
      partitions: 2
      input:
        format: json
        features: [a]
        id: click
        label: y
        classes: ["no", "yes"]
        %s
      model: {hidden: [4]}
      update: {rule: count, count: 50}
      """;

  private static final String LABELS =
      "labels: {format: csv, header: true, id: click, default: \"no\", after: 1h}";

  @TempDir Path folder;

  /** An independent count of what the files say. */
  private static final class Expected {
    final Map<Integer, String> labels = new HashMap<>();
    final Set<Integer> events = new HashSet<>();
    final Set<Integer> defaulted = new HashSet<>();
    int records;
    int duplicates;
    int corrected;

    void label(int click, String label) {
      records++;
      String before = labels.put(click, label);
      if (label.equals(before)) {
        duplicates++;
      } else if (defaulted.contains(click) && before == null && label.equals("no")) {
        duplicates++;
      } else if (defaulted.contains(click) && before == null) {
        corrected++;
      }
    }

    void event(int click) {
      records++;
      events.add(click);
    }

    void end() {
      events.stream().filter(click -> !labels.containsKey(click)).forEach(defaulted::add);
    }

    long waiting() {
      return labels.keySet().stream().filter(click -> !events.contains(click)).count();
    }
  }

  private ApplicationSettings application(String labels) throws Exception {
    return ApplicationFiles.read(folder.resolve("clicks.yaml"), FILE.formatted(labels));
  }

  private Path events(String name, int from, int to, Expected expected) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append("{\"click\": \"c%d\", \"a\": %d.5}%n".formatted(i, i % 17));
      expected.event(i);
    }
    return Files.writeString(folder.resolve(name), text);
  }

  private Path labels(String name, List<String> rows, Expected expected) throws Exception {
    for (String row : rows) {
      String[] fields = row.split(",");
      if (fields[0].matches("c[0-9]+") && fields[1].matches("yes|no")) {
        expected.label(Integer.parseInt(fields[0].substring(1)), fields[1]);
      } else {
        expected.records++;
      }
    }
    return Files.writeString(folder.resolve(name), "click,y\n" + String.join("\n", rows) + "\n");
  }

  private RunOutcome run(
      ApplicationSettings application,
      String servers,
      Path events,
      Path labels,
      double rate,
      FakeMonitor monitor,
      BooleanSupplier stop)
      throws Exception {
    InputPlan input =
        new InputPlan(
            application,
            InputSource.file(events, application),
            InputSource.file(labels, application.ofLabels()),
            Long.MAX_VALUE,
            rate);
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(List.of(application), folder.resolve("work"), servers, input);
    return new EmbeddedRun(plan, monitor).run(stop);
  }

  private static long sum(RunView view, ToLongFunction<Status.Samples> count) {
    return view.learners().stream()
        .mapToLong(each -> count.applyAsLong(each.status().samples()))
        .sum();
  }

  private static void assertCounts(RunView view, Expected expected, int malformed) {
    assertThat(sum(view, Status.Samples::received)).isEqualTo(expected.records);
    assertThat(sum(view, Status.Samples::malformed)).isEqualTo(malformed);
    assertThat(sum(view, Status.Samples::labelsDefaulted)).isEqualTo(expected.defaulted.size());
    assertThat(sum(view, Status.Samples::defaultsCorrected)).isEqualTo(expected.corrected);
    assertThat(sum(view, Status.Samples::duplicates)).isEqualTo(expected.duplicates);
    assertThat(sum(view, Status.Samples::labelsWaiting)).isEqualTo(expected.waiting());
    assertThat(sum(view, Status.Samples::stored))
        .isEqualTo(expected.events.size() + expected.waiting());
    JsonNode balance = RunReport.of(view, 1).get("balance");
    assertThat(balance.get("holds").asBoolean()).as(balance.toString()).isTrue();
  }

  @Test
  void labels_beforeTwiceLateAndNever_areCountedOnceThroughAStop() throws Exception {
    ApplicationSettings clicks = application(LABELS);
    Expected expected = new Expected();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      List<String> rows = new ArrayList<>();
      for (int i = 0; i < 400; i += 4) {
        rows.add("c" + i + (i % 8 == 0 ? ",yes" : ",no"));
      }
      rows.add("c0,yes");
      rows.add("c100000,yes");
      rows.add(",yes");
      rows.add("c5,perhaps");
      Path first = events("first.jsonl", 0, 400, expected);
      Path firstLabels = labels("first.csv", rows, expected);
      FakeMonitor stopped = new FakeMonitor();
      boolean[] begun = {false};
      RunOutcome half =
          run(
              clicks,
              servers,
              first,
              firstLabels,
              40,
              new FakeMonitor() {
                @Override
                public void tick(RunView view) {
                  begun[0] |= sum(view, Status.Samples::received) > 150;
                }
              },
              () -> begun[0]);
      assertThat(half.finished()).as("stopped in the middle").isFalse();
      expected.end();
      RunView whole = run(clicks, servers, first, firstLabels, 0, stopped, () -> false).view();
      assertThat(stopped.phases).anyMatch(text -> text.startsWith("continuing from"));
      assertCounts(whole, expected, 2);
      assertDeadLetters(clicks, servers);

      List<String> late = List.of("c1,yes", "c2,no", "c1,yes", "c401,yes");
      Path laterLabels = labels("later.csv", late, expected);
      Path later = events("later.jsonl", 400, 420, expected);
      expected.end();
      RunView after =
          run(clicks, servers, later, laterLabels, 0, new FakeMonitor(), () -> false).view();
      assertCounts(after, expected, 2);
      assertThat(sum(after, Status.Samples::revived)).isEqualTo(1);
      assertOffsets(after);
      assertChangesAreRefused(servers, later, laterLabels);
    }
  }

  private static void assertDeadLetters(ApplicationSettings clicks, String servers) {
    Map<String, Object> properties = KafkaClients.consumer(clicks.kafka(), servers);
    assertThat(TopicBytes.all(properties, clicks.kafka().deadLettersTopic()))
        .extracting(DeadLetterHeaders::read)
        .allSatisfy(letter -> assertThat(letter.topic()).isEqualTo("clicks-labels"))
        .extracting(DeadLetter::reason)
        .contains(
            "click: missing; a label needs the id of its event",
            "y: 'perhaps' is none of the 2 classes: 'no', 'yes'");
  }

  private void assertOffsets(RunView view) throws Exception {
    ModelStore store =
        new ModelStore(folder.resolve("work").resolve("models"), InstantSource.system());
    Set<String> inputs = new HashSet<>();
    for (int partition = 0; partition < 2; partition++) {
      long version = view.learners().get(partition).status().modelVersion();
      inputs.addAll(store.read("clicks", partition, version).manifest().inputOffsets().keySet());
    }
    assertThat(inputs)
        .contains("clicks-samples-0", "clicks-samples-1", "clicks-labels-0", "clicks-labels-1");
  }

  private void assertChangesAreRefused(String servers, Path events, Path labels) throws Exception {
    ApplicationSettings renamed =
        application(LABELS.replace("format", "topic: other-labels, format"));
    assertThatThrownBy(
            () -> run(renamed, servers, events, labels, 0, new FakeMonitor(), () -> false))
        .hasMessageContaining(
            "input.labels.topic of clicks: was clicks-labels and is now other-labels");
  }
}
