package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.StoreEviction;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;

/**
 * Takes arrivals into the store: new samples, contents that are stored already, and labels that
 * come late or are taken back. Evicts what {@link StoreEviction} says. Confined to one thread.
 */
public final class Intake {
  private final DataSettings settings;
  private final SampleIndex index;
  private final SampleLibrary library;
  private final StoreEviction eviction;
  private final WaitingQueue waiting;
  private final UnlabeledQueue unlabeled;

  private long nextId = 1;
  private long lastArrivalMillis = Long.MIN_VALUE;
  private long evicted;

  public Intake(
      DataSettings settings,
      SampleIndex index,
      SampleLibrary library,
      StoreEviction eviction,
      WaitingQueue waiting,
      UnlabeledQueue unlabeled) {
    this.settings = settings;
    this.index = index;
    this.library = library;
    this.eviction = eviction;
    this.waiting = waiting;
    this.unlabeled = unlabeled;
  }

  /** Registers a sample whose metadata was read from the store after a restart. */
  public void loaded(long id, SampleMetadata metadata) {
    nextId = Math.max(nextId, id + 1);
    lastArrivalMillis = Math.max(lastArrivalMillis, metadata.lifecycle().arrivedAtMillis());
  }

  /** Returns the id of the next new sample. */
  public long nextId() {
    return nextId;
  }

  /** Returns the number of samples evicted so far. */
  public long evicted() {
    return evicted;
  }

  /** Restores the counters of a snapshot. */
  public void restore(long nextSampleId, long evictedSamples) {
    nextId = nextSampleId;
    evicted = evictedSamples;
  }

  /**
   * Returns the time of the latest arrival so far in epoch milliseconds; Long.MIN_VALUE before the
   * first.
   */
  public long lastArrivalMillis() {
    return lastArrivalMillis;
  }

  /**
   * Takes an arriving sample: stores it, or counts it if its content is stored already.
   *
   * @param overLimit whether a new sample is taken even if the store is full
   * @throws StoreFullException if the store is full; nothing has changed then
   */
  public ArrivalOutcome arrive(
      Sample sample, ContentHash hash, byte[] payload, long nowMillis, boolean overLimit) {
    lastArrivalMillis = Math.max(lastArrivalMillis, nowMillis);
    int slot = index.slotOf(hash);
    long idHash = ContentHasher.idHash(sample.id(), settings.hashKey());
    int unlabeledSlot = sample.labeled() ? index.slotWaitingForLabel(idHash) : SampleIndex.ABSENT;
    if (slot != SampleIndex.ABSENT) {
      if (unlabeledSlot != SampleIndex.ABSENT && !index.inTraining(unlabeledSlot)) {
        library.delete(index.id(unlabeledSlot));
      }
      return again(slot);
    }
    if (!overLimit && eviction.full(payload.length)) {
      throw new StoreFullException(settings, index, payload.length);
    }
    SampleIdentity identity =
        new SampleIdentity(hash, idHash, payload.length, (float) sample.label());
    if (unlabeledSlot != SampleIndex.ABSENT) {
      return join(unlabeledSlot, identity, payload);
    }
    evict(eviction.toEvict(payload.length));
    long id = nextId++;
    library.add(id, payload, SampleMetadata.newborn(identity, 1, lastArrivalMillis));
    if (sample.labeled()) {
      waiting.add(id, this::waitsLonger);
      return new ArrivalOutcome(ArrivalOutcome.Fate.NEWBORN, id);
    }
    unlabeled.add(id);
    unlabeled.trim();
    return new ArrivalOutcome(ArrivalOutcome.Fate.UNLABELED, id);
  }

  private void evict(long[] ids) {
    library.delete(ids);
    evicted += ids.length;
  }

  /**
   * Returns whether a sample has waited longer than another: by arrival, then by id, which gives an
   * equal order after a restart.
   */
  public boolean waitsLonger(long id, long other) {
    int byArrival = Long.compare(arrivedAtMillis(id), arrivedAtMillis(other));
    return byArrival != 0 ? byArrival < 0 : id < other;
  }

  private ArrivalOutcome again(int slot) {
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
      // The sample's loss is measured prequentially again, with the model now in service.
      index.loss(slot, Float.NaN);
      waiting.add(id, this::waitsLonger);
    }
    library.write(id);
    return new ArrivalOutcome(
        revived ? ArrivalOutcome.Fate.REVIVED : ArrivalOutcome.Fate.DUPLICATE, id);
  }

  private ArrivalOutcome join(int slot, SampleIdentity labeled, byte[] payload) {
    long id = index.id(slot);
    int frequency = index.frequency(slot);
    evict(eviction.toEvict(payload.length, slot));
    library.replace(id, payload, SampleMetadata.newborn(labeled, frequency, lastArrivalMillis));
    waiting.add(id, this::waitsLonger);
    return new ArrivalOutcome(ArrivalOutcome.Fate.LABEL_JOINED, id);
  }

  private long arrivedAtMillis(long id) {
    return index.arrivedAtMillis(index.slotOf(id));
  }

  /**
   * Takes the label of a sample back, so that the sample waits for a label again.
   *
   * @param eventId the event's own id
   */
  public Retraction retract(String eventId) {
    int slot = index.slotOfEvent(ContentHasher.idHash(eventId, settings.hashKey()));
    if (slot == SampleIndex.ABSENT || !index.labeled(slot)) {
      return new Retraction(Retraction.Fate.UNKNOWN, 0);
    }
    long id = index.id(slot);
    boolean untrained = index.stage(slot) == LifeStage.NEWBORN;
    boolean training = index.inTraining(slot);
    waiting.removeAll(new long[] {id});
    index.replace(slot, index.metadata(slot).retracted());
    index.inTraining(slot, training);
    library.write(id);
    if (!training) {
      unlabeled.add(id);
      unlabeled.trim();
    }
    Retraction.Fate fate = Retraction.Fate.WITHDRAWN_AFTER_TRAINING;
    if (untrained) {
      fate = training ? Retraction.Fate.WITHDRAWN_IN_TRAINING : Retraction.Fate.WITHDRAWN;
    }
    return new Retraction(fate, id);
  }
}
