package io.idlalayer.jobs.start;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The offsets that a start stands for, against topics that are lists of records. */
final class StartSearchTest {
  private static final String TOPIC = "events";

  /**
   * A partition: the times of its records, of which retention has removed the first ones and an
   * open transaction hides the last ones.
   */
  private record Log(List<Long> times, int removed, int hidden) {
    int readable() {
      return times.size() - Math.min(hidden, times.size() - removed);
    }
  }

  /** A topic that grows by a record of each partition after each question. */
  private static final class FakeBroker implements PartitionOffsets {
    private final List<Log> logs;
    private final boolean grows;

    FakeBroker(List<Log> logs, boolean grows) {
      this.logs = new ArrayList<>(logs);
      this.grows = grows;
    }

    @Override
    public SortedMap<Integer, Bounds> bounds(String topic) {
      SortedMap<Integer, Bounds> bounds = new TreeMap<>();
      for (int i = 0; i < logs.size(); i++) {
        Log log = logs.get(i);
        bounds.put(i, new Bounds(log.removed(), log.readable(), log.times().size()));
      }
      grow();
      return bounds;
    }

    @Override
    public SortedMap<Integer, Long> since(String topic, long epochMillis) {
      SortedMap<Integer, Long> since = new TreeMap<>();
      for (int i = 0; i < logs.size(); i++) {
        Log log = logs.get(i);
        for (int at = log.removed(); at < log.readable(); at++) {
          if (log.times().get(at) >= epochMillis) {
            since.put(i, (long) at);
            break;
          }
        }
      }
      grow();
      return since;
    }

    private void grow() {
      for (int i = 0; i < logs.size() && grows; i++) {
        List<Long> times = new ArrayList<>(logs.get(i).times());
        times.add(Long.MAX_VALUE);
        logs.set(i, new Log(times, logs.get(i).removed(), logs.get(i).hidden()));
      }
    }
  }

  @Provide
  Arbitrary<List<Log>> logs() {
    Arbitrary<List<Long>> times = Arbitraries.longs().between(0, 20).list().ofMaxSize(12);
    return times
        .flatMap(
            all ->
                Arbitraries.integers()
                    .between(0, all.size())
                    .flatMap(
                        removed ->
                            Arbitraries.integers()
                                .between(0, 3)
                                .map(hidden -> new Log(all, removed, hidden))))
        .list()
        .ofMinSize(1)
        .ofMaxSize(4);
  }

  private static StartPositions found(List<Log> logs, boolean grows, StartAt start)
      throws IOException, InterruptedException {
    StartSearch search = new StartSearch(new FakeBroker(logs, grows));
    StartPositions found = search.find("input.start", TOPIC, start);
    assertThat(search.problems()).isEmpty();
    return found;
  }

  @Property
  void time_anyLogs_leavesOutNoRecordThatIsNotBefore(
      @ForAll("logs") List<Log> logs, @ForAll boolean grows) throws Exception {
    for (long millis = 0; millis <= 21; millis += 3) {
      StartPositions found = found(logs, grows, new StartAt.Time(Instant.ofEpochMilli(millis)));
      for (int i = 0; i < logs.size(); i++) {
        Log log = logs.get(i);
        long first = found.first(TOPIC, i, log.removed());
        for (int at = log.removed(); at < first; at++) {
          assertThat(log.times().get(at)).as("left out").isLessThan(millis);
        }
        if (first < log.readable()) {
          assertThat(log.times().get((int) first)).as("the first").isGreaterThanOrEqualTo(millis);
        }
        assertThat(first).isBetween((long) log.removed(), (long) log.readable());
      }
    }
  }

  @Property
  void latest_anyLogs_readsWhatIsHiddenNowAndAllThatComes(
      @ForAll("logs") List<Log> logs, @ForAll boolean grows) throws Exception {
    StartPositions found = found(logs, grows, StartAt.LATEST);
    for (int i = 0; i < logs.size(); i++) {
      assertThat(found.first(TOPIC, i, 0)).isEqualTo(logs.get(i).readable());
    }
  }

