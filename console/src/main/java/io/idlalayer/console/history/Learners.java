package io.idlalayer.console.history;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.replay.RecordedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The facts that the console keeps about all learners. Thread-safe. */
public final class Learners {
  /** Largest number of learners whose events are kept. Further learners are not shown. */
  static final int MOST = 256;

  private final TreeMap<String, LearnerHistory> histories = new TreeMap<>();

  /** A learner and its newest event. */
  public record Learner(String learner, String application, int partition, DecisionEvent last) {}

  /** Adds an event from the past to the history of its learner. */
  public synchronized void take(DecisionEvent event) {
    LearnerHistory history = history(event);
    if (history != null) {
      history.take(event);
    }
  }

  /** Adds an event that has just happened to the history of its learner. */
  public synchronized void takeNow(DecisionEvent event) {
    LearnerHistory history = history(event);
    if (history != null) {
      history.takeNow(event);
    }
  }

  /**
   * Returns the history of an event's learner; null for a new learner beyond the largest number of
   * learners.
   */
  private @Nullable LearnerHistory history(DecisionEvent event) {
    LearnerHistory known = histories.get(event.learner());
    if (known == null && histories.size() < MOST) {
      known = new LearnerHistory(event);
      histories.put(event.learner(), known);
      LearnerHistory.Limits limits = LearnerHistory.Limits.of(histories.size());
      histories.values().forEach(each -> each.limit(limits));
    }
    return known;
  }

  /** Removes all learners and their events, before all events are read again. */
  public synchronized void clear() {
    histories.clear();
  }

  /** Returns the learners that have sent an event, by name. */
  public synchronized List<Learner> learners() {
    List<Learner> all = new ArrayList<>();
    histories.forEach(
        (name, history) -> {
          DecisionEvent last = history.last();
          all.add(new Learner(name, last.application(), last.partition(), last));
        });
    return all;
  }

  /** Returns the names of the applications whose learners have sent an event. */
  public synchronized List<String> applications() {
    return histories.values().stream().map(it -> it.last().application()).distinct().toList();
  }

  /** Returns the numbers of a learner over time; empty if the learner is unknown. */
  public Optional<StatusTable> table(String learner) {
    return of(learner, LearnerHistory::table);
  }

  /** Returns the newest updates of a learner. */
  public Optional<List<UpdateEntry>> updates(String learner, int most) {
    return of(learner, history -> history.updates(most));
  }

  /** Returns the newest notes about a learner. */
  public Optional<List<Note>> notes(String learner, int most) {
    return of(learner, history -> history.notes(most));
  }

  /**
   * Returns how many samples of a learner moved between life stages; empty if the learner is
   * unknown.
   */
  public Optional<MoveHistory> moves(String learner) {
    return of(learner, LearnerHistory::moves);
  }

  /** Returns the plan that the trainings of a learner follow; empty if the learner is unknown. */
  public Optional<FollowedPlan> plan(String learner) {
    return of(learner, LearnerHistory::plan);
  }

  /** Returns the known facts about a sample; empty if the learner is unknown. */
  public Optional<SampleHistory> sample(String learner, String id) {
    return of(learner, history -> history.sample(id));
  }

  /**
   * Applies a function to the recorded arrivals and updates of a learner; empty if there is no such
   * learner. The function must be short, because it blocks other threads.
   */
  public <T> Optional<T> replayed(String learner, Function<RecordedRun, T> read) {
    return of(learner, history -> read.apply(history.replayed()));
  }

  private synchronized <T> Optional<T> of(String learner, Function<LearnerHistory, T> read) {
    return Optional.ofNullable(histories.get(learner)).map(read);
  }
}
