package io.idlalayer.console.history;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import java.util.List;
import java.util.TreeMap;

/** The newest updates of a learner. Confined to one thread at a time. */
final class UpdateHistory {
  /** Largest number of updates that are kept if memory allows. */
  static final int MOST = 10_000;

  private final TreeMap<Long, UpdateEntry> entries = new TreeMap<>();
  private int most = MOST;

  /** Sets the largest number of updates to keep from now on. */
  void limit(int updates) {
    most = updates;
    shrink();
  }

  private void shrink() {
    while (entries.size() > most) {
      entries.pollFirstEntry();
    }
  }

  void take(DecisionEvent event) {
    UpdateRecord update = event.update();
    if (event.type() == DecisionEvent.Type.RESTORED) {
      // After a restore, numbers continue from the checkpoint. Updates with higher numbers do not
      // count.
      entries.tailMap(event.status().updates(), false).clear();
    }
    if (update == null) {
      return;
    }
    switch (event.type()) {
      case FIRED -> {
        // A learner that was started over, or continues from a checkpoint, counts its updates from
        // that point.
        entries.tailMap(update.number(), true).clear();
        put(UpdateEntry.fired(event.atMillis(), update, event.message()));
      }
      case ABORTED -> next(event, update, UpdateEntry.State.ABORTED);
      // If a trained update could not be published, it is published later.
      case DROPPED ->
          next(
              event,
              update,
              update.training() == null
                  ? UpdateEntry.State.TRAINING_FAILED
                  : UpdateEntry.State.STAGED);
      case STAGED -> next(event, update, UpdateEntry.State.STAGED);
      case PUBLISHED -> next(event, update, UpdateEntry.State.PUBLISHED);
      case HELD -> next(event, update, UpdateEntry.State.HELD);
      case STATUS,
          ARRIVALS,
          RULES,
          INPUT,
          MEMORY,
          PLANNED,
          EXPLAINED,
          WORSE,
          ROLLED_BACK,
          UNCOMPARED,
          MIXED,
          FORGOTTEN,
          RESTORED,
          FINISHED -> {}
    }
  }

  private void next(DecisionEvent event, UpdateRecord update, UpdateEntry.State state) {
    UpdateEntry before = entries.get(update.number());
    if (before == null) {
      // The beginning of this update is older than the first event that was read.
      before = UpdateEntry.fired(update.firing().atMillis(), update, "");
    }
    put(before.now(state, event.atMillis(), update, event.message()));
  }

  private void put(UpdateEntry entry) {
    entries.put(entry.number(), entry);
    shrink();
  }

  /** Returns the newest updates, in the order of their numbers. */
  List<UpdateEntry> newest(int asked) {
    return entries.values().stream().skip(Math.max(0, entries.size() - asked)).toList();
  }
}
