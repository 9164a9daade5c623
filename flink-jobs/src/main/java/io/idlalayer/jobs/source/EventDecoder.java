package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Decodes Kafka records of all applications of a job. It never throws on bad data: a record that is
 * not a sample becomes a {@link Arrival#MALFORMED} arrival with the reason.
 */
public final class EventDecoder implements KafkaRecordDeserializationSchema<Arrival> {
  private static final long serialVersionUID = 1L;
  private static final byte[] NOTHING = {};

  private final List<ApplicationSettings> applications;
  private transient @Nullable Map<String, Route> routes;
  private transient @Nullable SampleCodec codec;

  /**
   * @param applications applications by their input topics, which differ
   */
  public EventDecoder(List<ApplicationSettings> applications) {
    this.applications = List.copyOf(applications);
  }

  private record Route(ApplicationSettings settings, SampleDecoder decoder, List<String> keys) {}

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    Map<String, Route> byTopic = new HashMap<>();
    for (ApplicationSettings settings : applications) {
      List<String> keys = LearnerPlacement.keys(settings.name(), settings.partitions());
      byTopic.put(
          settings.input().topic(), new Route(settings, SampleDecoders.of(settings.input()), keys));
    }
    routes = byTopic;
    codec = new SampleCodec();
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Arrival> out) {
    Route route = routes == null ? null : routes.get(record.topic());
    if (route == null) {
      throw new IllegalStateException("no application reads topic " + record.topic());
    }
    Header end = record.headers().lastHeader(EventHeaders.END);
    if (end != null) {
      for (String key : route.keys()) {
        Arrival arrival = at(record, Arrival.END, key);
        arrival.text = new String(end.value(), StandardCharsets.UTF_8);
        out.collect(arrival);
      }
      return;
    }
    if (record.headers().lastHeader(EventHeaders.TRAIN) != null) {
      route.keys().forEach(key -> out.collect(at(record, Arrival.TRAIN, key)));
      return;
    }
    Header explain = record.headers().lastHeader(EventHeaders.EXPLAIN);
    if (explain != null) {
      String id = new String(explain.value(), StandardCharsets.UTF_8);
      for (String key : route.keys()) {
        Arrival arrival = at(record, Arrival.EXPLAIN, key);
        arrival.text = id;
        out.collect(arrival);
      }
      return;
    }
    boolean tombstone = record.value() == null && record.key() != null;
    if (tombstone && route.settings().input().schema().id() != null) {
      out.collect(retraction(record, route));
      return;
    }
    out.collect(decode(record, route));
  }

  /** A record without value, whose key is an event id, takes that event's label back. */
  private static Arrival retraction(ConsumerRecord<byte[], byte[]> record, Route route) {
    String id = new String(record.key(), StandardCharsets.UTF_8);
    int partition = LearnerKey.partitionOf(id, new ContentHash(0, 0), route.keys().size());
    Arrival arrival = at(record, Arrival.RETRACT, route.keys().get(partition));
    arrival.text = id;
    return arrival;
  }

  private Arrival decode(ConsumerRecord<byte[], byte[]> record, Route route) {
    byte @Nullable [] event = record.value();
    int bytesMax = route.settings().input().maxEventBytes();
    if (event == null || event.length == 0) {
      return malformed(record, route, NOTHING, "event: empty");
    }
    if (event.length > bytesMax) {
      return malformed(
          record, route, event, "event: %d bytes; at most %d".formatted(event.length, bytesMax));
    }
    try {
      Sample sample = route.decoder().decode(event);
      ContentHash hash = ContentHasher.of(sample);
      int partition = LearnerKey.partitionOf(sample.id(), hash, route.keys().size());
      Arrival arrival = at(record, Arrival.SAMPLE, route.keys().get(partition));
      arrival.hashHigh = hash.high();
      arrival.hashLow = hash.low();
      arrival.body =
          route.settings().input().format() == ApplicationSettings.Format.BINARY
              ? event
              : java.util.Objects.requireNonNull(codec).encode(sample);
      return arrival;
    } catch (MalformedSampleException refused) {
      return malformed(record, route, event, String.valueOf(refused.getMessage()));
    }
  }

  private static Arrival malformed(
      ConsumerRecord<byte[], byte[]> record, Route route, byte[] event, String reason) {
    Arrival arrival = at(record, Arrival.MALFORMED, route.keys().get(0));
    arrival.body = event;
    arrival.text = reason;
    Header source = record.headers().lastHeader(EventHeaders.SOURCE);
    if (source != null) {
      arrival.origin = new String(source.value(), StandardCharsets.UTF_8);
    }
    return arrival;
  }

  private static Arrival at(ConsumerRecord<byte[], byte[]> record, byte kind, String key) {
    Arrival arrival = new Arrival();
    arrival.kind = kind;
    arrival.key = key;
    arrival.topic = record.topic();
    arrival.topicPartition = record.partition();
    arrival.offset = record.offset();
    arrival.createdAtMillis = record.timestamp();
    return arrival;
  }

  @Override
  public TypeInformation<Arrival> getProducedType() {
    return Types.POJO(Arrival.class);
  }
}
