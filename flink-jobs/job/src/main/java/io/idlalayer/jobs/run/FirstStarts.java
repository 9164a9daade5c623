package io.idlalayer.jobs.run;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.jobs.start.PartitionOffsets;
import io.idlalayer.jobs.start.StartAt;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.start.StartSearch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The positions at which applications without state begin to read. {@code input.start} gives these
 * positions. If an earlier run began and ended without a checkpoint, the positions of the earlier
 * run are used again.
 *
 * @param positions first offsets of the topics of these applications
 * @param notes what to remember until the first checkpoint, by application
 * @param sentences what to tell the user
 */
public record FirstStarts(
    StartPositions positions, SortedMap<String, FirstStart> notes, List<String> sentences) {

  /** What an application's learners begin with. */
  public enum Origin {
    NOTHING,
    STATE,
    /** Unknown in this process; only Flink's own processes can find out. */
    UNKNOWN
  }

  /**
   * Finds the first offsets of all applications.
   *
   * @param origin what an application begins with
   * @param begun notes of a run that had no checkpoint, by application
   * @throws IOException with everything that is wrong with the starts of applications that begin
   *     from nothing, or if the broker does not answer
   */
  public static FirstStarts find(
      List<ApplicationSettings> applications,
      Function<ApplicationSettings, Origin> origin,
      Map<String, FirstStart> begun,
      PartitionOffsets broker)
      throws IOException, InterruptedException {
    List<String> problems = new ArrayList<>();
    List<String> sentences = new ArrayList<>();
    SortedMap<String, FirstStart> notes = new TreeMap<>();
    StartPositions positions = StartPositions.EARLIEST;
    for (ApplicationSettings application : applications) {
      String name = application.name();
      String asked = asked(application.input());
      if (asked.isEmpty()) {
        continue;
      }
      Origin from = origin.apply(application);
      if (from == Origin.STATE) {
        sentences.add(
            "%s continues from its state, so input.start (%s) is not used".formatted(name, asked));
        continue;
      }
      StartSearch search = new StartSearch(broker);
      FirstStart start = begun.get(name);
      boolean again = start != null && start.asked().equals(asked);
      if (start == null || !again) {
        start = new FirstStart(asked, positions(application.input(), search));
      }
      for (String problem : search.problems()) {
        (from == Origin.NOTHING ? problems : sentences)
            .add(from == Origin.NOTHING ? name + ": " + problem : unused(name, problem));
      }
      notes.put(name, start);
      positions = positions.and(start.positions());
      sentences.add(
          "%s begins %s (%s): %s%s"
              .formatted(
                  name,
                  again ? "where an earlier run, which had no checkpoint, began" : "at input.start",
                  asked,
                  start.positions().text(),
                  from == Origin.UNKNOWN ? ", unless Flink finds a state of it" : ""));
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
    return new FirstStarts(positions, notes, sentences);
  }

  private static String unused(String application, String problem) {
    return "warning: if Flink finds no state of %s, its input may begin elsewhere: %s"
        .formatted(application, problem);
  }

  /**
   * Returns where the reading of an input starts, as a text; empty if all topics are read from
   * their beginning.
   */
  private static String asked(ApplicationSettings.Input input) {
    ApplicationSettings.Labels labels = input.labels();
    boolean plain = input.start().equals(StartAt.EARLIEST);
    if (labels == null || labels.start().equals(input.start())) {
      return plain ? "" : input.start().text();
    }
    return "%s, labels %s".formatted(input.start().text(), labels.start().text());
  }

  private static StartPositions positions(ApplicationSettings.Input input, StartSearch search)
      throws IOException, InterruptedException {
    StartPositions events = StartPositions.EARLIEST;
    for (String topic : input.eventTopics()) {
      events = events.and(search.find("input.start", topic, input.start()));
    }
    ApplicationSettings.Labels labels = input.labels();
    return labels == null
        ? events
        : events.and(search.find("input.labels.start", labels.topic(), labels.start()));
  }
}
