package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.selection.SelectionPolicies;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.fuzzy.FclException;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Knows every sample of one application partition: takes arrivals, coalesces equal contents,
 * chooses what an update trains on and moves samples through their lives by what updates learned
 * from them. Everything that must survive is written through to the store. Confined to one thread.
 */
public final class DataController {
  /** How often a rebuild is watched. */
  public static final int LOADED_AT_ONCE = 1_024;

  private static final int WEIGHT_MAX = 8;

  /** Of an id that waits, in an array that has doubled. */
  private static final int WAITING_BYTES = 2 * Long.BYTES;

  private final DataSettings settings;
  private final SampleStore store;
  private final SampleIndex index = new SampleIndex();
  private final PendingSamples pending = new PendingSamples();
  private final StoreBudget budget;
  private final SelectionPolicy selector;
  private final Ageing ageing;
  private final TrainingMarks marks = new TrainingMarks(index);
  private final WindowQuality window = new WindowQuality();
  private final UnlabeledQueue unlabeled;
  private final Intake intake;
  private Staging staging;

  /**
   * @throws IllegalArgumentException with all that is wrong with the rules of the settings
   */
  public DataController(DataSettings settings, SampleStore store, long seed) {
    this.settings = settings;
    this.store = store;
    budget = new StoreBudget(settings, index, store);
    selector = SelectionPolicies.of(settings.replay(), seed, index);
    ageing = new Ageing(settings.staging().maxAgeUpdates(), index);
    unlabeled = new UnlabeledQueue(settings.maxUnlabeled(), index, store);
    intake = new Intake(index, store, budget, pending, unlabeled);
    try {
      staging = Staging.of(settings.staging());
    } catch (FclException wrong) {
      throw new IllegalArgumentException(wrong.getMessage(), wrong);
    }
  }

  /**
   * Heap bytes of a controller with so many samples: a bound. Payloads are in the store.
   *
   * @param samples stored ones, 0 to {@link SampleIndex#MOST_SAMPLES}
   * @param eventIds whether events have ids of their own
   */
  public static long heapBytesFor(DataSettings settings, long samples, boolean eventIds) {
    int orders = settings.staging().maxAgeUpdates() == 0 ? 2 : 3;
    int counted = SelectionPolicies.counts(settings.replay().policy()) ? 1 : 0;
    return SampleIndex.heapBytesFor(samples, eventIds, orders, counted) + samples * WAITING_BYTES;
  }

