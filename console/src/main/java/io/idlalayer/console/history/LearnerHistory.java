package io.idlalayer.console.history;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.replay.RecordedRun;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The latest facts about one learner. Confined to one thread at a time. */
final class LearnerHistory {
  private static final int MOST_NOTES = 2_000;
  private static final int MOST_MOVES = 500;
  private static final int MOST_TRACED = 20_000;
  private static final int MOST_ANSWERS = 200;
  private static final int MOST_REPLAYED = 5_000;
  private static final int MOST_TIMES = 500_000;

  /**
   * Milliseconds by which an event must be older than the newest one to show that the learner's
   * clock was set back.
   */
  private static final long SET_BACK_MILLIS = 60_000;

  private StatusColumns columns = new StatusColumns();
  private final UpdateHistory updates = new UpdateHistory();
  private final ArrayDeque<Note> notes = new ArrayDeque<>();
  private final TreeMap<String, Long> moved = new TreeMap<>();
  private final ArrayDeque<MoveHistory.Point> moves = new ArrayDeque<>();
  private final ArrayDeque<TracedMove> traced = new ArrayDeque<>();
  private final Map<String, SampleView> answers = new LinkedHashMap<>();
  private final RecordedRun replayed = new RecordedRun();
  private Limits limits = Limits.WHOLE;
  private final Topic statuses = new Topic();
  private final Topic decisions = new Topic();
  private DecisionEvent last;
  private FollowedPlan plan = FollowedPlan.NONE;

  /**
   * The reading progress of one of the two topics, statuses or decisions, which have no common
   * order.
   */
  private static final class Topic {
    private long newestMillis = Long.MIN_VALUE / 2;

    /**
     * Whether an event of the other topic shows that the learner's clock was set back, and no event
     * of this topic has shown it yet.
     */
    private boolean behind;

    boolean isSetBackBy(long atMillis) {
      return atMillis < newestMillis - SET_BACK_MILLIS;
    }
  }

  /** The largest number of entries of each kind that a learner's history keeps. */
  record Limits(
      int points, int updates, int notes, int moves, int traced, int replayed, int times) {
    static final Limits WHOLE =
        new Limits(
            StatusColumns.POINTS,
            UpdateHistory.MOST,
            MOST_NOTES,
            MOST_MOVES,
            MOST_TRACED,
            MOST_REPLAYED,
            MOST_TIMES);

    /**
     * Returns limits with which the histories of all learners together need no more memory than
     * eight full histories.
     */
    static Limits of(int learners) {
      return new Limits(
          share(57_600, learners, 200, WHOLE.points()),
          share(24_000, learners, 50, WHOLE.updates()),
          share(16_000, learners, 50, WHOLE.notes()),
          share(4_000, learners, 20, WHOLE.moves()),
          share(40_000, learners, 100, WHOLE.traced()),
          share(12_000, learners, 50, WHOLE.replayed()),
          share(2_000_000, learners, 5_000, WHOLE.times()));
    }

    private static int share(int all, int learners, int least, int most) {
      return Math.max(least, Math.min(most, all / learners));
    }
  }

  /** Sets the limits of this history, and drops entries beyond them. */
  void limit(Limits other) {
    limits = other;
    columns.limit(other.points());
    updates.limit(other.updates());
    replayed.limit(other.replayed(), other.times());
    shrink(notes, other.notes());
    shrink(moves, other.moves());
    shrink(traced, other.traced());
  }

  private record TracedMove(long atMillis, StageMoves.Move move) {}

  /**
   * @param first first event of the learner; the caller must also pass it to {@link #take}
   */
  LearnerHistory(DecisionEvent first) {
    last = first;
  }

  /**
   * Adds an event that has just happened. If the learner's clock was set back, the numbers over
   * time begin again. Only two events of the same topic can show that the clock was set back,
   * because after a pause one topic can be read long before the other.
   */
  void takeNow(DecisionEvent event) {
    boolean isStatus = event.type() == DecisionEvent.Type.STATUS;
    Topic own = isStatus ? statuses : decisions;
    Topic other = isStatus ? decisions : statuses;
    long atMillis = event.atMillis();
    if (own.isSetBackBy(atMillis)) {
      own.newestMillis = atMillis;
      own.behind = false;
      if (atMillis < last.atMillis() - SET_BACK_MILLIS) {
        columns = new StatusColumns();
        columns.limit(limits.points());
        last = event;
        other.behind = other.isSetBackBy(atMillis);
      }
    } else if (own.behind) {
      own.behind = atMillis > other.newestMillis + SET_BACK_MILLIS;
    }
    if (own.behind) {
      // The time of this event is from before the clock was set back.
      own.newestMillis = Math.max(own.newestMillis, atMillis);
    } else {
      takeNumbers(event);
    }
    takeRest(event);
  }

