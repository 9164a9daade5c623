package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.InputTopics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * The operator right after the source. It checks every record of the partitions that its subtask
 * reads. It refuses a topic that was replaced, reports lost input, and sends events that cannot be
 * decoded to the dead letters. It removes the contents of records that were read before, so that
 * they are not learned again. A learner still gets an arrival for each repeated or refused event
 * and counts it, so that an application's numbers add up exactly, also after a restore.
 */
public final class InputGate extends AbstractStreamOperator<Arrival>
    implements OneInputStreamOperator<Arrival, Arrival> {
  private static final long serialVersionUID = 1L;

  /** The side output of dead letters. */
  public static final OutputTag<DeadLetter> DEAD_LETTERS =
      new OutputTag<>("dead-letters", TypeInformation.of(DeadLetter.class));

  private static final byte[] NOTHING = {};
  private static final long LOOK_MILLIS = 1_000;
  private static final long CLOCK_MILLIS = 1_000;

  private final List<ApplicationSettings> applications;
  private final InputTopics topics;
  private final StartPositions starts;

  private transient @Nullable TopicPositions positions;
  private transient @Nullable ListState<byte[]> saved;
  private transient @Nullable Map<String, Asked> asked;
  private transient long clockMillis;
  private transient boolean wake;
  private transient @Nullable StallWatch stall;

  /**
   * @param starts first offsets of topics that the state does not have; the source begins to read
   *     at the same offsets
   */
  public InputGate(
      List<ApplicationSettings> applications, InputTopics topics, StartPositions starts) {
    this.applications = List.copyOf(applications);
    this.topics = topics;
    this.starts = starts;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    ListState<byte[]> state =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    "input-positions-v1", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    TopicPositions all = new TopicPositions(roles(), starts);
    if (context.isRestored()) {
      for (byte[] each : state.get()) {
        all.restore(each);
      }
    }
    saved = state;
    positions = all;
    // Flink keeps timers by wall time, and the wall clock might have been set back since they were
    // saved.
    wake = context.isRestored();
  }

  private List<TopicPositions.Role> roles() {
    List<TopicPositions.Role> roles = new ArrayList<>();
    for (ApplicationSettings each : applications) {
      String control = each.kafka().controlTopic();
      for (String topic : each.input().eventTopics()) {
        roles.add(new TopicPositions.Role(topic, each.name(), TopicPositions.Use.EVENTS));
      }
      ApplicationSettings.Labels labels = each.input().labels();
      if (labels != null) {
        roles.add(new TopicPositions.Role(labels.topic(), each.name(), TopicPositions.Use.LABELS));
      }
      if (roles.stream().noneMatch(role -> role.topic().equals(control))) {
        roles.add(new TopicPositions.Role(control, each.name(), TopicPositions.Use.CONTROL));
      }
    }
    return roles;
  }

  @Override
  public void open() throws Exception {
    super.open();
    TopicPositions all = opened();
    List<TopicPositions.Lost> lost;
    try {
      lost = all.open(topics.look(all.names()));
    } catch (InputChangedException changed) {
      throw new SuppressRestartsException(changed);
    }
    stall = watch(all);
    asked = new HashMap<>();
    clockMillis = getProcessingTimeService().getCurrentProcessingTime();
    // All subtasks find the same facts. One subtask reports them, when all operators are open.
    boolean first = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
    Future<?> unused =
        getProcessingTimeService()
            .registerTimer(
                clockMillis,
                timestamp -> {
                  if (first) {
                    lost.forEach(this::say);
                  }
                  watchClock(first);
                });
  }

  /** Returns a watch that notices when the source of this subtask has stalled. */
  private StallWatch watch(TopicPositions all) {
    StallWatch watch = new StallWatch();
    int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    int subtasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
    all.next()
        .forEach(
            (topic, offsets) ->
                offsets.forEach(
                    (partition, next) -> {
                      if (reader(topic, partition, subtasks) == subtask) {
                        watch.expect(topic, partition, next);
                      }
                    }));
    return watch;
  }

  /**
   * Returns the subtask to which Flink's Kafka source first assigns a partition. If the parallelism
   * of the job changes, a partition can be read by another subtask.
   */
  static int reader(String topic, int partition, int subtasks) {
    return (((topic.hashCode() * 31) & Integer.MAX_VALUE) % subtasks + partition) % subtasks;
  }

  /**
   * Checks whether the wall clock was set back; if so, wakes the learners and checks whether the
   * source has stalled. Each check registers a timer for the next check. The timer fires in time
   * even if the wall clock is set back, because Flink waits for a new timer by a monotonic clock.
   *
   * @throws IOException if the source has stalled; Flink then restarts the job, which reads with a
   *     new consumer
   */
  private void watchClock(boolean first) throws IOException, InterruptedException {
    long now = getProcessingTimeService().getCurrentProcessingTime();
    if (first) {
      wakeLearners(now);
    }
    clockMillis = now;
    StallWatch watch = Objects.requireNonNull(stall, "not opened");
    if (watch.look(now)) {
      askForStall(watch);
    }
    // The time is read again, because the clock might have been set during the call to the broker.
    long then = getProcessingTimeService().getCurrentProcessingTime() + CLOCK_MILLIS;
    Future<?> unused =
        getProcessingTimeService().registerTimer(then, timestamp -> watchClock(first));
  }

  private void askForStall(StallWatch watch) throws IOException, InterruptedException {
    Map<String, InputTopics.Facts> facts;
    try {
      facts = topics.look(watch.topics());
    } catch (IOException silent) {
      LOG.warn("cannot ask whether the source still reads; the next check asks again", silent);
      return;
    }
    Optional<String> stalled = watch.stalled(facts);
    if (stalled.isPresent()) {
      throw new IOException(stalled.get() + "; the job goes on from its last checkpoint");
    }
  }

  /**
   * After the clock was set back, sends a record to every learner, so that the learner sets its
   * timer again. Flink keeps timers by wall time, so a learner without events would otherwise sleep
   * until the clock has caught up.
   */
  private void wakeLearners(long now) {
    if (wake || now < clockMillis) {
      wake = false;
      for (ApplicationSettings application : applications) {
        for (String key : EventDecoder.keys(application)) {
          Arrival arrival = new Arrival();
          arrival.kind = Arrival.WAKE;
          arrival.key = key;
          output.collect(new StreamRecord<>(arrival));
        }
      }
    }
  }

  private TopicPositions opened() {
    return Objects.requireNonNull(positions, "not opened");
  }

  private void say(TopicPositions.Lost lost) {
    LOG.warn(
        "{}: offsets {} to {} of {}-{} were lost before they were read: {}",
        lost.application(),
        lost.from(),
        lost.until() - 1,
        lost.topic(),
        lost.partition(),
        lost.why());
    for (String key : keys(lost.application())) {
      Arrival arrival = new Arrival();
      arrival.kind = Arrival.LOST;
      arrival.key = key;
      arrival.topic = lost.topic();
      arrival.topicPartition = lost.partition();
      arrival.offset = lost.from();
      arrival.until = lost.until();
      arrival.text = lost.why();
      output.collect(new StreamRecord<>(arrival));
    }
  }

  @Override
  public void processElement(StreamRecord<Arrival> element) throws Exception {
    Arrival arrival = element.getValue();
    TopicPositions all = opened();
    Objects.requireNonNull(stall, "not opened")
        .read(arrival.topic, arrival.topicPartition, arrival.offset);
    if (all.jumps(arrival)) {
      look(all, arrival);
    }
    switch (all.admit(arrival)) {
      case NEW -> {
        if (arrival.kind == Arrival.MALFORMED || arrival.kind == Arrival.REFUSED_CONTROL) {
          bury(arrival);
        }
        output.collect(element);
      }
      case REREAD -> {
        if (!all.isControl(arrival.topic)) {
          reread(arrival);
          output.collect(element);
        }
      }
      case REREAD_COPY -> {}
    }
  }

  /** Asks the broker why the offsets of a partition have jumped, and reports what was lost. */
  private void look(TopicPositions all, Arrival arrival) throws InterruptedException {
    try {
      InputTopics.Facts facts = facts(all, arrival);
      InputTopics.Offsets offsets =
          facts == null ? null : facts.partitions().get(arrival.topicPartition);
      TopicPositions.Lost lost =
          offsets == null
              ? null
              : all.compare(arrival.topic, arrival.topicPartition, offsets, arrival.offset);
      if (lost != null) {
        say(lost);
      }
    } catch (IOException silent) {
      LOG.warn("cannot ask whether input was lost; the next check asks again", silent);
    }
  }

  /**
   * Returns the facts about the topic of an arrival. For gaps, the broker is asked at most once a
   * second, because aborted transactions leave many gaps. For offsets that go back, the broker is
   * asked each time.
   */
  private InputTopics.@Nullable Facts facts(TopicPositions all, Arrival arrival)
      throws IOException, InterruptedException {
    long now = getProcessingTimeService().getCurrentProcessingTime();
    Map<String, Asked> known = Objects.requireNonNull(asked, "not opened");
    Asked before = known.get(arrival.topic);
    if (before != null && before.isRecent(now) && all.isGap(arrival)) {
      return before.beginnings();
    }
    InputTopics.Facts facts = topics.look(Set.of(arrival.topic)).get(arrival.topic);
    if (facts != null) {
      known.put(arrival.topic, new Asked(now, facts));
    }
    return facts;
  }

  /** The facts that the broker has told about a topic, with the time of the answer. */
  private record Asked(long atMillis, InputTopics.Facts facts) {
    /**
     * Returns whether the answer is less than a second old. The clock might have been set back
     * since.
     */
    boolean isRecent(long now) {
      return now >= atMillis && now < atMillis + LOOK_MILLIS;
    }

    /**
     * Returns the facts without the ends of partitions, because the ends grow with each record. The
     * beginnings can be reused, because a record that was gone stays gone.
     */
    InputTopics.Facts beginnings() {
      SortedMap<Integer, InputTopics.Offsets> partitions = new TreeMap<>();
      facts
          .partitions()
          .forEach(
              (partition, offsets) ->
                  partitions.put(
                      partition, new InputTopics.Offsets(offsets.beginning(), Long.MAX_VALUE)));
      return new InputTopics.Facts(facts.id(), partitions);
    }
  }

  private void bury(Arrival arrival) {
    output.collect(DEAD_LETTERS, new StreamRecord<>(RefusedArrivals.letter(arrival)));
    RefusedArrivals.shorten(arrival);
  }

  /**
   * Returns the Flink keys of an application's learners; the first one counts events that concern
   * the whole application.
   */
  private List<String> keys(String application) {
    return applications.stream()
        .filter(each -> each.name().equals(application))
        .findFirst()
        .map(EventDecoder::keys)
        .orElseThrow();
  }

  private void reread(Arrival arrival) {
    arrival.kind = Arrival.REREAD;
    arrival.key = keys(LearnerKey.parse(arrival.key).application()).get(0);
    arrival.body = NOTHING;
    arrival.text = "";
    arrival.origin = "";
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    ListState<byte[]> state = Objects.requireNonNull(saved, "not opened");
    state.update(List.of(opened().snapshot()));
  }
}
