package io.idlalayer.jobs.stream;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.EventDecoder;
import io.idlalayer.jobs.source.InputGate;
import io.idlalayer.jobs.source.RefusedArrivals;
import io.idlalayer.jobs.topics.ControlRecord;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.PlainFieldDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import org.apache.flink.api.common.serialization.RuntimeContextInitializationContextAdapters;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes arrivals from the elements of any stream. It does for a stream what {@link InputGate} does
 * for topics. A stream has no positions, so this operator cannot find out whether elements were
 * lost or delivered twice. The operator has no state.
 */
final class StreamIntake<T> extends AbstractStreamOperator<Arrival>
    implements OneInputStreamOperator<T, Arrival> {
  private static final long serialVersionUID = 1L;
  private static final long CLOCK_MILLIS = 1_000;
  private static final int NO_PARTITION = -1;
  private static final long NO_OFFSET = -1;
  private static final String ORIGIN = "a stream of Flink";

  private final ApplicationSettings application;
  private final @Nullable EventFields<T> fields;

  private transient @Nullable EventDecoder decoder;
  private transient @Nullable EventWriter writer;
  private transient @Nullable PlainFieldDecoder plain;
  private transient @Nullable List<String> keys;
  private transient @Nullable Collector<Arrival> out;
  private transient long clockMillis;
  private transient boolean wake;

  /**
   * @param fields writes the fields of an element; null if elements are bytes in the application's
   *     format
   */
  StreamIntake(ApplicationSettings application, @Nullable EventFields<T> fields) {
    this.application = fields == null ? application : application.withJsonEvents();
    this.fields = fields;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    // Flink keeps timers of learners by wall time, and the clock might have been set back since
    // they were saved.
    wake = context.isRestored();
  }

  @Override
  public void open() throws Exception {
    super.open();
    EventDecoder opened = new EventDecoder(List.of(application));
    opened.open(
        RuntimeContextInitializationContextAdapters.deserializationAdapter(getRuntimeContext()));
    decoder = opened;
    writer = new EventWriter(application.input().schema().id());
    plain = SampleDecoders.ofFields(application.input());
    keys = EventDecoder.keys(application);
    out = new Intake();
    clockMillis = getProcessingTimeService().getCurrentProcessingTime();
    Future<?> unused = getProcessingTimeService().registerTimer(clockMillis, this::watchClock);
  }

  /** Sends the arrivals that the decoder makes from an element. */
  private final class Intake implements Collector<Arrival> {
    @Override
    public void collect(Arrival arrival) {
      send(arrival);
    }

    @Override
    public void close() {}
  }

  /**
   * Wakes the learners if the wall clock was set back. Flink keeps their timers by wall time, so a
   * learner without events would otherwise sleep until the clock has caught up.
   */
  private void watchClock(long timestamp) {
    long now = getProcessingTimeService().getCurrentProcessingTime();
    if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0
        && (wake || now < clockMillis)) {
      wake = false;
      for (String key : Objects.requireNonNull(keys, "not opened")) {
        Arrival arrival = new Arrival();
        arrival.kind = Arrival.WAKE;
        arrival.key = key;
        send(arrival);
      }
    }
    clockMillis = now;
    Future<?> unused =
        getProcessingTimeService().registerTimer(now + CLOCK_MILLIS, this::watchClock);
  }

  @Override
  public void processElement(StreamRecord<T> element) {
    T value = element.getValue();
    EventFields<T> named = fields;
    if (named == null) {
      decode((byte[]) value);
      return;
    }
    EventWriter event = Objects.requireNonNull(writer, "not opened");
    event.begin();
    named.write(value, event);
    boolean withdraws = named.withdraws(value);
    Arrival plain = withdraws || event.refusal() != null ? null : plain(event);
    if (plain != null) {
      send(plain);
      return;
    }
    byte[] bytes = event.json();
    MalformedSampleException refusal = event.refusal();
    if (refusal != null) {
      refuse(bytes, String.valueOf(refusal.getMessage()));
    } else if (withdraws) {
      withdraw(event.id(), bytes);
    } else {
      decode(bytes);
    }
  }

  /**
   * Returns the arrival of an event that can be decoded without writing it as JSON, which holds for
   * most events; null for all other events.
   */
  private @Nullable Arrival plain(EventWriter event) {
    if (event.bytesAtMost() > application.input().maxEventBytes()) {
      return null;
    }
    Sample sample =
        Objects.requireNonNull(plain, "not opened").decode(event.names(), event.values());
    return sample == null
        ? null
        : Objects.requireNonNull(decoder, "not opened").arrivalOf(application.name(), sample);
  }

  private void decode(byte[] event) {
    Objects.requireNonNull(decoder, "not opened")
        .deserialize(
            new ConsumerRecord<>(application.input().topic(), 0, 0, null, event),
            Objects.requireNonNull(out, "not opened"));
  }

  /** Asks the learner that owns the id of an event to take back the label of this event. */
  private void withdraw(String id, byte[] event) {
    String field = application.input().schema().id();
    if (field == null) {
      refuse(event, "event: it takes back a label, and the application names no input.id");
    } else if (id.isEmpty()) {
      refuse(event, field + ": missing; it says whose label is taken back");
    } else if (id.getBytes(StandardCharsets.UTF_8).length > ControlRecord.ID_BYTES_MAX) {
      refuse(event, "%s: more than %d bytes".formatted(field, ControlRecord.ID_BYTES_MAX));
    } else {
      List<String> all = Objects.requireNonNull(keys, "not opened");
      Arrival arrival = new Arrival();
      arrival.kind = Arrival.RETRACT;
      arrival.key = all.get(LearnerKey.partitionOf(id, new ContentHash(0, 0), all.size()));
      arrival.text = id;
      send(arrival);
    }
  }

  private void refuse(byte[] event, String reason) {
    Arrival arrival = new Arrival();
    arrival.kind = Arrival.MALFORMED;
    arrival.key = Objects.requireNonNull(keys, "not opened").get(0);
    arrival.body =
        event.length <= DeadLetter.EVENT_BYTES_MAX
            ? event
            : Arrays.copyOf(event, DeadLetter.EVENT_BYTES_MAX);
    arrival.length = event.length;
    arrival.text = EventHeaders.cut(reason, EventHeaders.TEXT_MAX);
    send(arrival);
  }

  private void send(Arrival arrival) {
    arrival.topic = "";
    arrival.topicPartition = NO_PARTITION;
    arrival.offset = NO_OFFSET;
    if (arrival.kind == Arrival.MALFORMED || arrival.length > 0) {
      arrival.origin = ORIGIN;
    }
    if (arrival.kind == Arrival.MALFORMED) {
      output.collect(InputGate.DEAD_LETTERS, new StreamRecord<>(RefusedArrivals.letter(arrival)));
      RefusedArrivals.shorten(arrival);
    }
    output.collect(new StreamRecord<>(arrival));
  }
}