  /**
   * Adds an event from the past; an event of one topic can come before or after an earlier event of
   * the other topic.
   */
  void take(DecisionEvent event) {
    takeNumbers(event);
    takeRest(event);
  }

  private void takeNumbers(DecisionEvent event) {
    Topic own = event.type() == DecisionEvent.Type.STATUS ? statuses : decisions;
    own.newestMillis = Math.max(own.newestMillis, event.atMillis());
    if (event.atMillis() >= last.atMillis()) {
      last = event;
    }
    columns.add(event.atMillis(), event.status());
  }

  private void takeRest(DecisionEvent event) {
    updates.take(event);
    replayed.take(event);
    UpdateRecord update = event.update();
    Long number = update == null ? null : update.number();
    switch (event.type()) {
      case DROPPED,
          ABORTED,
          RULES,
          INPUT,
          HELD,
          WORSE,
          ROLLED_BACK,
          UNCOMPARED,
          FORGOTTEN,
          MEMORY,
          RESTORED,
          FINISHED ->
          bounded(
              notes,
              new Note(event.atMillis(), event.type(), number, event.message()),
              limits.notes());
      case STATUS, FIRED, ARRIVALS, STAGED, PLANNED, EXPLAINED, PUBLISHED, MIXED -> {}
    }
    StageMoves who = event.moves();
    if (who != null) {
      who.counts().forEach((move, count) -> moved.merge(move, (long) count, Long::sum));
      bounded(moves, new MoveHistory.Point(event.atMillis(), number, who.counts()), limits.moves());
      who.traced()
          .forEach(m -> bounded(traced, new TracedMove(event.atMillis(), m), limits.traced()));
    }
    StepPlan followed = event.plan();
    if (followed != null) {
      plan = new FollowedPlan(event.atMillis(), number, followed);
    }
    SampleView sample = event.sample();
    if (sample != null) {
      answer(sample);
    }
  }

  private static <T> void bounded(ArrayDeque<T> queue, T item, int most) {
    queue.addLast(item);
    shrink(queue, most);
  }

  private static void shrink(ArrayDeque<?> queue, int most) {
    while (queue.size() > most) {
      queue.removeFirst();
    }
  }

  private void answer(SampleView sample) {
    answers.remove(sample.asked());
    answers.put(sample.asked(), sample);
    if (answers.size() > MOST_ANSWERS) {
      Iterator<String> oldest = answers.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** Returns the newest event, of any type. */
  DecisionEvent last() {
    return last;
  }

  StatusTable table() {
    return columns.table();
  }

  List<UpdateEntry> updates(int most) {
    return updates.newest(most);
  }

  List<Note> notes(int most) {
    return notes.stream().skip(Math.max(0, notes.size() - most)).toList();
  }

  MoveHistory moves() {
    return new MoveHistory(new TreeMap<>(moved), List.copyOf(moves));
  }

  /** Returns the plan that trainings follow. */
  FollowedPlan plan() {
    return plan;
  }

  /** Returns the known facts about a sample, by its id or {@code #number}. */
  SampleHistory sample(String id) {
    SampleView answer = answers.get(SampleView.asked(id));
    Long number = answer != null && answer.found() ? Long.valueOf(answer.sampleId()) : number(id);
    List<SampleHistory.Move> known = new ArrayList<>();
    if (number != null) {
      for (TracedMove each : traced) {
        StageMoves.Move move = each.move();
        if (move.sampleId() == number) {
          known.add(
              new SampleHistory.Move(
                  each.atMillis(),
                  move.before(),
                  move.after(),
                  move.score(),
                  move.contribution(),
                  move.cause()));
        }
      }
    }
    return new SampleHistory(answer, known);
  }

  private static @Nullable Long number(String id) {
    return id.matches("#[0-9]{1,18}") ? Long.valueOf(id.substring(1)) : null;
  }

  /** Returns the recorded arrivals and updates, for what-if comparisons. */
  RecordedRun replayed() {
    return replayed;
  }
}
