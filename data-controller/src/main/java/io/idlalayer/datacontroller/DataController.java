package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.selection.SampleSelector;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.QuantileClassifier;
import io.idlalayer.datacontroller.stage.StageClassifier;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Knows every sample of one application partition: takes arrivals, coalesces equal contents,
 * chooses what an update trains on and moves samples through their lives by what updates learned
 * from them. Everything that must survive is written through to the store. Confined to one thread.
 */
public final class DataController {
  private static final byte VERSION = 1;
  private static final int WEIGHT_MAX = 8;

  private final SampleStore store;
  private final SampleIndex index = new SampleIndex();
  private final PendingSamples pending = new PendingSamples();
  private final StoreBudget budget;
  private final SampleSelector selector;
  private final StageClassifier classifier = new QuantileClassifier();
  private final Evaluation evaluation;
  private final UnlabeledQueue unlabeled;

  private long nextId = 1;
  private long lastArrivalMillis = Long.MIN_VALUE;

  public DataController(DataSettings settings, SampleStore store, long seed) {
    this.store = store;
    budget = new StoreBudget(settings, index, store);
    selector = new SampleSelector(settings, seed);
    evaluation = new Evaluation(settings, index, classifier);
    unlabeled = new UnlabeledQueue(settings.maxUnlabeled(), index, store);
  }

  /** What became of an arrival. */
  public enum Fate {
    /** New content: stored, waits for its first training. */
    NEWBORN,
    /** Content that was Discard: Newborn again. */
    REVIVED,
    /** Content that is stored already: counted. */
    DUPLICATE,
    /** New content without label: stored, waits for the label. */
    UNLABELED,
    /** Brought the label of a stored sample, which now waits for its first training. */
    LABEL_JOINED
  }

  /**
   * An arrival's outcome.
   *
   * @param sampleId the stored sample it became or met
   */
  public record Arrival(Fate fate, long sampleId) {}

  /** Reads the store's metadata after a restart. Nothing is in training afterwards. */
  public void rebuild() {
    List<long[]> waiting = new ArrayList<>();
    List<long[]> withoutLabel = new ArrayList<>();
    store.forEachMetadata(
        (id, metadata) -> {
          index.add(id, metadata);
          nextId = Math.max(nextId, id + 1);
          lastArrivalMillis = Math.max(lastArrivalMillis, metadata.arrivedAtMillis());
          if (!metadata.labeled()) {
            withoutLabel.add(new long[] {metadata.arrivedAtMillis(), id});
          } else if (metadata.stage() == LifeStage.NEWBORN) {
            waiting.add(new long[] {metadata.arrivedAtMillis(), id});
          }
        });
    waiting.sort(Arrays::compare);
    waiting.forEach(each -> pending.add(each[1]));
    withoutLabel.sort(Arrays::compare);
    withoutLabel.forEach(each -> unlabeled.add(each[1]));
  }

