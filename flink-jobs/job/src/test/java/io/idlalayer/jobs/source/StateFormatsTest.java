package io.idlalayer.jobs.source;

import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.InputTopics;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The state of the source: how far the input is read. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  private static final List<TopicPositions.Role> ROLES =
      List.of(
          new TopicPositions.Role("events", "app", TopicPositions.Use.EVENTS),
          new TopicPositions.Role("control", "app", TopicPositions.Use.CONTROL));

  @Override
  protected String sources() {
    return "src/main/java/io/idlalayer/jobs/source";
  }

  @Override
  protected Stream<PinnedState> states() {
    return Stream.of(
        new PinnedState(
            "topic-positions",
            () -> read().snapshot(),
            bytes -> {
              TopicPositions positions = new TopicPositions(ROLES, StartPositions.EARLIEST);
              positions.restore(bytes);
              return positions.snapshot();
            }));
  }

  private static TopicPositions read() {
    TopicPositions positions = new TopicPositions(ROLES, StartPositions.EARLIEST);
    InputTopics.Offsets empty = new InputTopics.Offsets(0, 100);
    positions.open(
        Map.of(
            "events",
            new InputTopics.Facts("id of events", new TreeMap<>(Map.of(0, empty, 1, empty))),
            "control",
            new InputTopics.Facts("id of control", new TreeMap<>(Map.of(0, empty)))));
    for (int offset = 0; offset < 9; offset++) {
      Arrival arrival = new Arrival();
      arrival.topic = "events";
      arrival.topicPartition = offset % 2;
      arrival.offset = offset;
      arrival.input = offset % 3;
      arrival.inputNumber = 1L + offset;
      positions.admit(arrival);
    }
    positions.compare("events", 1, new InputTopics.Offsets(0, 5), Long.MAX_VALUE);
    return positions;
  }
}
