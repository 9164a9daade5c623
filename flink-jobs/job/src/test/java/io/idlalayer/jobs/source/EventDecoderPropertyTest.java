package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.EventHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Whatever lies in a topic: the decoder makes one bounded thing of it and goes on. */
final class EventDecoderPropertyTest {
  private static final List<String> NAMES =
      List.of(
          EventHeaders.INPUT,
          EventHeaders.SOURCE,
          EventHeaders.MARK,
          EventHeaders.CONTROL,
          EventHeaders.LENGTH,
          "idla-end",
          "idla-explain",
          "x");

  private static ApplicationSettings settings(String format, String control) {
    try {
      Path file = Files.createTempFile("app", ".yaml");
      Files.writeString(
          file,
          """
          name: app
          partitions: 2
          input: {topic: t, format: %s, columns: [e, a, y], features: [a], id: e, label: y,
            classes: 2, max-event-bytes: 1000, control-records: %s}
          """
              .formatted(format, control)
              .replace(format.equals("json") ? "columns: [e, a, y], " : "\0", ""));
      ApplicationSettings read = ApplicationFileReader.read(file, name -> null);
      Files.delete(file);
      return read;
    } catch (Exception wrong) {
      throw new IllegalStateException(wrong);
    }
  }

  private static EventDecoder decoder(String format, String control) {
    EventDecoder decoder = new EventDecoder(List.of(settings(format, control)));
    decoder.open(new EventDecoderTest.FakeContext());
    return decoder;
  }

  private final List<EventDecoder> decoders =
      List.of(decoder("json", "input"), decoder("csv", "topic"));

  @Provide
  Arbitrary<byte[]> values() {
    Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(1_200);
    Arbitrary<byte[]> nearly =
        Arbitraries.strings()
            .withChars("{}[]\":,.0123456789eE+-ayid \\nuversontplcfx\u0000\uffff")
            .ofMaxLength(200)
            .map(text -> text.getBytes(StandardCharsets.UTF_8));
    Arbitrary<byte[]> requests =
        Arbitraries.of("end", "train", "retract", "explain", "stop")
            .map(
                type ->
                    ("{\"version\":1,\"type\":\"%s\",\"application\":\"app\",\"id\":\"i\","
                            + "\"after\":{\"0\":7}}")
                        .formatted(type)
                        .getBytes(StandardCharsets.UTF_8));
    return Arbitraries.oneOf(bytes, nearly, requests).injectNull(0.1);
  }

  @Provide
  Arbitrary<List<byte[]>> headerValues() {
    return values().list().ofMaxSize(6);
  }

  @Property(tries = 2_000)
  void decode_anyRecord_isBounded(
      @ForAll("values") byte @Nullable [] key,
      @ForAll("values") byte @Nullable [] value,
      @ForAll("headerValues") List<byte @Nullable []> headers,
      @ForAll int seed) {
    for (EventDecoder decoder : decoders) {
      for (String topic : List.of("t", "app-control", "unknown")) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(topic, 0, 7, key, value);
        int name = seed;
        for (byte[] header : headers) {
          record.headers().add(NAMES.get(Math.floorMod(name++, NAMES.size())), header);
        }
        List<Arrival> out = new ArrayList<>();
        decoder.deserialize(record, collector(out));
        assertThat(out).hasSizeBetween(topic.equals("unknown") ? 0 : 1, 2);
        for (Arrival arrival : out) {
          assertThat(arrival.body.length).isLessThanOrEqualTo(DeadLetter.EVENT_BYTES_MAX);
          assertThat(arrival.text.length() + arrival.origin.length()).isLessThan(2_100);
          assertThat(arrival.offset).isEqualTo(7);
        }
      }
    }
  }

  private static Collector<Arrival> collector(List<Arrival> out) {
    return new Collector<>() {
      @Override
      public void collect(Arrival arrival) {
        out.add(arrival);
      }

      @Override
      public void close() {}
    };
  }
}
