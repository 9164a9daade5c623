package io.idlalayer.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.ArrivalType;
import io.idlalayer.jobs.source.InputGate;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.text.ShortestText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StreamIntakeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String INPUT =
      "features: [x, {name: wide, width: 2}, {name: at, time: [hour]}],"
          + " categorical: [{name: site, buckets: 50}], label: label, classes: [a, b], id: id";

  @TempDir Path folder;

  private ApplicationSettings application(String input) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        "name: app\npartitions: 3\ninput: {%s}\nmodel: {type: mlp}\n".formatted(input));
  }

  private static <T> OneInputStreamOperatorTestHarness<T, Arrival> harness(
      ApplicationSettings application, @Nullable EventFields<T> fields) throws Exception {
    OneInputStreamOperatorTestHarness<T, Arrival> harness =
        new OneInputStreamOperatorTestHarness<>(new StreamIntake<>(application, fields));
    harness.setup(new ArrivalType().createSerializer(new SerializerConfigImpl()));
    return harness;
  }

  private static <T> List<Arrival> arrivals(
      ApplicationSettings application, @Nullable EventFields<T> fields, List<T> elements)
      throws Exception {
    try (OneInputStreamOperatorTestHarness<T, Arrival> harness = harness(application, fields)) {
      harness.open();
      for (T each : elements) {
        harness.processElement(new StreamRecord<>(each));
      }
      return harness.extractOutputValues();
    }
  }

  private List<Arrival> rows(String input, Row... rows) throws Exception {
    return arrivals(application(input), new RowFields(List.of()), List.of(rows));
  }

  private static Row row(RowKind kind, Map<String, Object> fields) {
    Row row = Row.withNames(kind);
    fields.forEach(row::setField);
    return row;
  }

  @Test
  void processElement_rowsOfAnyValues_areTheArrivalsOfTheSameJsonEvents() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    List<Row> rows = new ArrayList<>();
    List<byte[]> events = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      double x = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-20, 20));
      Instant at = Instant.ofEpochSecond(random.nextLong(1L << 31));
      Row row = Row.withNames();
      ObjectNode json = JSON.createObjectNode();
      row.setField("id", "e" + i);
      json.put("id", "e" + i);
      if (i % 5 > 0) {
        row.setField("x", x);
        json.put("x", x);
        row.setField("wide", new Object[] {i, (float) x});
        json.putArray("wide").add(i).add(Double.parseDouble(ShortestText.of((float) x)));
        row.setField("at", at);
        json.put("at", at.toString());
        row.setField("site", i % 2 == 0 ? (Object) i : "ä" + i);
        if (i % 2 == 0) {
          json.put("site", i);
        } else {
          json.put("site", "ä" + i);
        }
      }
      if (i % 3 > 0) {
        row.setField("label", i % 3 == 1 ? "a" : "b");
        json.put("label", i % 3 == 1 ? "a" : "b");
      }
      rows.add(row);
      events.add(JSON.writeValueAsBytes(json));
    }
    ApplicationSettings application = application(INPUT);
    List<Arrival> ofRows = arrivals(application, new RowFields(List.of()), rows);
    List<Arrival> ofEvents = arrivals(application, null, events);
    assertThat(ofRows).hasSameSizeAs(ofEvents).hasSizeGreaterThanOrEqualTo(500);
    assertThat(ofRows)
        .usingRecursiveComparison()
        // The texts of equal events differ, in escapes.
        .ignoringFields("event", "length", "text")
        .isEqualTo(ofEvents);
    assertThat(ofRows)
        .allSatisfy(arrival -> assertThat(arrival.topic).isEmpty())
        .allSatisfy(arrival -> assertThat(arrival.offset).isEqualTo(-1));
    assertThat(ofRows).filteredOn(arrival -> arrival.kind == Arrival.SAMPLE).hasSize(500 - 34);
  }

  @Test
  void processElement_bytes_areDecodedInTheFormatOfTheApplication() throws Exception {
    ApplicationSettings csv =
        application("format: csv, columns: [x, label], features: [x], label: label, classes: 2");
    List<Arrival> arrivals = arrivals(csv, null, List.of("1.5,1".getBytes(StandardCharsets.UTF_8)));
    assertThat(arrivals).singleElement().extracting(a -> a.kind).isEqualTo(Arrival.SAMPLE);
    // The rows of such an application have names all the same.
    Row row = row(RowKind.INSERT, Map.of("x", 1.5, "label", 1));
    assertThat(arrivals(csv, new RowFields(List.of()), List.of(row)))
        .singleElement()
        .extracting(a -> a.body)
        .isEqualTo(arrivals.get(0).body);
  }

  @Test
  void processElement_deletedAndOldRows_takeBackTheirLabels() throws Exception {
    for (RowKind kind : List.of(RowKind.DELETE, RowKind.UPDATE_BEFORE)) {
      List<Arrival> arrivals =
          rows(
              INPUT,
              row(kind, Map.of("id", "e1")),
              row(RowKind.INSERT, Map.of("id", "e1", "label", "a")));
      assertThat(arrivals).extracting(a -> a.kind).startsWith(Arrival.RETRACT, Arrival.SAMPLE);
      assertThat(arrivals.get(0).text).isEqualTo("e1");
      assertThat(arrivals.get(0).key).isEqualTo(arrivals.get(1).key);
    }
  }

  @Test
  void processElement_withdrawalWithoutAnId_isMalformed() throws Exception {
    Row deleted = row(RowKind.DELETE, Map.of("label", "a"));
    assertThat(rows(INPUT, deleted))
        .singleElement()
        .extracting(a -> a.text)
        .isEqualTo("id: missing; it says whose label is taken back");
    assertThat(rows("features: [x], label: label, classes: [a, b]", deleted))
        .singleElement()
        .extracting(a -> a.text)
        .isEqualTo("event: it takes back a label, and the application names no input.id");
    assertThat(rows(INPUT, row(RowKind.DELETE, Map.of("id", "i".repeat(2_000)))))
        .singleElement()
        .extracting(a -> a.text)
        .isEqualTo("id: more than 1024 bytes");
  }

  @Test
  void processElement_valueThatNoFieldHas_isADeadLetterAndIsCounted() throws Exception {
    try (OneInputStreamOperatorTestHarness<Row, Arrival> harness =
        harness(application(INPUT), new RowFields(List.of("id", "x")))) {
      harness.open();
      for (Object wrong : List.of(Map.of("a", 1), List.of(1, Map.of()), Double.NaN)) {
        harness.processElement(new StreamRecord<>(Row.of("e1", wrong)));
      }
      List<DeadLetter> letters =
          harness.getSideOutput(InputGate.DEAD_LETTERS).stream()
              .map(StreamRecord::getValue)
              .toList();
      assertThat(letters).hasSize(3).extracting(DeadLetter::topic).containsOnly("");
      assertThat(letters)
          .extracting(letter -> new String(letter.event(), StandardCharsets.UTF_8))
          .containsExactly(
              "{\"id\":\"e1\",\"x\":null}",
              "{\"id\":\"e1\",\"x\":[1,null]}",
              "{\"id\":\"e1\",\"x\":\"NaN\"}");
      assertThat(letters.get(0).reason()).startsWith("x: a value of type java.util.");
      assertThat(letters.get(2).reason()).isEqualTo("x: NaN is not a finite number");
      assertThat(harness.extractOutputValues())
          .hasSize(3)
          .extracting(arrival -> arrival.kind)
          .containsOnly(Arrival.MALFORMED);
    }
  }

  @Test
  void processElement_halfOfASurrogatePair_isRefusedByItsField() throws Exception {
    assertThat(rows(INPUT, row(RowKind.INSERT, Map.of("id", "\ud800", "label", "a"))))
        .singleElement()
        .extracting(a -> a.text)
        .asString()
        .startsWith("id: ");
  }

  @Test
  void open_afterARestore_wakesAllLearners() throws Exception {
    OperatorSubtaskState state;
    ApplicationSettings application = application(INPUT);
    try (OneInputStreamOperatorTestHarness<Row, Arrival> harness =
        harness(application, new RowFields(List.of()))) {
      harness.open();
      harness.setProcessingTime(10);
      assertThat(harness.extractOutputValues()).isEmpty();
      state = harness.snapshot(1, 1);
    }
    try (OneInputStreamOperatorTestHarness<Row, Arrival> harness =
        harness(application, new RowFields(List.of()))) {
      harness.initializeState(state);
      harness.open();
      harness.setProcessingTime(10);
      assertThat(harness.extractOutputValues())
          .hasSize(3)
          .extracting(arrival -> arrival.kind)
          .containsOnly(Arrival.WAKE);
    }
  }

  @Test
  void write_rowWithoutNames_usesThoseOfTheStream() throws Exception {
    ApplicationSettings application = application("features: [x], label: label, classes: [a, b]");
    Row row = Row.of(1.5, "a");
    assertThat(arrivals(application, new RowFields(List.of("x", "label")), List.of(row)))
        .singleElement()
        .extracting(a -> a.kind)
        .isEqualTo(Arrival.SAMPLE);
    assertThat(arrivals(application, new RowFields(List.of()), List.of(row)))
        .singleElement()
        .extracting(a -> a.text)
        .asString()
        .startsWith("row: a row has 2 values without names");
  }

  @Test
  void on_elementsOfAnotherClass_asksForTheirFields() {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
    assertThatThrownBy(() -> OnlineLearning.on(env.fromSequence(1, 2)))
        .hasMessageContaining("on(stream, (element, to) ->");
  }

  @Test
  void learn_withoutAPlaceForModels_isRefused() throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
    ApplicationSettings application = application(INPUT);
    OnlineLearning<?> learning =
        OnlineLearning.on(env.fromData(Types.ROW_NAMED(new String[] {"x"}, Types.INT), Row.of(1)));
    assertThatThrownBy(() -> learning.learn(application))
        .hasMessageContaining("set models, or publishing.directory");
  }

  @Test
  void learn_labelsOnATopic_isRefused() throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
    ApplicationSettings application = application(INPUT + ", labels: {id: id, label: label}");
    OnlineLearning<?> learning =
        OnlineLearning.on(env.fromData(Types.ROW_NAMED(new String[] {"x"}, Types.INT), Row.of(1)));
    assertThatThrownBy(() -> learning.models(folder.toString()).learn(application))
        .hasMessageContaining("input.labels of application app is a topic");
  }

  @Test
  void learn_lendersOnATopic_isRefused() throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
    String lending = "lending: {topic: lenders, token: 0123456789abcdef}";
    ApplicationSettings application =
        application(INPUT + "}\nmemory: {lend-bytes: 16MiB, " + lending);
    OnlineLearning<?> learning =
        OnlineLearning.on(env.fromData(Types.ROW_NAMED(new String[] {"x"}, Types.INT), Row.of(1)));
    assertThatThrownBy(() -> learning.models(folder.toString()).learn(application))
        .hasMessageContaining("memory.lending.topic of application app is lenders");
  }
}
