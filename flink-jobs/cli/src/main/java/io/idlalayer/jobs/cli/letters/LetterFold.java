package io.idlalayer.jobs.cli.letters;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Collects the newest dead letters of an application, shortened for display, and counts all of its
 * dead letters by the kind of their reason. Confined to one thread.
 */
final class LetterFold {
  private final String application;
  private final int most;
  private final EventSurvey survey;
  private final PriorityQueue<Kept> newest =
      new PriorityQueue<>(Comparator.comparingLong(Kept::atMillis).thenComparingLong(Kept::number));
  private long count;

  /**
   * A dead letter in short.
   *
   * @param number number of letters before this one
   */
  private record Kept(long atMillis, long number, ShownLetter letter) {}

  /**
   * @param most most letters that are kept
   */
  LetterFold(String application, SampleSchema schema, int most) {
    this.application = application;
    this.most = most;
    survey = new EventSurvey(schema);
  }

  /** Adds a record of the topic if it belongs to the application: applications can share it. */
  void add(DeadLetter letter, long atMillis) {
    if (!letter.application().isEmpty() && !letter.application().equals(application)) {
      return;
    }
    count++;
    survey.refused(
        Refused.of(
            letter.reason(),
            letter.topic() + "-" + letter.partition(),
            letter.offset(),
            letter.origin(),
            letter.event(),
            letter.length()));
    newest.add(new Kept(atMillis, count, ShownLetter.of(letter)));
    if (newest.size() > most) {
      newest.poll();
    }
  }

  /** Returns how many letters there are. */
  long count() {
    return count;
  }

  /** Returns the newest letters, the oldest of them first. */
  List<ShownLetter> newest() {
    List<Kept> sorted = new ArrayList<>(newest);
    sorted.sort(newest.comparator());
    return sorted.stream().map(Kept::letter).toList();
  }

  /** Returns the commonest kinds of reasons. */
  List<Surveyed.RefusedKind> reasons() {
    return survey.surveyed(0, 0).refusals();
  }
}