  /**
   * Takes an arrival.
   *
   * @param hash {@link ContentHasher} of the sample
   * @param payload its encoding, kept as it is
   * @param nowMillis epoch milliseconds; a clock that went back counts as standing still
   * @throws StoreFullException if the budgets leave no room and nothing may go; ask {@link #full}
   */
  public Arrival arrive(Sample sample, ContentHash hash, byte[] payload, long nowMillis) {
    lastArrivalMillis = Math.max(lastArrivalMillis, nowMillis);
    int slot = index.slotOf(hash);
    long idHash = ContentHasher.idHash(sample.id());
    int waiting = sample.labeled() ? index.slotWaitingForLabel(idHash) : SampleIndex.ABSENT;
    if (slot != SampleIndex.ABSENT) {
      if (waiting != SampleIndex.ABSENT) {
        unlabeled.remove(waiting);
      }
      return again(slot);
    }
    budget.refuseIfFull(payload.length);
    if (waiting != SampleIndex.ABSENT) {
      return join(waiting, hash, payload);
    }
    budget.makeRoom(payload.length);
    SampleMetadata metadata = newborn(hash, idHash, payload.length, 1, sample.labeled());
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

  private SampleMetadata newborn(
      ContentHash hash, long idHash, int bytes, int frequency, boolean labeled) {
    long now = lastArrivalMillis;
    return new SampleMetadata(
        hash, idHash, LifeStage.NEWBORN, frequency, 0, 0, Float.NaN, 0, 0, 0, now, bytes, labeled);
  }

  /** The order of pending samples, the same live and rebuilt: by arrival, then by id. */
  private boolean waitsLonger(long id, long other) {
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

  private Arrival join(int slot, ContentHash hash, byte[] payload) {
    long id = index.id(slot);
    SampleMetadata old = index.metadata(slot);
    SampleMetadata labeled = newborn(hash, old.idHash(), payload.length, old.frequency(), true);
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

  /** Whether a new sample finds no room because what is stored waits for training or is in one. */
  public boolean full(int payloadBytes) {
    return budget.full(payloadBytes);
  }

  /**
   * Takes the prequential loss of a new sample, to compare with its loss after training. Kept on
   * the heap only: after a restart the trainer measures what is missing.
   */
  public void scored(long sampleId, float loss) {
    int slot = index.slotOf(sampleId);
    if (slot != SampleIndex.ABSENT
        && Float.isFinite(loss)
        && index.stage(slot) == LifeStage.NEWBORN) {
      index.loss(slot, loss);
    }
  }

  /** Samples that wait for their first training and are not in one. */
  public int pending() {
    return pending.size();
  }

  /** Visits the arrival time of every pending sample, oldest first (epoch milliseconds). */
  public void forEachPending(LongConsumer arrivedAtMillis) {
    for (int i = 0; i < pending.size(); i++) {
      arrivedAtMillis.accept(index.arrivedAtMillis(index.slotOf(pending.id(i))));
    }
  }

  /** When a stored sample became Newborn, epoch milliseconds. */
  public long arrivedAtMillis(long sampleId) {
    return index.arrivedAtMillis(slot(sampleId));
  }

  /**
   * Chooses an update's samples: the oldest pending ones and the replay. Changes nothing.
   *
   * @param newSamples how many pending ones, 1 to {@link #pending()}
   */
  public Selection select(long updateNumber, int newSamples) {
    if (newSamples < 1 || newSamples > pending.size()) {
      throw new IllegalArgumentException(
          "update %d asks for %d new samples of %d that wait"
              .formatted(updateNumber, newSamples, pending.size()));
    }
    return new Selection(
        updateNumber, pending.oldest(newSamples), selector.replayed(index, updateNumber));
  }

  /** Marks a selection as training. The caller keeps it and marks it again after a restart. */
  public void beginTraining(Selection selection) {
    pending.removeAll(selection.newIds());
    mark(selection, true);
  }

  private void mark(Selection selection, boolean training) {
    for (long id : selection.newIds()) {
      index.inTraining(slot(id), training);
    }
    for (long id : selection.replayedIds()) {
      index.inTraining(slot(id), training);
    }
  }

  /** Decodes a stored payload. */
  @FunctionalInterface
  public interface PayloadDecoder {
    Sample decode(byte[] payload) throws MalformedSampleException;
  }

  /** Reads a selection's samples, ascending by id. */
  public TrainingBatch load(Selection selection, PayloadDecoder decoder) {
    long[] ids = selection.ids();
    List<byte[]> payloads = store.payloads(ids);
    List<TrainingRow> rows = new ArrayList<>(ids.length);
    for (int i = 0; i < ids.length; i++) {
      int slot = slot(ids[i]);
      boolean fresh = Arrays.binarySearch(selection.newIds(), ids[i]) >= 0;
      float weight = Math.min(index.frequency(slot), WEIGHT_MAX);
      try {
        Sample sample = decoder.decode(payloads.get(i));
        rows.add(new TrainingRow(ids[i], sample, weight, index.loss(slot), fresh));
      } catch (MalformedSampleException damaged) {
        throw new IllegalStateException("stored sample " + ids[i] + " is damaged", damaged);
      }
    }
    return new TrainingBatch(selection.updateNumber(), rows);
  }

  /**
   * Takes what a finished training learned: every sample of the selection gets its new stage.
   *
   * @param contributions one for each sample of the selection
   */
  public StageCounts accept(Selection selection, List<Contribution> contributions) {
    SortedMap<Long, SampleMetadata> evaluated = evaluation.evaluate(selection, contributions);
    for (Map.Entry<Long, SampleMetadata> entry : evaluated.entrySet()) {
      index.replace(slot(entry.getKey()), entry.getValue());
    }
    store.updateMetadata(evaluated);
    return stages();
  }

  /** A training was dropped: its new samples wait again, before all others. */
  public void abandon(Selection selection) {
    mark(selection, false);
    Long[] ids = Arrays.stream(selection.newIds()).boxed().toArray(Long[]::new);
    Arrays.sort(
        ids,
        java.util.Comparator.<Long>comparingLong(this::arrivedAtMillis)
            .thenComparingLong(Long::longValue));
    pending.addOldest(Arrays.stream(ids).mapToLong(Long::longValue).toArray());
  }

  /** A training was given up: its new samples are Discard without having been trained. */
  public void quarantine(Selection selection) {
    mark(selection, false);
    SortedMap<Long, SampleMetadata> moved = new TreeMap<>();
    for (long id : selection.newIds()) {
      int slot = slot(id);
      index.stage(slot, LifeStageMachine.next(index.stage(slot), StageEvent.QUARANTINED));
      moved.put(id, index.metadata(slot));
    }
    store.updateMetadata(moved);
  }

  private int slot(long sampleId) {
    int slot = index.slotOf(sampleId);
    if (slot == SampleIndex.ABSENT) {
      throw new IllegalStateException("sample " + sampleId + " is not stored");
    }
    return slot;
  }

  public StageCounts stages() {
    return new StageCounts(
        index.count(LifeStage.NEWBORN),
        index.count(LifeStage.MATURE),
        index.count(LifeStage.PRESERVE),
        index.count(LifeStage.DISCARD));
  }

  /** Samples stored now. */
  public long stored() {
    return index.size();
  }

  /** Payload bytes stored now. */
  public long storedBytes() {
    return index.bytes();
  }

  /** Samples removed for room so far. */
  public long evicted() {
    return budget.evicted();
  }

  /** Unlabelled samples given up so far. */
  public long expiredUnlabeled() {
    return unlabeled.expired();
  }

  /** The state that is not in the samples: the classifier's memory, counters, the id sequence. */
  public byte[] snapshot() {
    byte[] memory = classifier.snapshot();
    ByteBuffer out = ByteBuffer.allocate(1 + 3 * 8 + memory.length);
    out.put(VERSION).putLong(nextId).putLong(budget.evicted()).putLong(unlabeled.expired());
    return out.put(memory).array();
  }

  /** Takes {@link #snapshot()} back; followed by {@link #rebuild()}. */
  public void restore(byte[] snapshot) {
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "data controller snapshot has version %d, this program reads %d"
              .formatted(version, VERSION));
    }
    nextId = in.getLong();
    budget.evicted(in.getLong());
    unlabeled.expired(in.getLong());
    byte[] memory = new byte[in.remaining()];
    in.get(memory);
    classifier.restore(memory);
  }
}
