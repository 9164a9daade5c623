package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.DataController.Arrival;
import io.idlalayer.datacontroller.DataController.Fate;
import io.idlalayer.datacontroller.DataController.Retraction;
import io.idlalayer.datacontroller.DataController.Withdrawal;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import java.util.SortedMap;
import java.util.TreeMap;

/** Takes events in: new samples, equal contents, labels that come late or are taken back. */
final class Intake {
  private final SampleIndex index;
  private final SampleStore store;
  private final StoreBudget budget;
  private final PendingSamples pending;
  private final UnlabeledQueue unlabeled;

  private long nextId = 1;
  private long lastArrivalMillis = Long.MIN_VALUE;

  Intake(
      SampleIndex index,
      SampleStore store,
      StoreBudget budget,
      PendingSamples pending,
      UnlabeledQueue unlabeled) {
    this.index = index;
    this.store = store;
    this.budget = budget;
    this.pending = pending;
    this.unlabeled = unlabeled;
  }

  /** Takes notice of a stored sample after a restart. */
  void known(long id, SampleMetadata metadata) {
    nextId = Math.max(nextId, id + 1);
    lastArrivalMillis = Math.max(lastArrivalMillis, metadata.arrivedAtMillis());
  }

  long nextId() {
    return nextId;
  }

  void nextId(long restored) {
    nextId = restored;
  }

  /** See {@link DataController#arrive}. */
  Arrival arrive(
      Sample sample, ContentHash hash, byte[] payload, long nowMillis, boolean overLimit) {
    lastArrivalMillis = Math.max(lastArrivalMillis, nowMillis);
    int slot = index.slotOf(hash);
    long idHash = ContentHasher.idHash(sample.id());
    int waiting = sample.labeled() ? index.slotWaitingForLabel(idHash) : SampleIndex.ABSENT;
    if (slot != SampleIndex.ABSENT) {
      if (waiting != SampleIndex.ABSENT && !index.inTraining(waiting)) {
        unlabeled.remove(waiting);
      }
      return again(slot);
    }
    if (!overLimit) {
      budget.refuseIfFull(payload.length);
    }
    if (waiting != SampleIndex.ABSENT) {
      return join(waiting, sample, hash, payload);
    }
    budget.makeRoom(payload.length);
    SampleMetadata metadata =
        SampleMetadata.newborn(hash, idHash, lastArrivalMillis, payload.length, sample.label());
    long id = nextId++;
    index.add(id, metadata);
    store.put(id, payload, metadata);
    if (sample.labeled()) {
      pending.add(id, this::waitsLonger);
      return new Arrival(Fate.NEWBORN, id);
    }
    unlabeled.add(id);
    unlabeled.trim();
    return new Arrival(Fate.UNLABELED, id);
  }

  /** The order of pending samples, the same live and rebuilt: by arrival, then by id. */
  boolean waitsLonger(long id, long other) {
    int byArrival = Long.compare(arrivedAtMillis(id), arrivedAtMillis(other));
    return byArrival != 0 ? byArrival < 0 : id < other;
  }

  private Arrival again(int slot) {
    long id = index.id(slot);
    index.arrivedAgain(slot);
    // A Discard sample that trains right now as a replay is not new after that training.
    LifeStage before = index.stage(slot);
    LifeStage after =
        index.inTraining(slot) ? before : LifeStageMachine.next(before, StageEvent.ARRIVED_AGAIN);
    boolean revived = before != after;
    if (revived) {
      index.stage(slot, after);
      index.arrivedAtMillis(slot, lastArrivalMillis);
      // Its loss is taken prequentially again, with the model now in service.
      index.loss(slot, Float.NaN);
      pending.add(id, this::waitsLonger);
    }
    write(id, slot);
    return new Arrival(revived ? Fate.REVIVED : Fate.DUPLICATE, id);
  }

  private Arrival join(int slot, Sample sample, ContentHash hash, byte[] payload) {
    long id = index.id(slot);
    SampleMetadata old = index.metadata(slot);
    SampleMetadata labeled =
        SampleMetadata.newborn(
                hash, old.idHash(), lastArrivalMillis, payload.length, sample.label())
            .withFrequency(old.frequency());
    index.remove(slot);
    budget.makeRoom(payload.length);
    index.add(id, labeled);
    store.put(id, payload, labeled);
    pending.add(id, this::waitsLonger);
    return new Arrival(Fate.LABEL_JOINED, id);
  }

  private void write(long id, int slot) {
    SortedMap<Long, SampleMetadata> one = new TreeMap<>();
    one.put(id, index.metadata(slot));
    store.updateMetadata(one);
  }

  private long arrivedAtMillis(long id) {
    return index.arrivedAtMillis(index.slotOf(id));
  }

  /** See {@link DataController#retract}. */
  Withdrawal retract(String eventId) {
    int slot = index.slotOfEvent(ContentHasher.idHash(eventId));
    if (slot == SampleIndex.ABSENT || !index.labeled(slot)) {
      return new Withdrawal(Retraction.UNKNOWN, 0);
    }
    long id = index.id(slot);
    boolean first = index.stage(slot) == LifeStage.NEWBORN;
    boolean training = index.inTraining(slot);
    pending.removeAll(new long[] {id});
    index.replace(slot, index.metadata(slot).retracted());
    index.inTraining(slot, training);
    write(id, slot);
    if (!training) {
      unlabeled.add(id);
      unlabeled.trim();
    }
    Retraction fate = Retraction.WITHDRAWN_AFTER_TRAINING;
    if (first) {
      fate = training ? Retraction.WITHDRAWN_IN_TRAINING : Retraction.WITHDRAWN;
    }
    return new Withdrawal(fate, id);
  }

  long lastArrivalMillis() {
    return lastArrivalMillis;
  }
}
