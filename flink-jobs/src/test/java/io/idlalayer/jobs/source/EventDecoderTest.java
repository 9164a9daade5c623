package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.SampleCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EventDecoderTest {
  @TempDir Path folder;
  private EventDecoder decoder;
  private final List<Arrival> arrivals = new ArrayList<>();

  private static final class Context implements DeserializationSchema.InitializationContext {
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
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 3
        input: {topic: t, format: json, features: [a], %s, classes: 2, max-event-bytes: 64}
        """
            .formatted(input));
    ApplicationSettings settings = ApplicationFileReader.read(file, name -> null);
    decoder = new EventDecoder(List.of(settings));
    decoder.open(new Context());
  }

  private List<Arrival> decode(byte @Nullable [] value, String... headers) {
    return decode(null, value, headers);
  }

  private List<Arrival> decode(byte @Nullable [] key, byte @Nullable [] value, String... headers) {
    ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 1, 42, key, value);
    for (int i = 0; i < headers.length; i += 2) {
      record.headers().add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
    }
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
  void aSampleIsEncodedAndSentToThePartitionOfItsContent() throws Exception {
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
  void whatCannotBeDecodedKeepsItsBytesItsReasonAndItsOrigin() {
    Arrival broken = decode("{\"a\":", EventHeaders.SOURCE, "in.json#7").get(0);
    assertThat(broken.kind).isEqualTo(Arrival.MALFORMED);
    assertThat(broken.text).startsWith("byte ");
    assertThat(broken.origin).isEqualTo("in.json#7");
    assertThat(new String(broken.body, StandardCharsets.UTF_8)).isEqualTo("{\"a\":");
    assertThat(broken.key).isEqualTo(LearnerPlacement.keys("app", 3).get(0));
  }

  @Test
  void emptyAndOversizedEventsAreMalformed() {
    assertThat(decode((byte[]) null).get(0).text).isEqualTo("event: empty");
    assertThat(decode("").get(0).text).isEqualTo("event: empty");
    assertThat(decode("{\"a\":1,\"y\":0" + " ".repeat(80) + "}").get(0).text)
        .isEqualTo("event: 93 bytes; at most 64");
  }

  @Test
  void anEndMarkerReachesEveryLearner() {
    List<Arrival> ends = decode("", EventHeaders.END, "2");
    assertThat(ends)
        .extracting(arrival -> arrival.key)
        .containsExactlyElementsOf(LearnerPlacement.keys("app", 3));
    assertThat(ends).allMatch(arrival -> arrival.kind == Arrival.END && arrival.text.equals("2"));
  }

  @Test
  void aRequestToTrainReachesEveryLearnerAndIsNoEvent() {
    List<Arrival> requests = decode("", EventHeaders.TRAIN, "now");
    assertThat(requests)
        .extracting(arrival -> arrival.key)
        .containsExactlyElementsOf(LearnerPlacement.keys("app", 3));
    assertThat(requests).allMatch(arrival -> arrival.kind == Arrival.TRAIN);
  }

  @Test
  void aQuestionForASampleReachesEveryLearnerWithItsId() {
    List<Arrival> questions = decode("", EventHeaders.EXPLAIN, "click-7");
    assertThat(questions).hasSize(3).allMatch(arrival -> arrival.kind == Arrival.EXPLAIN);
    assertThat(questions).allMatch(arrival -> arrival.text.equals("click-7"));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private List<Arrival> tombstone(String key, String... headers) {
    return decode(utf8(key), null, headers);
  }

  @Test
  void aTombstoneTakesItsEventBackWhereThatEventWent() throws Exception {
    open("label: y, id: e");
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
  void whereEventsHaveNoIdATombstoneIsAnEmptyEvent() {
    Arrival tombstone = tombstone("click-7", EventHeaders.SOURCE, "in.json#7").get(0);

    assertThat(tombstone.kind).isEqualTo(Arrival.MALFORMED);
    assertThat(tombstone.text).isEqualTo("event: empty");
    assertThat(tombstone.origin).isEqualTo("in.json#7");
  }

  @Test
  void onlyARecordOfAKeyAndNoValueIsATombstone() throws Exception {
    open("label: y, id: e");

    assertThat(decode((byte[]) null).get(0).kind).isEqualTo(Arrival.MALFORMED);
    assertThat(decode(utf8("click-7"), new byte[0]).get(0).kind).isEqualTo(Arrival.MALFORMED);
    byte[] event = utf8("{\"e\":\"b\",\"a\":1,\"y\":0}");
    assertThat(decode(utf8("click-7"), event).get(0).kind).isEqualTo(Arrival.SAMPLE);
  }

  @Test
  void headersComeBeforeTombstones() throws Exception {
    open("label: y, id: e");

    assertThat(tombstone("click-7", EventHeaders.END, "2")).hasSize(3);
    assertThat(tombstone("click-7", EventHeaders.TRAIN, "now"))
        .allMatch(arrival -> arrival.kind == Arrival.TRAIN);
    List<Arrival> questions = tombstone("click-7", EventHeaders.EXPLAIN, "#12");
    assertThat(questions).hasSize(3);
    assertThat(questions)
        .allMatch(arrival -> arrival.kind == Arrival.EXPLAIN && arrival.text.equals("#12"));
  }

  @Test
  void aQuestionTakesItsPlaceInTheTopicButIsNoEvent() {
    for (Arrival question : decode("{\"a\":1,\"y\":0}", EventHeaders.EXPLAIN, "ü")) {
      assertThat(question.text).isEqualTo("ü");
      assertThat(question.topicPartition).isEqualTo(1);
      assertThat(question.offset).isEqualTo(42);
      assertThat(question.body).isEmpty();
    }
  }
}
