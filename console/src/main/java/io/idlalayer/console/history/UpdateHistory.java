package io.idlalayer.console.history;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import java.util.List;
import java.util.TreeMap;

/** The newest updates of a learner. Confined to one thread at a time. */
final class UpdateHistory {
  /** Most updates that are kept. */
  static final int MOST = 10_000;

  private final TreeMap<Long, UpdateEntry> entries = new TreeMap<>();

  void take(DecisionEvent event) {
    UpdateRecord update = event.update();
    if (event.type() == DecisionEvent.Type.RESTORED) {
      // Numbers go on from the checkpoint: what is above never counted.
      entries.tailMap(event.status().updates(), false).clear();
    }
    if (update == null) {
      return;
    }
    switch (event.type()) {
      case FIRED -> put(UpdateEntry.fired(event.atMillis(), update, event.message()));
      case ABORTED -> next(event, update, UpdateEntry.State.ABORTED);
      case DROPPED -> next(event, update, UpdateEntry.State.TRAINING_FAILED);
      case STAGED -> next(event, update, UpdateEntry.State.STAGED);
      case PUBLISHED -> next(event, update, UpdateEntry.State.PUBLISHED);
      case HELD -> next(event, update, UpdateEntry.State.HELD);
      case STATUS, ARRIVALS, RULES, INPUT, EXPLAINED, WORSE, ROLLED_BACK, RESTORED, FINISHED -> {}
    }
  }

  private void next(DecisionEvent event, UpdateRecord update, UpdateEntry.State state) {
    UpdateEntry before = entries.get(update.number());
    if (before == null) {
      // Its beginning is older than what was read.
      before = UpdateEntry.fired(update.firing().atMillis(), update, "");
    }
    put(before.now(state, event.atMillis(), update, event.message()));
  }

  private void put(UpdateEntry entry) {
    entries.put(entry.number(), entry);
    if (entries.size() > MOST) {
      entries.pollFirstEntry();
    }
  }

  /** The newest, in order of their numbers. */
  List<UpdateEntry> newest(int most) {
    return entries.values().stream().skip(Math.max(0, entries.size() - most)).toList();
  }
}
