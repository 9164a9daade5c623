package io.idlalayer.jobs.source;

import io.idlalayer.jobs.registry.RegistryUnavailableException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.survey.FieldNames;
import io.idlalayer.jobs.topics.ControlRecord;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Decodes Kafka records of all applications of a job: events from the input topics, labels from the
 * label topics, requests from the control topics. It never throws because of a record: a record
 * that is not a valid sample becomes an arrival {@link Arrival#MALFORMED} with the reason, and a
 * record that is not a valid request becomes an arrival {@link Arrival#REFUSED_CONTROL}. It throws
 * {@link RegistryUnavailableException} if a schema registry does not answer whether it has the
 * schema of a record. The job then continues from its last checkpoint, and reads the record again.
 */
public final class EventDecoder implements KafkaRecordDeserializationSchema<Arrival> {
  private static final long serialVersionUID = 1L;
  private static final byte[] NOTHING = {};

  private final List<ApplicationSettings> applications;
  private transient @Nullable Map<String, Route> routes;

  /** Routes of events, by the names of their applications. */
  private transient @Nullable Map<String, Route> eventRoutes;

  private transient @Nullable Map<String, Map<String, Route>> controls;
  private transient @Nullable SampleCodec codec;

  /**
   * @param applications the applications; their input topics differ
   */
  public EventDecoder(List<ApplicationSettings> applications) {
    this.applications = List.copyOf(applications);
  }

  /** Returns the Flink keys of an application's learners. */
  public static List<String> keys(ApplicationSettings settings) {
    return LearnerPlacement.keys(settings.name(), settings.partitions());
  }

  /**
   * What is needed to decode the records of an application's events, or of its labels, and to send
   * them to the right learners.
   *
   * @param input how the records of the topic are written
   * @param passesThrough whether the bytes of an event are already the encoding of its sample,
   *     because no ids must be mapped to rows
   * @param fieldNames finds fields that are not declared; null if events do not name their fields
   * @param partitions chooses the partition of a sample
   */
  private record Route(
      ApplicationSettings settings,
      ApplicationSettings.Input input,
      SampleDecoder decoder,
      boolean passesThrough,
      @Nullable FieldNames fieldNames,
      SamplePartitions partitions,
      List<String> keys) {
    static Route of(ApplicationSettings settings) {
      ApplicationSettings.Input input = settings.input();
      boolean passesThrough =
          input.format() == ApplicationSettings.Format.BINARY
              && input.schema().ids().stream().noneMatch(id -> id.index().fixed());
      return new Route(
          settings,
          input,
          SampleDecoders.ofInput(input),
          passesThrough,
          input.format() == ApplicationSettings.Format.JSON
              ? new FieldNames(input.schema(), input.text().eventEncoding())
              : null,
          new SamplePartitions(settings),
          EventDecoder.keys(settings));
    }

    static Route ofLabels(ApplicationSettings settings) {
      return new Route(
          settings,
          settings.input().ofLabels(),
          SampleDecoders.ofLabels(settings.input()),
          false,
          null,
          new SamplePartitions(settings),
          EventDecoder.keys(settings));
    }

    boolean heedsRequests() {
      return settings.input().controlRecords() == ApplicationSettings.ControlRecords.INPUT;
    }
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    Map<String, Route> byTopic = new HashMap<>();
    Map<String, Route> byApplication = new HashMap<>();
    Map<String, Map<String, Route>> byControlTopic = new HashMap<>();
    for (ApplicationSettings settings : applications) {
      Route route = Route.of(settings);
      byApplication.put(settings.name(), route);
      settings.input().eventTopics().forEach(topic -> byTopic.put(topic, route));
      ApplicationSettings.Labels labels = settings.input().labels();
      if (labels != null) {
        byTopic.put(labels.topic(), Route.ofLabels(settings));
      }
      byControlTopic
          .computeIfAbsent(settings.kafka().controlTopic(), topic -> new LinkedHashMap<>())
          .put(settings.name(), route);
    }
    routes = byTopic;
    eventRoutes = byApplication;
    controls = byControlTopic;
    codec = new SampleCodec();
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Arrival> out) {
    Route route = routes == null ? null : routes.get(record.topic());
    if (route != null) {
      fromInput(record, route, out);
      return;
    }
    Map<String, Route> asked = controls == null ? null : controls.get(record.topic());
    if (asked != null) {
      byte[] value = record.value();
      request(record, value == null ? NOTHING : value, asked, true, out);
    }
    // No application has this topic. The state of the source still has it, because a control topic
    // was renamed.
  }

  private void fromInput(
      ConsumerRecord<byte[], byte[]> record, Route route, Collector<Arrival> out) {
    Headers headers = record.headers();
    if (EventHeaders.has(headers, EventHeaders.MARK)) {
      route.keys().forEach(key -> out.collect(at(record, Arrival.MARK, key)));
      return;
    }
    if (route.heedsRequests()) {
      if (EventHeaders.has(headers, EventHeaders.CONTROL)) {
        byte[] value = EventHeaders.value(headers, EventHeaders.CONTROL);
        Map<String, Route> only = Map.of(route.settings().name(), route);
        request(record, value == null ? NOTHING : value, only, false, out);
        return;
      }
      boolean tombstone = record.value() == null && record.key() != null;
      if (tombstone && route.input().schema().id() != null) {
        out.collect(retraction(record, route));
        return;
      }
    }
    out.collect(decode(record, route));
    tellFields(record, route, out);
  }

  /**
   * Decodes a request from the control topic or, if allowed, from a header.
   *
   * @param isShared whether other jobs might use the topic too. A request to an application of
   *     another job then only moves the read position.
   */
  private static void request(
      ConsumerRecord<byte[], byte[]> record,
      byte[] value,
      Map<String, Route> asked,
      boolean isShared,
      Collector<Arrival> out) {
    String reason;
    try {
      ControlRecord request = ControlRecord.decode(value);
      Route route = asked.get(request.application());
      if (route != null) {
        request(record, request, route, out);
        return;
      }
      if (isShared && !request.application().isEmpty()) {
        out.collect(at(record, Arrival.MARK, asked.values().iterator().next().keys().get(0)));
        return;
      }
      reason =
          "control record: this job has no application '%s', only %s"
              .formatted(EventHeaders.cut(request.application(), 100), asked.keySet());
    } catch (MalformedSampleException refused) {
      reason = String.valueOf(refused.getMessage());
    } catch (RuntimeException unforeseen) {
      reason = "control record: " + unforeseen;
    }
    Route first = asked.values().iterator().next();
    out.collect(refused(record, first, Arrival.REFUSED_CONTROL, value, value.length, reason));
  }

  private static void request(
      ConsumerRecord<byte[], byte[]> record,
      ControlRecord request,
      Route route,
      Collector<Arrival> out)
      throws MalformedSampleException {
    byte kind =
        switch (request.type()) {
          case END -> Arrival.END;
          case TRAIN -> Arrival.TRAIN;
          case RETRACT -> Arrival.RETRACT;
          case FORGET -> Arrival.FORGET;
          case EXPLAIN -> Arrival.EXPLAIN;
        };
    List<String> keys = route.keys();
    if (kind == Arrival.RETRACT || kind == Arrival.FORGET) {
      int own = LearnerKey.partitionOf(request.id(), new ContentHash(0, 0), keys.size());
      keys = keys.subList(own, own + 1);
    }
    byte[] after = ControlRecord.positionBytes(named(request.after(), route));
    for (String key : keys) {
      Arrival arrival = at(record, kind, key);
      arrival.text = request.id();
      arrival.body = after;
      out.collect(arrival);
    }
  }

  /**
   * Returns the offsets of a request by "topic-partition".
   *
   * @throws MalformedSampleException if an offset is for a topic that the application does not read
   */
  private static SortedMap<String, Long> named(SortedMap<String, Long> after, Route route)
      throws MalformedSampleException {
    ApplicationSettings.Input input = route.settings().input();
    SortedMap<String, Long> named = new TreeMap<>();
    for (Map.Entry<String, Long> each : after.entrySet()) {
      int dash = each.getKey().lastIndexOf('-');
      String topic = dash < 0 ? input.topic() : each.getKey().substring(0, dash);
      if (!input.topics().contains(topic)) {
        throw new MalformedSampleException(
            "control record",
            "'after' names topic '%s', but events and labels come from %s%s"
                .formatted(
                    topic,
                    input.topics(),
                    input.topicPattern() == null
                        ? ""
                        : "; a topic that matches input.topic-pattern later is read from the next start on"));
      }
      named.put(topic + '-' + each.getKey().substring(dash + 1), each.getValue());
    }
    return named;
  }

  /**
   * Decodes a record that takes back a label: it has no value, and its key is the id of the event
   * with the label.
   */
  private static Arrival retraction(ConsumerRecord<byte[], byte[]> record, Route route) {
    byte[] key = record.key();
    if (key.length == 0 || key.length > ControlRecord.ID_BYTES_MAX) {
      return malformed(
          record,
          route,
          key,
          key.length,
          "key: %d bytes; an event id has 1 to %d"
              .formatted(key.length, ControlRecord.ID_BYTES_MAX));
    }
    String id;
    try {
      id = route.input().text().eventEncoding().text(key);
    } catch (MalformedSampleException notText) {
      return malformed(record, route, key, key.length, "key: " + notText.getMessage());
    }
    int partition = LearnerKey.partitionOf(id, new ContentHash(0, 0), route.keys().size());
    Arrival arrival = at(record, Arrival.RETRACT, route.keys().get(partition));
    arrival.text = id;
    return arrival;
  }

  private Arrival decode(ConsumerRecord<byte[], byte[]> record, Route route) {
    byte @Nullable [] event = record.value();
    if (event == null || event.length == 0) {
      return malformed(record, route, NOTHING, 0, "event: empty");
    }
    int bytesMax = route.input().maxEventBytes();
    // An event that was too long to be sent arrives cut, with its full length.
    long length = Math.max(event.length, EventHeaders.length(record.headers()));
    if (length > bytesMax) {
      return malformed(
          record, route, event, length, "event: %d bytes; at most %d".formatted(length, bytesMax));
    }
    if (length > event.length) {
      return malformed(
          record,
          route,
          event,
          length,
          "event: %d bytes; more than its topic takes".formatted(length));
    }
    try {
      return sample(record, route, event);
    } catch (MalformedSampleException refused) {
      return malformed(record, route, event, length, String.valueOf(refused.getMessage()));
    } catch (RegistryUnavailableException notToBlame) {
      throw notToBlame;
    } catch (RuntimeException | StackOverflowError unforeseen) {
      return malformed(record, route, event, length, "event: the decoder failed: " + unforeseen);
    }
  }

  /**
   * Returns the arrival of a sample from an event of a stream; null if the sample lacks something.
   * The caller then passes the text of the event to {@link #deserialize}.
   *
   * @param application name of the application whose event it is
   */
  public @Nullable Arrival arrivalOf(String application, Sample sample) {
    Route route =
        Objects.requireNonNull(
            Objects.requireNonNull(eventRoutes, "not opened").get(application), application);
    FieldNames names = route.fieldNames();
    boolean complete = names != null && names.lacksNone(sample) && !mayBeRefused(sample, route);
    return complete
        ? fill(new Arrival(), sample, route, Objects.requireNonNull(codec).encode(sample))
        : null;
  }

  /** Returns whether a learner might refuse a sample. The dead letter then needs the event. */
  private static boolean mayBeRefused(Sample sample, Route route) {
    SampleSchema schema = route.settings().input().schema();
    return sample.absent().anyNeeded()
        || (Double.isNaN(sample.weight()) && schema.needsWeight())
        || schema.lacksKey(sample)
        || sample.labelOnly();
  }

  /** Fills an arrival with a sample. */
  private static Arrival fill(Arrival arrival, Sample sample, Route route, byte[] body) {
    ContentHash hash = ContentHasher.of(sample, route.settings().data().hashKey());
    arrival.kind = Arrival.SAMPLE;
    arrival.key = route.keys().get(route.partitions().of(sample, hash));
    arrival.hashHigh = hash.high();
    arrival.hashLow = hash.low();
    arrival.body = body;
    return arrival;
  }

  private Arrival sample(ConsumerRecord<byte[], byte[]> record, Route route, byte[] event)
      throws MalformedSampleException {
    Sample sample = route.decoder().decode(event);
    FieldNames names = route.fieldNames();
    if (names != null) {
      names.decoded(sample);
    }
    byte[] body = route.passesThrough() ? event : Objects.requireNonNull(codec).encode(sample);
    Arrival arrival = fill(at(record, Arrival.SAMPLE, route.keys().get(0)), sample, route, body);
    if (mayBeRefused(sample, route)) {
      arrival.origin = EventHeaders.text(record.headers(), EventHeaders.SOURCE);
      arrival.event = beginning(event);
      arrival.length = event.length;
    }
    identify(record, arrival);
    return arrival;
  }

  /** Returns as much of an event as a dead letter keeps. */
  private static byte[] beginning(byte[] event) {
    return event.length <= DeadLetter.EVENT_BYTES_MAX
        ? event
        : Arrays.copyOf(event, DeadLetter.EVENT_BYTES_MAX);
  }

  /**
   * Tells the first learner which undeclared fields an event has, if the event lacks a declared
   * field.
   */
  private static void tellFields(
      ConsumerRecord<byte[], byte[]> record, Route route, Collector<Arrival> out) {
    byte[] event = record.value();
    FieldNames names = route.fieldNames();
    if (names == null || event == null) {
      return;
    }
    List<String> undeclared = names.undeclared(event);
    if (!undeclared.isEmpty()) {
      Arrival fields = at(record, Arrival.FIELDS, route.keys().get(0));
      fields.text = String.join("\n", undeclared);
      out.collect(fields);
    }
  }

  private static void identify(ConsumerRecord<byte[], byte[]> record, Arrival arrival) {
    EventHeaders.Identity identity = EventHeaders.identity(record.headers());
    if (identity != null) {
      arrival.input = identity.input();
      arrival.inputNumber = identity.number();
    }
  }

  private static Arrival malformed(
      ConsumerRecord<byte[], byte[]> record,
      Route route,
      byte[] event,
      long length,
      String reason) {
    Arrival arrival = refused(record, route, Arrival.MALFORMED, event, length, reason);
    identify(record, arrival);
    return arrival;
  }

  /** Creates the arrival for a refused record, which becomes a dead letter of bounded length. */
  private static Arrival refused(
      ConsumerRecord<byte[], byte[]> record,
      Route route,
      byte kind,
      byte[] bytes,
      long length,
      String reason) {
    Arrival arrival = at(record, kind, route.keys().get(0));
    arrival.body = beginning(bytes);
    arrival.length = length;
    arrival.text = EventHeaders.cut(reason, EventHeaders.TEXT_MAX);
    arrival.origin = EventHeaders.text(record.headers(), EventHeaders.SOURCE);
    return arrival;
  }

  private static Arrival at(ConsumerRecord<byte[], byte[]> record, byte kind, String key) {
    Arrival arrival = new Arrival();
    arrival.kind = kind;
    arrival.key = key;
    arrival.topic = record.topic();
    arrival.topicPartition = record.partition();
    arrival.offset = record.offset();
    // A producer can write any timestamp, or none (-1).
    arrival.createdAtMillis = Math.max(0, record.timestamp());
    return arrival;
  }

  @Override
  public TypeInformation<Arrival> getProducedType() {
    return new ArrivalType();
  }
}
