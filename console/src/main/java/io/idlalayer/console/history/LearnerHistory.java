package io.idlalayer.console.history;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
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

/** What is known of one learner: the newest of everything. Confined to one thread at a time. */
final class LearnerHistory {
  private static final int MOST_NOTES = 2_000;
  private static final int MOST_MOVES = 500;
  private static final int MOST_TRACED = 20_000;
  private static final int MOST_ANSWERS = 200;
  private static final int MOST_REPLAYED = 5_000;

  private final StatusColumns columns = new StatusColumns();
  private final UpdateHistory updates = new UpdateHistory();
  private final ArrayDeque<Note> notes = new ArrayDeque<>();
  private final TreeMap<String, Long> moved = new TreeMap<>();
  private final ArrayDeque<MoveHistory.Point> moves = new ArrayDeque<>();
  private final ArrayDeque<TracedMove> traced = new ArrayDeque<>();
  private final Map<String, SampleView> answers = new LinkedHashMap<>();
  private final RecordedRun replayed = new RecordedRun(MOST_REPLAYED);
  private DecisionEvent last;

  private record TracedMove(long atMillis, StageMoves.Move move) {}

  /**
   * @param first event of the learner; to be taken too
   */
  LearnerHistory(DecisionEvent first) {
    last = first;
  }

  void take(DecisionEvent event) {
    if (event.atMillis() >= last.atMillis()) {
      last = event;
    }
    columns.add(event.atMillis(), event.status());
    updates.take(event);
    replayed.take(event);
    UpdateRecord update = event.update();
    Long number = update == null ? null : update.number();
    switch (event.type()) {
      case DROPPED, ABORTED, RULES, INPUT, HELD, WORSE, ROLLED_BACK, RESTORED, FINISHED ->
          bounded(
              notes, new Note(event.atMillis(), event.type(), number, event.message()), MOST_NOTES);
      case STATUS, FIRED, ARRIVALS, STAGED, EXPLAINED, PUBLISHED -> {}
    }
    StageMoves who = event.moves();
    if (who != null) {
      who.counts().forEach((move, count) -> moved.merge(move, (long) count, Long::sum));
      bounded(moves, new MoveHistory.Point(event.atMillis(), number, who.counts()), MOST_MOVES);
      who.traced().forEach(m -> bounded(traced, new TracedMove(event.atMillis(), m), MOST_TRACED));
    }
    SampleView sample = event.sample();
    if (sample != null) {
      answer(sample);
    }
  }

  private static <T> void bounded(ArrayDeque<T> queue, T item, int most) {
    queue.addLast(item);
    if (queue.size() > most) {
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

  /** The newest event, of any type. */
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

  /** What is known of the sample that is asked for by its id or {@code #number}. */
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

  /** Arrivals and updates, for what would have been. */
  RecordedRun replayed() {
    return replayed;
  }
}
