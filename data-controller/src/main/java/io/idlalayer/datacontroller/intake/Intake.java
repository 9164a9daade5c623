package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.LabelSource;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.StoreEviction;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.MergedSample;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.history.KeyHistories;
import org.jspecify.annotations.Nullable;

/**
 * Processes arrivals and stores their samples: new samples, further events with a stored id, and
 * labels that are taken back. Evicts the samples that {@link StoreEviction} chooses. Confined to
 * one thread.
 */
public final class Intake {
  private final DataSettings settings;
  private final SampleIndex index;
  private final SampleLibrary library;
  private final StoreEviction eviction;
  private final WaitingQueue waiting;
  private final UnlabeledQueue unlabeled;
  private final EarlyLabels labels;
  private final AwaitedLabels awaited;
  private final KeyHistories histories;
  private final SampleCodec codec = new SampleCodec();

  private long nextId = 1;
  private long lastArrivalMillis = Long.MIN_VALUE;
  private long evicted;

  public Intake(
      DataSettings settings,
      SampleIndex index,
      SampleLibrary library,
      StoreEviction eviction,
      WaitingQueue waiting,
      UnlabeledQueue unlabeled,
      EarlyLabels labels,
      AwaitedLabels awaited,
      KeyHistories histories) {
    this.settings = settings;
    this.index = index;
    this.library = library;
    this.eviction = eviction;
    this.waiting = waiting;
    this.unlabeled = unlabeled;
    this.labels = labels;
    this.awaited = awaited;
    this.histories = histories;
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
   * Handles an arriving sample: stores it, or joins it to the stored sample of its event. An event
   * without an id always becomes a separate sample, however often its content has arrived.
   *
   * @param overLimit whether a new sample is stored even if the store is full
   * @throws StoreFullException if the store is full; in this case nothing has changed
   */
  public ArrivalOutcome arrive(Arriving arriving, long nowMillis, boolean overLimit) {
    Sample sample = arriving.sample();
    lastArrivalMillis = Math.max(lastArrivalMillis, nowMillis);
    labels.giveUp(lastArrivalMillis);
    long idHash = ContentHasher.idHash(sample.id(), settings.hashKey());
    int known = index.slotOfEvent(idHash);
    if (known != SampleIndex.ABSENT) {
      if (index.holds(known, arriving.hash())) {
        if (sample.labeled()) {
          confirm(known);
        }
        return duplicate(known, sample);
      }
      Sample stored = stored(known);
      // Two ids can have the same hash.
      if (stored.id().equals(sample.id())) {
        return meet(known, stored, arriving, idHash, overLimit);
      }
    }
    return store(weighted(arriving), idHash, overLimit);
  }

  private ArrivalOutcome store(Arriving arriving, long idHash, boolean overLimit) {
    if (incomplete(arriving.sample())) {
      return new ArrivalOutcome(ArrivalOutcome.Fate.INCOMPLETE, 0, arriving.sample(), false);
    }
    boolean inContext = histories.kept() && arriving.sample().hasFeatures();
    Sample sample = inContext ? histories.inContext(arriving.sample()) : arriving.sample();
    byte[] encoded = inContext ? codec.encode(sample) : arriving.payload();
    byte[] payload = payload(sample, encoded, arriving.record());
    if (!overLimit && eviction.full(payload.length)) {
      throw new StoreFullException(settings, index, payload.length);
    }
    evict(eviction.toEvict(payload.length));
    if (inContext) {
      histories.remember(sample);
    }
    long id = nextId++;
    boolean labelOnly = sample.labelOnly();
    SampleIdentity identity = identity(sample, arriving.hash(), idHash, payload.length);
    library.add(id, payload, newborn(identity, lastArrivalMillis));
    if (identity.labeled()) {
      waiting.add(id, this::waitsLonger);
      return new ArrivalOutcome(ArrivalOutcome.Fate.NEWBORN, id, sample, false);
    }
    if (labelOnly) {
      labels.add(id);
    }
    awaited.add(id);
    unlabeled.add(id);
    unlabeled.trim();
    return new ArrivalOutcome(
        labelOnly ? ArrivalOutcome.Fate.LABEL_WAITS : ArrivalOutcome.Fate.UNLABELED,
        id,
        sample,
        false);
  }

  /** Returns whether a sample lacks something that only another event with its id can bring. */
  private boolean incomplete(Sample sample) {
    return sample.absent().anyNeeded() || sample.lacksWeight() || histories.lacksKey(sample);
  }

  /** Returns the metadata of a sample whose content has arrived once more. */
  private SampleMetadata newborn(SampleIdentity identity, long arrivedAtMillis) {
    int before = index.arrivals(identity.contentHash());
    int frequency = before == Integer.MAX_VALUE ? before : before + 1;
    return SampleMetadata.newborn(identity, frequency, arrivedAtMillis);
  }

  /** Returns the bytes that are stored for a sample. For an early label they include its record. */
  private static byte[] payload(Sample sample, byte[] encoded, EventRecord record) {
    return sample.labelOnly() ? new EarlyLabel(encoded, record).encode() : encoded;
  }

  private static SampleIdentity identity(
      Sample sample, ContentHash hash, long idHash, int payloadBytes) {
    return sample.labelOnly()
        ? SampleIdentity.ofLabel(hash, idHash, payloadBytes)
        : SampleIdentity.of(hash, idHash, payloadBytes, sample);
  }

  /**
   * Returns a stored sample. If the label of the sample was taken back, the returned sample has no
   * label.
   */
  private Sample stored(int slot) {
    long id = index.id(slot);
    if (index.labelOnly(slot)) {
      return labels.label(id);
    }
    try {
      Sample sample = codec.decode(library.payloads(new long[] {id}).get(0));
      return index.labeled(slot) ? sample : sample.withLabel(Sample.NO_LABEL);
    } catch (MalformedSampleException damaged) {
      throw new IllegalStateException("stored sample " + id + " is damaged", damaged);
    }
  }

  private ArrivalOutcome duplicate(int slot, Sample sample) {
    return new ArrivalOutcome(ArrivalOutcome.Fate.DUPLICATE, index.id(slot), sample, false);
  }

  /** Handles an event with the same id as a stored sample. */
  private ArrivalOutcome meet(
      int slot, Sample stored, Arriving arriving, long idHash, boolean overLimit) {
    Sample later = arriving.sample();
    MergedSample merged = MergedSample.of(stored, later);
    Sample complete = weighted(merged.sample());
    boolean byDefault = index.source(slot) == LabelSource.DEFAULT;
    if (merged.saysNothing()) {
      if (later.labeled()) {
        confirm(slot);
      }
      return duplicate(slot, stored);
    }
    if (incomplete(complete)) {
      return new ArrivalOutcome(ArrivalOutcome.Fate.INCOMPLETE, 0, later, false);
    }
    boolean arrives = histories.kept() && complete.hasFeatures() && !complete.context().known();
    Sample sample = arrives ? histories.inContext(complete) : complete;
    byte[] payload = payload(sample, codec.encode(sample), arriving.record());
    if (!overLimit && eviction.full(payload.length, slot)) {
      throw new StoreFullException(settings, index, payload.length);
    }
    ContentHash hash = ContentHasher.of(sample, settings.hashKey());
    LabelSource source = later.labeled() ? LabelSource.EVENT : index.source(slot);
    SampleIdentity identity = identity(sample, hash, idHash, payload.length).with(source);
    ArrivalOutcome.Fate fate = fate(slot, sample, later);
    long id = index.id(slot);
    replace(slot, identity, payload, fate == ArrivalOutcome.Fate.MERGED);
    if (arrives) {
      histories.remember(sample);
    } else {
      histories.changed(sample);
    }
    boolean corrects = byDefault && later.labeled() && later.label() != stored.label();
    return new ArrivalOutcome(fate, id, sample, merged.changes(), corrects);
  }

  /**
   * Records that an event has brought the label of a sample that had this label only by default.
   */
  private void confirm(int slot) {
    if (index.source(slot) == LabelSource.DEFAULT) {
      SampleMetadata metadata = index.metadata(slot);
      boolean training = index.inTraining(slot);
      index.replace(slot, metadata.with(LabelSource.EVENT));
      index.inTraining(slot, training);
      library.write(index.id(slot));
    }
  }

  /**
   * Gives the default label to the event that has waited longest for its own, if it has waited long
   * enough.
   *
   * @param all whether to give the label without further waiting, because no more labels come
   * @return the outcome; null if no event is due
   */
  public @Nullable ArrivalOutcome giveDefaultLabel(long nowMillis, boolean all) {
    lastArrivalMillis = Math.max(lastArrivalMillis, nowMillis);
    long id = awaited.takeDue(lastArrivalMillis, all);
    while (id != AwaitedLabels.NONE) {
      int slot = index.require(id);
      Sample sample = weighted(stored(slot).withLabel(settings.defaultLabel().label()));
      if (!incomplete(sample)) {
        byte[] payload = codec.encode(sample);
        ContentHash hash = ContentHasher.of(sample, settings.hashKey());
        long idHash = index.metadata(slot).identity().idHash();
        SampleIdentity identity = identity(sample, hash, idHash, payload.length);
        replace(slot, identity.with(LabelSource.DEFAULT), payload, false);
        histories.changed(sample);
        return new ArrivalOutcome(ArrivalOutcome.Fate.DEFAULTED, id, sample, false);
      }
      id = awaited.takeDue(lastArrivalMillis, all);
    }
    return null;
  }

  private Arriving weighted(Arriving arriving) {
    if (!arriving.sample().lacksWeight()) {
      return arriving;
    }
    Sample sample = weighted(arriving.sample());
    ContentHash hash = ContentHasher.of(sample, settings.hashKey());
    return new Arriving(sample, hash, codec.encode(sample), arriving.record());
  }

  /** Returns a sample with the default weight if only its weight is missing for a training. */
  private Sample weighted(Sample sample) {
    return sample.lacksWeight() ? sample.withWeight(settings.defaultWeight()) : sample;
  }

  private ArrivalOutcome.Fate fate(int slot, Sample merged, Sample later) {
    if (!merged.labeled() || merged.labelOnly() || index.waits(slot)) {
      return ArrivalOutcome.Fate.MERGED;
    }
    if (index.labelOnly(slot)) {
      return later.labeled()
          ? ArrivalOutcome.Fate.LABEL_REPLACED
          : ArrivalOutcome.Fate.EVENT_JOINED;
    }
    return index.labeled(slot) ? ArrivalOutcome.Fate.CORRECTED : ArrivalOutcome.Fate.LABEL_JOINED;
  }

  /**
   * Replaces a stored sample by the combination of this sample and another event with its id.
   *
   * @param inPlace whether the sample keeps its place among the waiting samples; otherwise it waits
   *     for its training from now on
   */
  private void replace(int slot, SampleIdentity identity, byte[] payload, boolean inPlace) {
    long id = index.id(slot);
    boolean withdrawnInTraining = inPlace && index.inTraining(slot);
    long arrivedAtMillis = inPlace ? index.arrivedAtMillis(slot) : lastArrivalMillis;
    evict(eviction.toEvict(payload.length, slot));
    library.replace(id, payload, newborn(identity, arrivedAtMillis));
    if (!inPlace) {
      waiting.add(id, this::waitsLonger);
    } else if (withdrawnInTraining) {
      // The sample no longer belongs to the running training.
      unlabeled.addAnew(id);
    }
  }

  private void evict(long[] ids) {
    labels.lost(LostLabel.Cause.FULL, ids);
    library.delete(ids);
    evicted += ids.length;
  }

  /**
   * Returns whether a sample has waited longer than another: by arrival time, then by id, so that
   * the order is the same after a restart.
   */
  public boolean waitsLonger(long id, long other) {
    int byArrival = Long.compare(arrivedAtMillis(id), arrivedAtMillis(other));
    return byArrival != 0 ? byArrival < 0 : id < other;
  }

  private long arrivedAtMillis(long id) {
    return index.arrivedAtMillis(index.slotOf(id));
  }

  /**
   * Takes the label of a sample back, so that the sample waits for a label again.
   *
   * @param eventId the event's own id
   */
  public Retraction retract(String eventId, long nowMillis) {
    lastArrivalMillis = Math.max(lastArrivalMillis, nowMillis);
    int slot = index.slotOfEvent(ContentHasher.idHash(eventId, settings.hashKey()));
    if (slot != SampleIndex.ABSENT && index.labelOnly(slot)) {
      long id = index.id(slot);
      library.delete(id);
      return new Retraction(Retraction.Fate.WITHDRAWN, id);
    }
    if (slot == SampleIndex.ABSENT || !index.labeled(slot)) {
      return new Retraction(Retraction.Fate.UNKNOWN, 0);
    }
    long id = index.id(slot);
    boolean untrained = index.stage(slot) == LifeStage.NEWBORN;
    boolean training = index.inTraining(slot);
    if (histories.kept()) {
      histories.labelTaken(stored(slot));
    }
    waiting.removeAll(new long[] {id});
    index.replace(slot, index.metadata(slot).retracted(lastArrivalMillis));
    index.inTraining(slot, training);
    library.write(id);
    if (!training) {
      unlabeled.addAnew(id);
    }
    unlabeled.trim();
    Retraction.Fate fate = Retraction.Fate.WITHDRAWN_AFTER_TRAINING;
    if (untrained) {
      fate = training ? Retraction.Fate.WITHDRAWN_IN_TRAINING : Retraction.Fate.WITHDRAWN;
    }
    return new Retraction(fate, id);
  }
}