  @Property
  void offsets_anyLogs_areTakenOrRefusedOneByOne(
      @ForAll("logs") List<Log> logs, @ForAll("offsets") SortedMap<Integer, Long> given)
      throws Exception {
    StartSearch search = new StartSearch(new FakeBroker(logs, false));
    StartPositions found =
        search.find("input.start", TOPIC, new StartAt.Offsets(new TreeMap<>(Map.of(TOPIC, given))));
    Set<Integer> refused = new HashSet<>();
    boolean missing = false;
    for (int i = 0; i < logs.size(); i++) {
      Long offset = given.get(i);
      missing |= offset == null;
      if (offset != null
          && (offset < logs.get(i).removed() || offset > logs.get(i).times().size())) {
        refused.add(i);
      }
    }
    given.keySet().stream().filter(each -> each >= logs.size()).forEach(refused::add);
    assertThat(search.problems()).hasSize(refused.size() + (missing ? 1 : 0));
    refused.forEach(
        each ->
            assertThat(search.problems())
                .anyMatch(text -> text.matches(".* (events-|partition )" + each + "\\b.*")));
    given.forEach((each, offset) -> assertThat(found.first(TOPIC, each, 0)).isEqualTo(offset));
  }

  @Provide
  Arbitrary<SortedMap<Integer, Long>> offsets() {
    return Arbitraries.maps(
            Arbitraries.integers().between(0, 4), Arbitraries.longs().between(0, 14))
        .ofMinSize(1)
        .map(TreeMap::new);
  }

  @Example
  void offsets_thatTheTopicDoesNotHave_areRefusedWithWhatItHas() throws Exception {
    List<Long> five = List.of(1L, 2L, 3L, 4L, 5L);
    StartSearch search =
        new StartSearch(
            new FakeBroker(
                List.of(new Log(five, 3, 0), new Log(five, 0, 0), new Log(five, 2, 0)), false));
    search.find(
        "input.labels.start",
        TOPIC,
        new StartAt.Offsets(
            new TreeMap<>(Map.of(TOPIC, new TreeMap<>(Map.of(0, 1L, 1, 6L, 7, 0L))))));
    assertThat(search.problems())
        .containsExactly(
            "input.labels.start.offsets: topic events has 3 partitions, and those without an offset"
                + " are [2]: give one for each, such as 2, the oldest that events-2 has",
            "input.labels.start.offsets: 1 is below 3, the oldest offset that events-0 still has:"
                + " the records in between are gone; say 3 to read all that is left",
            "input.labels.start.offsets: 6 is above 5, the end of events-1: say 5 to read what"
                + " comes from now on",
            "input.labels.start.offsets: topic events has no partition 7, but 3 partitions from"
                + " 0");
  }

  @Example
  void positions_ofPartitionsAndTopicsThatAreNotThere_areTheBeginnings() throws Exception {
    StartPositions latest = found(List.of(new Log(List.of(1L, 2L), 1, 0)), false, StartAt.LATEST);
    assertThat(latest.first(TOPIC, 0, 1)).isEqualTo(2);
    assertThat(latest.first(TOPIC, 1, 9)).as("added since").isZero();
    assertThat(latest.first("others", 0, 9)).isEqualTo(9);
    assertThat(found(List.of(new Log(List.of(1L), 1, 0)), false, StartAt.EARLIEST))
        .isEqualTo(StartPositions.EARLIEST);
    assertThat(latest.text()).isEqualTo("events-0 from offset 2");
  }

  @Example
  void firstStarts_writtenAndRead_areEqual() {
    ObjectMapper json = new ObjectMapper();
    StartPositions positions =
        new StartPositions(
            new TreeMap<>(
                Map.of(TOPIC, new TreeMap<>(Map.of(0, 7L, 11, 0L)), "labels", new TreeMap<>())));
    Map<String, FirstStart> starts = Map.of("clicks", new FirstStart("latest", positions));
    ObjectNode text = json.createObjectNode();
    FirstStart.write(starts, text);
    assertThat(FirstStart.read(text)).isEqualTo(starts);
    assertThat(FirstStart.read(json.missingNode())).isEmpty();
  }
}
