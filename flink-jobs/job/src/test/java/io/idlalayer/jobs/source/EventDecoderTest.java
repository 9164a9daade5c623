package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.ControlRecord;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EventDecoderTest {
  @TempDir Path folder;
  private EventDecoder decoder;
  private ApplicationSettings settings;
  private final List<Arrival> arrivals = new ArrayList<>();

  static final class FakeContext implements DeserializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup();
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return SimpleUserCodeClassLoader.create(getClass().getClassLoader());
    }
  }

  @BeforeEach
  void open() throws Exception {
    open("label: y");
  }

  private void open(String input) throws Exception {
    settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: app
            partitions: 3
            input: {topic: t, format: json, features: [a], %s, classes: 2, max-event-bytes: 64}
            """
                .formatted(input));
    decoder = new EventDecoder(List.of(settings));
    decoder.open(new FakeContext());
  }

  private List<Arrival> decode(byte @Nullable [] value, String... headers) {
    return decode(null, value, headers);
  }

  private List<Arrival> decode(byte @Nullable [] key, byte @Nullable [] value, String... headers) {
    ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 1, 42, key, value);
    for (int i = 0; i < headers.length; i += 2) {
      record.headers().add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
    }
    return deserialized(record);
  }

  private List<Arrival> deserialized(ConsumerRecord<byte[], byte[]> record) {
    arrivals.clear();
    decoder.deserialize(
        record,
        new Collector<>() {
          @Override
          public void collect(Arrival arrival) {
            arrivals.add(arrival);
          }

          @Override
          public void close() {}
        });
    return List.copyOf(arrivals);
  }

  private List<Arrival> decode(String text, String... headers) {
    return decode(text.getBytes(StandardCharsets.UTF_8), headers);
  }

  @Test
  void decode_partitionBy_sendsEventsToThePartitionWithTheRowOfTheirId() throws Exception {
    settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: app
            partitions: 3
            mixing: {action: average, partition-by: user}
            input: {topic: t, format: json, features: [a], ids: [user], label: y, classes: 2}
            embeddings: {dim: 2}
            """);
    decoder = new EventDecoder(List.of(settings));
    decoder.open(new FakeContext());
    KeyRanges ranges = KeyRanges.ofTable("user", 3);
    List<String> keys = EventDecoder.keys(settings);
    Set<String> used = new TreeSet<>();
    for (int user = 0; user < 30; user++) {
      for (int a = 0; a < 4; a++) {
        Arrival arrival =
            decode("{\"a\": %d, \"user\": \"u%d\", \"y\": 1}".formatted(a, user)).get(0);
        assertThat(arrival.kind).isEqualTo(Arrival.SAMPLE);
        assertThat(arrival.key).isEqualTo(keys.get(ranges.of(IdKeys.of("u" + user))));
        used.add(arrival.key);
      }
    }
    assertThat(used).containsExactlyInAnyOrderElementsOf(keys);
    for (int a = 0; a < 8; a++) {
      assertThat(decode("{\"a\": %d, \"y\": 0}".formatted(a)).get(0).key)
          .isEqualTo(keys.get(ranges.of(IdLists.MISSING)));
    }
  }

  @Test
  void decode_partOfAnEvent_goesToTheLearnerOfItsIdWithWhatADeadLetterNeeds() throws Exception {
    open("id: e, categorical: [{name: site, buckets: 8}], label: y");
    String event = "{\"e\":\"e1\",\"site\":\"A\",\"y\":1}";
    Arrival part = decode(event, "idla-source", "in.jsonl:7").get(0);
    assertThat(part.kind).isEqualTo(Arrival.SAMPLE);
    assertThat(new String(part.event, StandardCharsets.UTF_8)).isEqualTo(event);
    assertThat(part.length).isEqualTo(event.length());
    assertThat(part.origin).isEqualTo("in.jsonl:7");
    String lone = "{\"e\":\"e1\",\"y\":1}";
    Arrival label = decode(lone, "idla-source", "in.jsonl:8").get(0);
    assertThat(label.kind).isEqualTo(Arrival.SAMPLE);
    assertThat(new String(label.event, StandardCharsets.UTF_8)).isEqualTo(lone);
    assertThat(label.length).isEqualTo(lone.length());
    assertThat(label.origin).isEqualTo("in.jsonl:8");
    Arrival whole = decode("{\"e\":\"e1\",\"a\":1}").get(0);
    assertThat(whole.event).as("a learner never refuses it").isEmpty();
    assertThat(List.of(part.key, label.key)).containsOnly(whole.key);
    assertThat(decode("{\"site\":\"A\",\"y\":1}").get(0).kind).isEqualTo(Arrival.MALFORMED);
  }

  /** What a learner decodes must hold the keys of rows, as every server looks them up. */
  @Test
  void decode_binaryIdsOfATableOfFixedSize_areKeysOfItsRows() throws Exception {
    ApplicationSettings binary =
        ApplicationFiles.read(
            folder.resolve("binary.yaml"),
            """
            name: app
            input: {topic: t, format: binary, features: [a], ids: [user, shop, device], label: y, classes: 2}
            model: {type: wide-and-deep}
            embeddings:
              tables:
                - {name: users, features: [user], rows: 1000}
                - {name: shops, features: [shop], rows: 10, index: number}
            """);
    decoder = new EventDecoder(List.of(binary));
    decoder.open(new FakeContext());
    SampleCodec codec = new SampleCodec();
    long user = IdKeys.of("user-1");
    long device = IdKeys.of("device-1");
    for (long shop : new long[] {11, 12, user}) {
      IdLists ids = IdLists.single(user, shop, device);
      byte[] event = codec.encode(new Sample("", new double[] {1}, new int[0], ids, 1));
      Sample sample = codec.decode(decode(event).get(0).body);
      assertThat(sample.ids().key(0)).as("row 158").isEqualTo(160);
      assertThat(sample.ids().key(1)).isEqualTo(shop == 11 ? 11 : IdLists.UNKNOWN);
      assertThat(sample.ids().key(2)).isEqualTo(device);
    }
  }

  @Test
  void decode_sample_goesToThePartitionOfItsContent() throws Exception {
    Arrival first = decode("{\"a\":1,\"y\":0}").get(0);
    Arrival again = decode(" { \"y\": \"0\", \"a\": 1.0 } ").get(0);
    assertThat(first.kind).isEqualTo(Arrival.SAMPLE);
    assertThat(first.offset).isEqualTo(42);
    assertThat(again.key).isEqualTo(first.key);
    assertThat(again.hashLow).isEqualTo(first.hashLow);
    assertThat(new SampleCodec().decode(first.body).dense()).containsExactly(1f);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      keys.add(decode("{\"a\":" + i + ",\"y\":0}").get(0).key);
    }
    assertThat(keys).containsExactlyInAnyOrderElementsOf(LearnerPlacement.keys("app", 3));
  }

  @Test
  void decode_malformedEvent_keepsBytesReasonAndOrigin() {
    Arrival broken = decode("{\"a\":", EventHeaders.SOURCE, "in.json#7").get(0);
    assertThat(broken.kind).isEqualTo(Arrival.MALFORMED);
    assertThat(broken.text).startsWith("byte ");
    assertThat(broken.origin).isEqualTo("in.json#7");
    assertThat(new String(broken.body, StandardCharsets.UTF_8)).isEqualTo("{\"a\":");
    assertThat(broken.key).isEqualTo(LearnerPlacement.keys("app", 3).get(0));
  }

  @Test
  void decode_anEventThatLacksADeclaredField_tellsTheFirstLearnerItsOtherFields() {
    List<Arrival> found = decode("{\"A\":1,\"y\":0,\"b\":{\"a\":2}}");
    assertThat(found)
        .extracting(each -> each.kind)
        .containsExactly(Arrival.MALFORMED, Arrival.FIELDS);
    assertThat(found.get(1).text).isEqualTo("A\nb.a");
    assertThat(found.get(1).key).isEqualTo(LearnerPlacement.keys("app", 3).get(0));
    assertThat(found.get(1).offset).isEqualTo(found.get(0).offset);
  }

  @Test
  void decode_emptyOrOversizedEvent_isMalformed() {
    assertThat(decode((byte[]) null).get(0).text).isEqualTo("event: empty");
    assertThat(decode("").get(0).text).isEqualTo("event: empty");
    assertThat(decode("{\"a\":1,\"y\":0" + " ".repeat(80) + "}").get(0).text)
        .isEqualTo("event: 93 bytes; at most 64");
  }

  private List<Arrival> request(ControlRecord.Type type, String id) {
    SortedMap<String, Long> after = new TreeMap<>(Map.of("0", 7L, "t-1", 9L));
    return control(new ControlRecord(type, "app", id, after).encode());
  }

  private List<Arrival> control(byte @Nullable [] value) {
    ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("app-control", 0, 5, null, value);
    return deserialized(record);
  }

  @Test
  void decode_controlRequest_reachesEveryLearner() {
    for (ControlRecord.Type type :
        List.of(ControlRecord.Type.END, ControlRecord.Type.TRAIN, ControlRecord.Type.EXPLAIN)) {
      List<Arrival> requests = request(type, "click-7");
      assertThat(requests)
          .extracting(arrival -> arrival.key)
          .containsExactlyElementsOf(EventDecoder.keys(settings));
      assertThat(requests).allMatch(arrival -> arrival.text.equals("click-7"));
      assertThat(ControlRecord.positions(requests.get(0).body)).containsEntry("t-1", 9L).hasSize(2);
    }
    assertThat(request(ControlRecord.Type.RETRACT, "click-7")).hasSize(1);
    assertThat(request(ControlRecord.Type.FORGET, "click-7"))
        .singleElement()
        .matches(arrival -> arrival.kind == Arrival.FORGET && arrival.text.equals("click-7"));
  }

  @Test
  void requestsOnTheInputTopicAreEvents_unlessTheFileAllowsThem() throws Exception {
    byte[] end = new ControlRecord(ControlRecord.Type.END, "app", "e", new TreeMap<>()).encode();
    String text = new String(end, StandardCharsets.UTF_8);
    open("label: y, id: e");
    assertThat(decode("{\"e\":\"b\",\"a\":1,\"y\":0}", EventHeaders.CONTROL, text).get(0).kind)
        .isEqualTo(Arrival.SAMPLE);
    assertThat(tombstone("click-7").get(0).kind).isEqualTo(Arrival.MALFORMED);
    assertThat(decode("", "idla-end", "soon").get(0).kind).isEqualTo(Arrival.MALFORMED);

    open("label: y, id: e, control-records: input");
    assertThat(decode("", EventHeaders.CONTROL, text))
        .hasSize(3)
        .allMatch(arrival -> arrival.kind == Arrival.END);
    assertThat(decode("", EventHeaders.CONTROL, "{}").get(0).kind)
        .isEqualTo(Arrival.REFUSED_CONTROL);
    assertThat(tombstone("x".repeat(2_000)).get(0).text).contains("key: 2000 bytes");
  }

  @Test
  void decode_mark_reachesEveryLearnerAndIsNoEvent() {
    assertThat(decode("x", EventHeaders.MARK, ""))
        .hasSize(3)
        .allMatch(arrival -> arrival.kind == Arrival.MARK && arrival.offset == 42);
  }

  @Test
  void aRecordThatIsNoRequest_isRefusedWithTheReason() {
    String good = "{\"version\":1,\"type\":\"end\",\"application\":\"app\",\"id\":\"e\"";
    assertThat(control(utf8(good + "}")).get(0).kind).isEqualTo(Arrival.END);
    for (String bad :
        List.of(
            "",
            "soon",
            "[]",
            "{\"version\":2,\"type\":\"end\",\"application\":\"app\",\"id\":\"e\"}",
            "{\"version\":1,\"type\":\"stop\",\"application\":\"app\",\"id\":\"e\"}",
            "{\"version\":1,\"type\":\"end\",\"id\":\"e\"}",
            "{\"version\":1,\"type\":\"end\",\"application\":\"\",\"id\":\"e\"}",
            "{\"version\":1,\"type\":\"explain\",\"application\":\"app\",\"id\":\""
                + "x".repeat(1_025)
                + "\"}",
            good + ",\"id\":\"twice\"}",
            good + ",\"extra\":1}",
            good + ",\"after\":{\"0\":-1}}",
            good + ",\"after\":{\"0\":1e3}}",
            good + ",\"after\":{\"0\":99999999999999999999}}",
            good + ",\"after\":{\"99999999\":1}}",
            good + "} trailing",
            "[".repeat(100_000),
            " ".repeat(ControlRecord.BYTES_MAX + 1))) {
      Arrival refused = control(utf8(bad)).get(0);
      assertThat(refused.kind).as(bad).isEqualTo(Arrival.REFUSED_CONTROL);
      assertThat(refused.text).startsWith("control record: ").hasSizeLessThan(1_100);
      assertThat(refused.body.length).isLessThanOrEqualTo(DeadLetter.EVENT_BYTES_MAX);
      assertThat(refused.length).isEqualTo(bad.length());
    }
    assertThat(control(null).get(0).kind).isEqualTo(Arrival.REFUSED_CONTROL);
  }

  @Test
  void control_requestWithATopicThatMatchesAPatternLater_isRefused() throws Exception {
    settings =
        ApplicationFiles.read(
                folder.resolve("app.yaml"),
                """
                name: app
                input: {topic-pattern: 't.*', features: [a], label: y, classes: 2}
                """)
            .withTopics(List.of("t", "t2"));
    decoder = new EventDecoder(List.of(settings));
    decoder.open(new FakeContext());
    SortedMap<String, Long> after = new TreeMap<>(Map.of("t-0", 7L, "t2-1", 9L));
    Arrival request =
        control(new ControlRecord(ControlRecord.Type.END, "app", "e", after).encode()).get(0);
    assertThat(request.kind).isEqualTo(Arrival.END);
    assertThat(ControlRecord.positions(request.body)).isEqualTo(Map.of("t-0", 7L, "t2-1", 9L));
    for (String topic : List.of("others", "t3")) {
      SortedMap<String, Long> more = new TreeMap<>(after);
      more.put(topic + "-0", 1L);
      Arrival refused =
          control(new ControlRecord(ControlRecord.Type.END, "app", "e", more).encode()).get(0);
      assertThat(refused.kind).isEqualTo(Arrival.REFUSED_CONTROL);
      assertThat(refused.text)
          .contains("'after' names topic '" + topic + "'")
          .endsWith("is read from the next start on");
    }
  }

  @Test
  void control_requestToAnApplicationOfAnotherJob_isAPositionOnly() throws Exception {
    byte[] others =
        new ControlRecord(ControlRecord.Type.END, "other", "e", new TreeMap<>()).encode();
    Arrival passed = control(others).get(0);
    assertThat(arrivals).hasSize(1);
    assertThat(passed.kind).isEqualTo(Arrival.MARK);
    assertThat(passed.topic).isEqualTo("app-control");
    assertThat(passed.offset).isEqualTo(5);

    open("label: y, control-records: input");
    String text = new String(others, StandardCharsets.UTF_8);
    assertThat(decode("", EventHeaders.CONTROL, text).get(0).kind)
        .as("on an input topic there is nobody else to ask")
        .isEqualTo(Arrival.REFUSED_CONTROL);
  }

  @Test
  void hostileHeaders_areCutAndNeverThrow() {
    ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 1, 42, null, utf8("{\"a\":"));
    record.headers().add(EventHeaders.SOURCE, new byte[3 << 20]);
    record.headers().add(EventHeaders.LENGTH, utf8("9".repeat(1_000)));
    record.headers().add(EventHeaders.INPUT, null);
    for (int i = 0; i < 5_000; i++) {
      record.headers().add("h" + i, new byte[] {(byte) 0xff});
    }
    Arrival arrival = deserialized(record).get(0);
    assertThat(arrival.kind).isEqualTo(Arrival.MALFORMED);
    assertThat(arrival.origin).hasSizeLessThanOrEqualTo(EventHeaders.TEXT_MAX);
    assertThat(arrival.length).isEqualTo(5);
  }

  @Test
  void decode_shortenedEvent_saysItsFullLength() {
    Arrival cut = decode("{\"a\":1,\"y\":0}", EventHeaders.LENGTH, "2097152").get(0);
    assertThat(cut.kind).isEqualTo(Arrival.MALFORMED);
    assertThat(cut.length).isEqualTo(2_097_152);
    assertThat(cut.text).isEqualTo("event: 2097152 bytes; at most 64");
    Arrival fits = decode("{\"a\":1,\"y\":0}", EventHeaders.LENGTH, "60").get(0);
    assertThat(fits.text).isEqualTo("event: 60 bytes; more than its topic takes");
  }

  @Test
  void decode_anyTimestamp_isAccepted() {
    for (long at : new long[] {-1, Long.MAX_VALUE}) {
      ConsumerRecord<byte[], byte[]> record =
          new ConsumerRecord<>(
              "t",
              1,
              42,
              at,
              at < 0 ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME,
              0,
              1,
              null,
              utf8("{\"a\":1,\"y\":0}"),
              new RecordHeaders(),
              Optional.empty());
      assertThat(deserialized(record).get(0).createdAtMillis).isNotNegative();
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private List<Arrival> tombstone(String key, String... headers) {
    return decode(utf8(key), null, headers);
  }

  @Test
  void decode_tombstone_goesToThePartitionOfItsEvent() throws Exception {
    open("label: y, id: e, control-records: input");
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      String id = "click-ü-" + i;
      Arrival sample = decode("{\"e\":\"" + id + "\",\"a\":1,\"y\":0}").get(0);
      assertThat(tombstone(id)).hasSize(1);
      Arrival retraction = tombstone(id).get(0);
      assertThat(retraction.kind).isEqualTo(Arrival.RETRACT);
      assertThat(retraction.text).isEqualTo(id);
      assertThat(retraction.key).as("the learner that has the sample").isEqualTo(sample.key);
      assertThat(retraction.topic).isEqualTo("t");
      assertThat(retraction.topicPartition).isEqualTo(1);
      assertThat(retraction.offset).isEqualTo(42);
      keys.add(retraction.key);
    }
    assertThat(keys).hasSize(3);
  }

  @Test
  void decode_tombstoneWithoutEventIds_isAnEmptyEvent() {
    Arrival tombstone = tombstone("click-7", EventHeaders.SOURCE, "in.json#7").get(0);

    assertThat(tombstone.kind).isEqualTo(Arrival.MALFORMED);
    assertThat(tombstone.text).isEqualTo("event: empty");
    assertThat(tombstone.origin).isEqualTo("in.json#7");
  }

  @Test
  void decode_recordWithKeyAndNoValue_isTheOnlyTombstone() throws Exception {
    open("label: y, id: e, control-records: input");

    assertThat(decode((byte[]) null).get(0).kind).isEqualTo(Arrival.MALFORMED);
    assertThat(decode(utf8("click-7"), new byte[0]).get(0).kind).isEqualTo(Arrival.MALFORMED);
    byte[] event = utf8("{\"e\":\"b\",\"a\":1,\"y\":0}");
    assertThat(decode(utf8("click-7"), event).get(0).kind).isEqualTo(Arrival.SAMPLE);
  }

  private static byte[] json(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Arrival label(byte @Nullable [] key, byte @Nullable [] value) {
    return deserialized(new ConsumerRecord<>("app-labels", 0, 7, key, value)).get(0);
  }

  @Test
  void labels_onATopicOfTheirOwn_goToTheLearnerOfTheirEvent() throws Exception {
    open("label: y, id: id, weight: w, control-records: input, labels: {id: event, label: out}");
    List<Arrival> event = decode(json("{\"id\": \"e1\", \"a\": 1, \"w\": 2}"));
    Arrival label = label(null, json("{\"event\": \"e1\", \"out\": 1, \"a\": \"x\", \"id\": 5}"));
    assertThat(label.kind).isEqualTo(Arrival.SAMPLE);
    assertThat(label.key).isEqualTo(event.get(0).key);
    Sample sample = new SampleCodec().decode(label.body);
    assertThat(sample.labelOnly()).isTrue();
    assertThat(sample.id()).isEqualTo("e1");
    assertThat(sample.label()).isEqualTo(1);
    assertThat(sample.weight()).as("the event says it").isNaN();
    assertThat(label.event).as("kept for a dead letter").isNotEmpty();

    assertThat(label(null, json("{\"out\": 1}")).text)
        .isEqualTo("event: missing; a label needs the id of its event");
    assertThat(label(null, json("{\"event\": \"e1\"}")).text).isEqualTo("out: missing");
    assertThat(label(null, json("{\"event\": \"e1\", \"out\": 7}")).text)
        .startsWith("out: '7' is none of the 2 classes");
    assertThat(label(json("e1"), null).kind).isEqualTo(Arrival.RETRACT);
  }

  @Test
  void request_behindPositionsOfOtherTopics_isRefused() throws Exception {
    open("label: y, id: id, labels: {}");
    String good = "{\"version\":1,\"type\":\"train\",\"application\":\"app\",\"after\":";
    List<Arrival> known = control(json(good + "{\"0\":5,\"app-labels-1\":6}}"));
    assertThat(ControlRecord.positions(known.get(0).body))
        .containsOnly(Map.entry("t-0", 5L), Map.entry("app-labels-1", 6L));
    List<Arrival> unknown = control(json(good + "{\"others-0\":5}}"));
    assertThat(unknown)
        .singleElement()
        .satisfies(each -> assertThat(each.kind).isEqualTo(Arrival.REFUSED_CONTROL))
        .satisfies(
            each ->
                assertThat(each.text).contains("'after' names topic 'others'", "[t, app-labels]"));
  }
}