  /**
   * Stages by other rules from now on.
   *
   * @throws FclException with all that is wrong with them; the rules before then stay
   */
  public void rules(String name, String source) throws FclException {
    DataSettings.Staging now = settings.staging();
    staging =
        Staging.of(
            new DataSettings.Staging(
                now.contribution(), now.score(), source, name, now.engine(), now.maxAgeUpdates()));
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

  /** Watches a rebuild. */
  @FunctionalInterface
  public interface Loading {
    /**
     * So many samples were read so far; throws to give up before the heap is full.
     *
     * @param samples multiples of {@link #LOADED_AT_ONCE}
     */
    void loaded(long samples);
  }

  /** Reads the store's metadata after a restart. Nothing is in training afterwards. */
  public void rebuild() {
    rebuild(samples -> {});
  }

  /** The same, watched. */
  public void rebuild(Loading loading) {
    store.forEachMetadata(
        (id, metadata) -> {
          index.load(id, metadata);
          intake.known(id, metadata);
          if (!metadata.labeled()) {
            unlabeled.add(id);
          } else if (metadata.stage() == LifeStage.NEWBORN) {
            pending.add(id);
          }
          if (index.size() % LOADED_AT_ONCE == 0) {
            loading.loaded(index.size());
          }
        });
    index.loaded();
    pending.sort(intake::waitsLonger);
    unlabeled.sort(intake::waitsLonger);
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
    return intake.arrive(sample, hash, payload, nowMillis, false);
  }

  /** The same, but takes a new sample over the budgets rather than throwing. */
  public Arrival arriveOverLimit(Sample sample, ContentHash hash, byte[] payload, long nowMillis) {
    return intake.arrive(sample, hash, payload, nowMillis, true);
  }

  /** The latest arrival so far, epoch milliseconds; Long.MIN_VALUE before the first. */
  public long lastArrivalMillis() {
    return intake.lastArrivalMillis();
  }

  /** Whether a new sample finds no room because what is stored waits for training or is in one. */
  public boolean full(int payloadBytes) {
    return budget.full(payloadBytes);
  }

  /** Whether most of the room is taken by samples that wait for training or are in one. */
  public boolean nearlyFull() {
    return budget.nearlyFull();
  }

  /**
   * Takes the prequential loss of a new sample, to compare with its loss after training. Kept on
   * the heap only: after a restart the trainer measures what is missing.
   */
  public void scored(long sampleId, float loss) {
    if (!Float.isFinite(loss)) {
      return;
    }
    window.add(loss);
    selector.scored(loss);
    int slot = index.slotOf(sampleId);
    if (slot != SampleIndex.ABSENT && index.stage(slot) == LifeStage.NEWBORN) {
      index.loss(slot, loss);
    }
  }

  /** How taking a label back went. */
  public enum Retraction {
    /** No stored sample has this event id and a label. */
    UNKNOWN,
    /** The sample waits for a label again; it waited for its training until now. */
    WITHDRAWN,
    /**
     * The sample waits for a label again; its first training runs. What comes of that decides
     * whether it was trained.
     */
    WITHDRAWN_IN_TRAINING,
    /** The sample waits for a label again; what the model learned from it stays learned. */
    WITHDRAWN_AFTER_TRAINING
  }

  /**
   * Which label was taken back.
   *
   * @param sampleId the stored sample; 0 if there is none
   */
  public record Withdrawal(Retraction fate, long sampleId) {}

  /**
   * Takes the label of a sample back: it trains no more until another event with its id brings a
   * label. A sample that trains right now leaves when that has ended.
   *
   * @param eventId the event's own id
   */
  public Withdrawal retract(String eventId) {
    return intake.retract(eventId);
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

  /** Contents (the high half of their hash) of the samples that wait longest, oldest first. */
  public long[] waitingContents(int most) {
    long[] ids = new long[Math.min(most, pending.size())];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = pending.id(i);
    }
    return contents(ids);
  }

  /** The same of any samples; those that are not stored any more are left out. */
  public long[] contents(long[] sampleIds) {
    return Arrays.stream(stillStored(sampleIds))
        .map(id -> index.metadata(index.slotOf(id)).contentHash().high())
        .toArray();
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
    long[] newIds = pending.oldest(newSamples);
    return new Selection(
        updateNumber, newIds, selector.replayed(updateNumber), selector.passedOver(newIds));
  }

  /** The same with no sample that was trained before: all of the new ones train, and only they. */
  public Selection selectNew(long updateNumber, int newSamples) {
    Selection chosen = select(updateNumber, newSamples);
    return new Selection(updateNumber, chosen.newIds(), new long[0]);
  }

  /** What an update would replay if it were chosen now, ascending. */
  public long[] upcoming(long updateNumber) {
    return selector.replayed(updateNumber);
  }

  /** Those of some samples that are stored still. */
  public long[] stillStored(long[] sampleIds) {
    return Arrays.stream(sampleIds).filter(id -> index.slotOf(id) != SampleIndex.ABSENT).toArray();
  }

  /** Marks a selection as training. The caller keeps it and marks it again after a restart. */
  public void beginTraining(Selection selection) {
    pending.removeAll(selection.newIds());
    marks.begin(selection);
  }

  /** Decodes a stored payload. */
  @FunctionalInterface
  public interface PayloadDecoder {
    Sample decode(byte[] payload) throws MalformedSampleException;
  }

  /** Reads the samples that a selection trains, ascending by id. */
  public TrainingBatch load(Selection selection, PayloadDecoder decoder) {
    long[] ids = selection.trainedIds();
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
   * @param measured one for each sample that was trained
   */
  public StageReport accept(Selection trained, List<Contribution> measured, double trainSeconds) {
    Evaluation.check(trained, measured);
    // A label may have been taken back while its sample trained, and the sample been given up.
    Set<Long> gone =
        Arrays.stream(trained.ids())
            .filter(id -> index.slotOf(id) == SampleIndex.ABSENT)
            .boxed()
            .collect(Collectors.toSet());
    Selection selection = trained.without(gone);
    List<Contribution> contributions =
        measured.stream().filter(each -> !gone.contains(each.sampleId())).toList();
    staging.scorer().quality(window.mean());
    double gain = window.gain();
    if (Double.isFinite(gain)) {
      selector.rewarded(gain, window.trainSeconds());
    }
    Evaluation.Outcome outcome =
        new Evaluation(settings.staging(), index, staging).evaluate(selection, contributions);
    window.next(trainSeconds);
    TrainingMarks.Ended ended = marks.ended(selection);
    SortedMap<Long, SampleMetadata> changed = outcome.metadata();
    for (Map.Entry<Long, SampleMetadata> entry : changed.entrySet()) {
      index.replace(slot(entry.getKey()), entry.getValue());
    }
    waitForLabels(ended);
    ageing.after(selection.updateNumber(), changed, outcome.report());
    store.updateMetadata(changed);
    unlabeled.trim();
    return outcome.report();
  }

  private void waitForLabels(TrainingMarks.Ended ended) {
    for (long id : ended.withdrawnIds()) {
      unlabeled.add(id);
    }
  }

  /** Why a stored sample has the stage it has; empty if no sample has this number. */
  public Optional<SampleExplanation> explain(long sampleId) {
    int slot = index.slotOf(sampleId);
    return slot == SampleIndex.ABSENT
        ? Optional.empty()
        : Optional.of(SampleExplanation.of(sampleId, index.metadata(slot), staging.scorer()));
  }

  /** The same by the event's own id. */
  public Optional<SampleExplanation> explain(String eventId) {
    int slot = index.slotOfEvent(ContentHasher.idHash(eventId));
    return slot == SampleIndex.ABSENT ? Optional.empty() : explain(index.id(slot));
  }

  /**
   * A training was dropped: its new samples wait again, before all others, unless their labels were
   * taken back meanwhile.
   *
   * @return how many wait again
   */
  public int abandon(Selection selection) {
    TrainingMarks.Ended ended = marks.ended(selection);
    marks.end(selection);
    waitForLabels(ended);
    unlabeled.trim();
    pending.addOldest(
        Arrays.stream(ended.untouchedNewIds())
            .boxed()
            .sorted(Comparator.comparingLong(this::arrivedAtMillis).thenComparing(id -> id))
            .mapToLong(Long::longValue)
            .toArray());
    return ended.untouchedNewIds().length;
  }

  /**
   * A training was given up: its new samples are Discard without having been trained, unless their
   * labels were taken back meanwhile.
   *
   * @return how many are given up
   */
  public int quarantine(Selection selection) {
    TrainingMarks.Ended ended = marks.ended(selection);
    marks.end(selection);
    waitForLabels(ended);
    giveUp(ended.untouchedNewIds());
    return ended.untouchedNewIds().length;
  }

  /**
   * Gives up a sample that waits for its first training.
   *
   * @return false if no sample of this content waits
   */
  public boolean quarantine(ContentHash content) {
    int slot = index.slotOf(content);
    boolean found = slot != SampleIndex.ABSENT && waits(slot);
    if (found) {
      long[] id = {index.id(slot)};
      pending.removeAll(id);
      giveUp(id);
    }
    return found;
  }

  private boolean waits(int slot) {
    return index.labeled(slot) && index.stage(slot) == LifeStage.NEWBORN && !index.inTraining(slot);
  }

  /** Those of some samples that wait for their first training and are not in one. */
  public long[] stillWaiting(long[] sampleIds) {
    return Arrays.stream(stillStored(sampleIds)).filter(id -> waits(slot(id))).toArray();
  }

  private void giveUp(long[] ids) {
    SortedMap<Long, SampleMetadata> moved = new TreeMap<>();
    for (long id : ids) {
      int slot = slot(id);
      index.stage(slot, LifeStageMachine.next(index.stage(slot), StageEvent.QUARANTINED));
      moved.put(id, index.metadata(slot));
    }
    store.updateMetadata(moved);
    unlabeled.trim();
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

  /** Samples that were looked at since the start to choose, age and evict some of them. */
  public long visited() {
    return index.visited();
  }

  /** Samples removed for room so far. */
  public long evicted() {
    return budget.evicted();
  }

  /** Unlabelled samples given up so far. */
  public long expiredUnlabeled() {
    return unlabeled.expired();
  }

  /** The state that is not in the samples, versioned. */
  public byte[] snapshot() {
    return new DataSnapshot(
            intake.nextId(),
            budget.evicted(),
            unlabeled.expired(),
            staging.classifier().snapshot(),
            staging.scorer().snapshot(),
            SelectorState.of(settings.replay().policy(), selector.snapshot()),
            window.snapshot())
        .encode();
  }

  /** Takes {@link #snapshot()} back; followed by {@link #rebuild()}. */
  public void restore(byte[] snapshot) {
    DataSnapshot taken = DataSnapshot.decode(snapshot);
    intake.nextId(taken.nextId());
    budget.evicted(taken.evicted());
    unlabeled.expired(taken.expired());
    if (taken.classifier().length > 0) {
      staging.classifier().restore(taken.classifier());
    }
    staging.scorer().restore(taken.scorer());
    selector.restore(SelectorState.taken(settings.replay().policy(), taken.selector()));
    window.restore(taken.window());
  }
}
